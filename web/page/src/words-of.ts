//! The visible words inside an element, up to a limit. Says nothing of names or roles.

import { clip, getAttribute, isElement, isText, localName, squash } from "./dom.ts";
import { styleOf } from "./reading.ts";
import { look, shownChildren } from "./visible.ts";

const SKIPPED = new Set(
  "script style template noscript head select textarea input iframe datalist svg canvas video audio object".split(
    " ",
  ),
);

/** `skip` leaves out whole subtrees. */
export function visibleWords(
  el: Element,
  most: number,
  skip?: (inner: Element) => boolean,
): string {
  let out = "";
  let words = 0;
  const walk = (at: Element, isShown: boolean): void => {
    for (const child of shownChildren(at)) {
      if (words > most) return;
      if (isText(child)) {
        if (!isShown) continue;
        out += child.data;
        words += child.data.trim().length;
      } else if (isElement(child) && !SKIPPED.has(localName(child)) && !skip?.(child)) {
        const own = look(child);
        if (own === "gone" || own === "faint") continue;
        const { display } = styleOf(child);
        const isApart =
          localName(child) === "br" || !(display === "inline" || display === "contents");
        if (isApart) out += " ";
        walk(child, own === "seen" || (isShown && display === "contents"));
        if (isApart) out += " ";
      }
    }
  };
  walk(el, true);
  return clip(squash(out.replace(/[\ue000-\uf8ff]/g, "")), most);
}

/** Names of the pictures inside: what an icon button without words shows. */
export function pictureWords(el: Element): string {
  for (const child of shownChildren(el)) {
    if (!isElement(child)) continue;
    const own = getAttribute(child, "alt") ?? getAttribute(child, "aria-label");
    const words = squash(own ?? getAttribute(child, "title") ?? "") || pictureWords(child);
    if (words !== "") return words;
  }
  return "";
}
