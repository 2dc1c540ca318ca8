//! A pointer made of DOM events: what a mouse would send, in a mouse's order, with the defaults that a
//! script can bring about. Not trusted: a page can tell, and some defaults (opening a closed list, a
//! window) do not happen.

import { COMMON, modifierKeys, send } from "./dom-events.ts";
import { deepAt } from "./hit.ts";
import { flatParent } from "./shadow.ts";

/** `Input.dispatchMouseEvent`, in this document's own viewport. */
export interface MouseCommand {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly button?: string;
  readonly buttons?: number;
  readonly clickCount?: number;
  readonly modifiers?: number;
  readonly deltaX?: number;
  readonly deltaY?: number;
}

const BUTTONS = ["left", "middle", "right"];

let over: Element | null = null;
let pressed: Element | null = null;
/** The page took the pointer's press: the mouse's own events are not sent. */
let isTaken = false;

/** Does one command; false when nothing is at that point. */
export function mouse(command: MouseCommand): boolean {
  const target = deepAt(command.x, command.y) ?? document.documentElement;
  if (!target) return false;
  switch (command.type) {
    case "mouseMoved":
      move(target, command);
      return true;
    case "mousePressed":
      move(target, command);
      press(target, command);
      return true;
    case "mouseReleased":
      release(target, command);
      return true;
    case "mouseWheel":
      wheel(target, command);
      return true;
    default:
      return false;
  }
}

function initOf(command: MouseCommand): PointerEventInit {
  const button = BUTTONS.indexOf(command.button ?? "none");
  return {
    ...COMMON,
    ...modifierKeys(command.modifiers ?? 0),
    view: window,
    clientX: command.x,
    clientY: command.y,
    screenX: command.x + window.screenX,
    screenY: command.y + window.screenY,
    button: Math.max(0, button),
    buttons: command.buttons ?? 0,
    detail: command.clickCount ?? 0,
  };
}

const pointerInit = { pointerId: 1, pointerType: "mouse", isPrimary: true, width: 1, height: 1 };

function pointer(type: string, target: Element, init: PointerEventInit): boolean {
  return send(target, new PointerEvent(type, { ...init, ...pointerInit, detail: 0 }));
}

function mouseEvent(type: string, target: Element, init: MouseEventInit): boolean {
  return send(target, new MouseEvent(type, init));
}

function move(target: Element, command: MouseCommand): void {
  const init = { ...initOf(command), button: -1 };
  const plain = { ...initOf(command), button: 0, detail: 0 };
  if (over !== target) enter(target, init, plain);
  pointer("pointermove", target, init);
  if (!isTaken) mouseEvent("mousemove", target, plain);
}

function enter(target: Element, init: PointerEventInit, plain: MouseEventInit): void {
  const left = over?.isConnected ? over : null;
  const leaving = left ? pathOf(left).filter((at) => !pathOf(target).includes(at)) : [];
  const entering = pathOf(target).filter((at) => !left || !pathOf(left).includes(at));
  over = target;
  const own = { bubbles: false, cancelable: false };
  if (left) {
    pointer("pointerout", left, { ...init, relatedTarget: target });
    for (const at of leaving) pointer("pointerleave", at, { ...init, ...own });
    mouseEvent("mouseout", left, { ...plain, relatedTarget: target });
    for (const at of leaving) mouseEvent("mouseleave", at, { ...plain, ...own });
  }
  pointer("pointerover", target, { ...init, relatedTarget: left });
  for (const at of entering.toReversed()) pointer("pointerenter", at, { ...init, ...own });
  mouseEvent("mouseover", target, { ...plain, relatedTarget: left });
  for (const at of entering.toReversed()) mouseEvent("mouseenter", at, { ...plain, ...own });
}

function pathOf(el: Element): Element[] {
  const out: Element[] = [];
  for (let at: Element | null = el; at; at = flatParent(at)) out.push(at);
  return out;
}

function press(target: Element, command: MouseCommand): void {
  const init = initOf(command);
  pressed = target;
  isTaken = !pointer("pointerdown", target, { ...init, pressure: 0.5 });
  if (isTaken) return;
  if (mouseEvent("mousedown", target, init)) focusAround(target);
  if (command.button === "right") mouseEvent("contextmenu", target, init);
}

/** What a press gives focus to, or takes it from. */
function focusAround(target: Element): void {
  for (let at: Element | null = target; at; at = flatParent(at)) {
    if (!(at instanceof HTMLElement || at instanceof SVGElement)) continue;
    const label = at instanceof HTMLLabelElement ? at.control : null;
    if (label) return;
    if (at.tabIndex < 0 && !(at instanceof HTMLElement && at.isContentEditable)) continue;
    at.focus({ preventScroll: true });
    return;
  }
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused !== document.body) focused.blur();
}

function release(target: Element, command: MouseCommand): void {
  const init = initOf(command);
  pointer("pointerup", target, init);
  if (!isTaken) mouseEvent("mouseup", target, init);
  isTaken = false;
  const from = pressed;
  pressed = null;
  const clicked = from && pathOf(from).find((at) => pathOf(target).includes(at));
  if (!clicked) return;
  const type = command.button === "left" ? "click" : "auxclick";
  send(clicked, new PointerEvent(type, { ...init, ...pointerInit }));
  if (type === "click" && command.clickCount === 2) mouseEvent("dblclick", clicked, init);
}

function wheel(target: Element, command: MouseCommand): void {
  const { deltaX = 0, deltaY = 0 } = command;
  const event = new WheelEvent("wheel", { ...initOf(command), deltaX, deltaY });
  if (!send(target, event)) return;
  for (let at: Element | null = target; at; at = flatParent(at)) {
    const [left, top] = [at.scrollLeft, at.scrollTop];
    at.scrollBy({ left: deltaX, top: deltaY, behavior: "instant" });
    if (at.scrollLeft !== left || at.scrollTop !== top) return;
  }
}
