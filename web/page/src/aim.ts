//! What input would reach: the element at a point or with the focus, for the guard to show and to
//! compare. Inside a frame it is that frame's agent which knows. Changes nothing.

import type { PageCall, Element as WireElement } from "../../wire/page.ts";
import { selectOf } from "./fill-select.ts";
import { focusedElement } from "./focus.ts";
import { tokenOf } from "./frames.ts";
import { deepAt } from "./hit.ts";
import { isFrame } from "./interactive.ts";
import { actingAround } from "./owner.ts";
import { elementOf } from "./registry.ts";
import { described } from "./target.ts";
import { unmapped } from "./through.ts";

/** An element, or the frame to look on in with the point in its own viewport. */
export type Aimed =
  | { readonly element: WireElement; readonly form: string | null }
  | { readonly token: string; readonly x: number; readonly y: number };

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

/** Whether a call would change the page though its kind only looks: `prepare` chooses options. */
export function doesAct(call: PageCall): boolean {
  if (call.op !== "prepare" || call.act !== "click") return false;
  const element = elementOf(call.id);
  return element instanceof HTMLOptionElement && selectOf(element) !== null;
}

function told(element: Element): Aimed {
  return { element: described(element), form: formAction(element) };
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
