//! How a sign looks.

import { drawing, element } from "../dom";
import type { Sign } from "../sign";
import { strings } from "../strings";
import { SIGNS } from "./icons";

/** The picture and its word. */
export function signOf(sign: Sign): HTMLElement {
  return element(
    "div",
    { class: "sign" },
    drawing(SIGNS[sign.picture]),
    element("span", { class: "visually-hidden" }, `${strings.pictures[sign.picture]}, `),
    element("span", {}, sign.word),
  );
}
