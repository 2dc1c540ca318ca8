//! What input would reach: the element at a point or with the focus, for the guard to show and to
//! compare. Inside a frame it is that frame's agent which knows. Changes nothing.

import type { PageCall, Point, Element as WireElement } from "../../wire/page.ts";
import { isDisabled } from "./disabled.ts";
import { selectOf } from "./fill-select.ts";
import { focusedElement } from "./focus.ts";
import { frameOf, tokenOf } from "./frames.ts";
import { aim, deepAt } from "./hit.ts";
import { isFrame } from "./interactive.ts";
import { actingAround } from "./owner.ts";
import { pays } from "./pays.ts";
import { proxyOf } from "./proxy.ts";
import { elementOf } from "./registry.ts";
import { described } from "./target.ts";
import { mapped, unmapped } from "./through.ts";
import { isVisible } from "./visible.ts";

/** An element, where its form goes, and whether a press may cost money. */
export interface Told {
  readonly element: WireElement;
  readonly form: string | null;
  readonly pays: boolean;
}

/** An element, or the frame to look on in with the point in its own viewport. */
export type Aimed = Told | { readonly token: string; readonly x: number; readonly y: number };

/** What a press at that point reaches. */
export function aimAt(x: number, y: number): Aimed | null {
  const hit = deepAt(x, y);
  if (!hit) return null;
  if (isFrame(hit)) return { token: tokenOf(hit), ...unmapped(hit, x, y) };
  return told(actingAround(hit));
}

/** What a key reaches; the page itself when nothing has focus. */
export function aimFocus(): Aimed | null {
  const element = focusedElement() ?? document.body ?? document.documentElement;
  if (!element) return null;
  return isFrame(element) ? { token: tokenOf(element), x: 0, y: 0 } : told(element);
}

/** An element by its number; null when it is gone. */
export function aimOf(id: number): Aimed | null {
  const element = elementOf(id);
  return element ? told(element) : null;
}

/** Where a press on an element lands on it now, or why it would not. */
export type Pressable =
  | (Told & { readonly point: Point })
  | { readonly refused: "ELEMENT_HIDDEN" | "ELEMENT_DISABLED" | "ELEMENT_COVERED" };

/** Takes the point of a press; null when the element is gone. Nothing is scrolled or waited for. */
export function pressPoint(id: number, how: "press" | "grab" | "drop"): Pressable | null {
  const element = elementOf(id);
  if (!element) return null;
  const spot = isVisible(element) ? element : proxyOf(element);
  if (!spot) return { refused: "ELEMENT_HIDDEN" };
  if (how !== "drop" && isDisabled(element)) return { refused: "ELEMENT_DISABLED" };
  const found = aim(element, spot);
  if (!found.hits) return { refused: found.cover ? "ELEMENT_COVERED" : "ELEMENT_HIDDEN" };
  return { ...told(actingAround(element)), point: found.point };
}

/** A point of a child frame in this viewport; null when a press there would not reach the frame. */
export function pointAbove(token: string, x: number, y: number): Point | null {
  const frame = frameOf(token);
  if (!frame) return null;
  const point = mapped(frame, x, y);
  return deepAt(point.x, point.y) === frame ? point : null;
}

/** Whether a call would change the page though its kind only looks: `prepare` chooses options. */
export function doesAct(call: PageCall): boolean {
  if (call.op !== "prepare" || call.act !== "click") return false;
  const element = elementOf(call.id);
  return element instanceof HTMLOptionElement && selectOf(element) !== null;
}

function told(element: Element): Told {
  const words = described(element);
  const form = formAction(element);
  return { element: words, form, pays: pays(element, words.role, words.name) };
}

const FORM = getter(HTMLFormElement.prototype, "action");
const BUTTON_FORM = getter(HTMLButtonElement.prototype, "form");
const INPUT_FORM = getter(HTMLInputElement.prototype, "form");
const BUTTON_ACTION = getter(HTMLButtonElement.prototype, "formAction");
const INPUT_ACTION = getter(HTMLInputElement.prototype, "formAction");

// Fields named `action` or `form` hide the form's own.
function getter(of: object, name: string): (from: Element) => unknown {
  const get = Object.getOwnPropertyDescriptor(of, name)?.get;
  return (from) => get?.call(from);
}

/** Where the form around it would go. */
function formAction(element: Element): string | null {
  const isButton = element instanceof HTMLButtonElement;
  const isInput = element instanceof HTMLInputElement;
  const owner = isButton ? BUTTON_FORM(element) : isInput ? INPUT_FORM(element) : null;
  const form = owner ?? element.closest("form");
  if (!(form instanceof HTMLFormElement)) return null;
  if (element.hasAttribute("formaction")) {
    if (isButton) return String(BUTTON_ACTION(element));
    if (isInput) return String(INPUT_ACTION(element));
  }
  return String(FORM(form));
}
