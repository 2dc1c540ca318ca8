//! Which boxes scroll on their own. Asks for sizes only where the style lets a box scroll.

import {
  clientHeight,
  clientWidth,
  HTML,
  localName,
  namespaceURI,
  scrollHeight,
  scrollWidth,
} from "./dom.ts";
import { perWalk, styleOf } from "./reading.ts";

/** Less hidden than this is rounding, not content. */
const SLACK_PX = 4;
const NEVER = new Set(["html", "body", "select", "input", "iframe", "textarea"]);

function scrollsBy(overflow: string): boolean {
  return overflow === "auto" || overflow === "scroll";
}

/** Whether it has more than it shows, and lets a wheel reach it. The page itself does not count. */
export const isScrollable = perWalk((el: Element): boolean => {
  if (namespaceURI(el) !== HTML || NEVER.has(localName(el))) return false;
  const style = styleOf(el);
  if (scrollsBy(style.overflowY) && scrollHeight(el) > clientHeight(el) + SLACK_PX) {
    return clientHeight(el) > 0;
  }
  return scrollsBy(style.overflowX) && scrollWidth(el) > clientWidth(el) + SLACK_PX;
});
