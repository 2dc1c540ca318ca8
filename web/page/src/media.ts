//! Pictures, drawings and frames: what they are called, never what is drawn in them.

import {
  documentElement,
  getAttribute,
  getBoundingClientRect,
  hasAttribute,
  querySelector,
  querySelectorAll,
} from "./dom.ts";
import { tokenOf } from "./frames.ts";
import { reasonOf } from "./interactive.ts";
import { actingLine } from "./line.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { visitChildren } from "./visit.ts";
import { type Around, BREAK, lineOf, type Piece, type Walk } from "./walk.ts";

/** Boxes smaller than this hold no page. */
const FRAME_LEAST_PX = 10;

export function visitSvg(walk: Walk, el: Element, tag: string, around: Around, out: Piece[]): void {
  if (around.inControl) return;
  if (tag === "svg") {
    if (reasonOf(el) === "clickable") {
      out.push({ is: "node", node: actingLine(walk, el, around) });
      return;
    }
    const isLive = querySelector(el, "a,text,foreignObject,[tabindex],[role],[onclick],[cursor]");
    if (!isLive) {
      if (roleOf(el) === "img") pushImage(walk, el, around, out);
      return;
    }
  }
  if (tag === "title" || tag === "desc" || tag === "defs") return;
  if (reasonOf(el) !== "") {
    const node = actingLine(walk, el, around);
    out.push({ is: "node", node });
    return;
  }
  if (tag === "text") out.push({ is: "text", text: " ", el });
  visitChildren(walk, el, around, out);
}

function pushImage(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  const name = nameOf(el);
  if (name === "" || around.inControl) return;
  const node = lineOf(el, "img", name);
  node.unseen = true;
  out.push({ is: "node", node: walk.spend(node) });
}

/** The links of an image map stand with its picture. */
function pushAreas(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  const name = (getAttribute(el, "usemap") ?? "").replace(/^#/, "");
  const top = documentElement(document);
  if (name === "" || !top || around.inControl) return;
  const areas = querySelectorAll(top, `map[name="${CSS.escape(name)}"] area[href]`);
  for (const area of areas) {
    if (walk.stopped) return;
    out.push({ is: "node", node: actingLine(walk, area, around) });
  }
}

export function visitFrame(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  const rect = getBoundingClientRect(el);
  if (rect.width < FRAME_LEAST_PX || rect.height < FRAME_LEAST_PX) return;
  if (around.faint || around.mute) return;
  const node = lineOf(el, "iframe", nameOf(el));
  node.acts = true;
  node.frame = tokenOf(el);
  const source = getAttribute(el, "src");
  if (source && /^https?:/i.test(source)) node.url = source;
  out.push(BREAK, { is: "node", node: walk.spend(node) }, BREAK);
}

export function visitPicture(
  walk: Walk,
  el: Element,
  tag: string,
  around: Around,
  out: Piece[],
): void {
  if (reasonOf(el) === "clickable" && !around.inControl) {
    const node = actingLine(walk, el, around);
    if (tag === "canvas") node.states = [...(node.states ?? []), { k: "kind", v: "canvas" }];
    out.push({ is: "node", node });
    return;
  }
  if (tag === "img") {
    if (roleOf(el) !== "") pushImage(walk, el, around, out);
    if (hasAttribute(el, "usemap")) pushAreas(walk, el, around, out);
    return;
  }
  const rect = getBoundingClientRect(el);
  if (around.inControl || rect.width < 40 || rect.height < 40) return;
  walk.canvas += rect.width * rect.height;
  const node = lineOf(el, "img", nameOf(el));
  node.acts = true;
  node.states = [{ k: "kind", v: "canvas" }];
  out.push({ is: "node", node: walk.spend(node) });
}
