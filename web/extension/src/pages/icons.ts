//! Line drawings of our own, each one path on a field of 24 × 24.

import type { Picture } from "../sign";

export const SETTINGS =
  "M4 8h8M18 8h2M4 16h2M12 16h8M15 5.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M9 13.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5";
export const PANEL = "M4 5h16v14H4zM14.5 5v14";
export const CROSS = "M7 7l10 10M17 7L7 17";
export const CHECK = "M5 12.5l4.5 4.5L19 7.5";

/** The pictures of signs. */
export const SIGNS: Readonly<Record<Picture, string>> = {
  sun: "M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8M12 2.5v2.5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3L7 7M17 17l1.7 1.7M5.3 18.7L7 17M17 7l1.7-1.7",
  moon: "M19.5 14.5A8 8 0 1 1 9.5 4.5a6.5 6.5 0 0 0 10 10z",
  leaf: "M5 19C3.5 10 9 4.5 20 4c.5 10-5 16-13 13.5M5 20c2-5 5-8 9-10",
  boat: "M3.5 16h17l-2.5 4.5H6zM12 3v10.5M12 4l6.5 9.5H12M12 6.5L6.5 13.5H12",
  key: "M8 11.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7M10.5 12.5L19 4M16 7l3 3M13.5 9.5l2 2",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 20.5h4M12 3v2",
  cup: "M5 7h11v8a4.5 4.5 0 0 1-4.5 4.5h-2A4.5 4.5 0 0 1 5 15zM16 9h2a2.5 2.5 0 0 1 0 5h-2M8.5 2.5v2M12.5 2.5v2",
  kite: "M14 3l6 7-10 6L6 6zM14 3l-4 13M6 6l14 4M10 16c-1 3-3 1.5-4 4.5",
  fish: "M3 12c4-6.5 10-6.5 14 0c-4 6.5-10 6.5-14 0zM17 12l4-4v8zM7.5 11v.5",
  star: "M12 3.5l2.6 5.6 6.1.7-4.5 4.2 1.2 6L12 17l-5.4 3 1.2-6L3.3 9.8l6.1-.7z",
  tree: "M12 3l6 8h-3.5l4 6h-13l4-6H6zM12 17v4",
  house: "M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6",
};
