//! Which addresses agents may open, and on which documents anything may be done. Pure.

const STORE_HOSTS: readonly string[] = ["chromewebstore.google.com"];

/** Whether a verb may send a tab there. */
export function mayOpen(url: string): boolean {
  if (url === "about:blank") return true;
  const parsed = parse(url);
  return parsed?.protocol === "http:" || parsed?.protocol === "https:";
}

/** Whether a committed document may be read or acted on. */
export function mayTouch(url: string): boolean {
  // The first, empty document of a tab has no address yet.
  if (url === "" || url === "about:blank" || url === "about:srcdoc") return true;
  const parsed = parse(url);
  switch (parsed?.protocol) {
    case "http:":
    case "https:":
      return !isStore(parsed);
    case "blob:":
      return /^https?:\/\//.test(parsed.pathname) && mayTouch(parsed.pathname);
    case "data:":
      return true;
    default:
      return false;
  }
}

/** The origin whose data a document shows; opaque ones are told apart by their whole address. */
export function originOf(url: string): string {
  const origin = parse(url)?.origin;
  return origin === undefined || origin === "null" ? url : origin;
}

/** The host, or an empty text. */
export function hostOf(url: string): string {
  return parse(url)?.host ?? "";
}

function isStore(url: URL): boolean {
  if (STORE_HOSTS.includes(url.hostname)) return true;
  return url.hostname === "chrome.google.com" && url.pathname.startsWith("/webstore");
}

function parse(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}
