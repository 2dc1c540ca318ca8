//! The user points at an element: a frame under the pointer, and one click or Escape that the page does
//! not get. Only what the user's own hand does counts. Nothing of it is left afterwards.

import type { Looked } from "../../wire/page.ts";
import { deepAt } from "./hit.ts";
import { actingAround } from "./owner.ts";
import { described } from "./target.ts";

/** Goes away by itself when nobody has asked for so long: its worker may never come back. */
const UNASKED_MS = 120_000;
/** The rest of a click, after the press that chose. */
const CLICK_MS = 1_500;
const SWALLOWED = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "auxclick",
  "dblclick",
  "contextmenu",
] as const;
const CSS = `
  .frame { position: fixed; box-sizing: border-box; border: 2px solid #0f766e; border-radius: 4px;
    background: rgb(15 118 110 / 12%); outline: 2px solid rgb(255 255 255 / 80%);
    pointer-events: none; }
  .words { position: fixed; top: 8px; left: 50%; transform: translateX(-50%); padding: 6px 12px;
    border-radius: 6px; background: #0b3b37; color: #fff; font: 13px/1.4 system-ui, sans-serif;
    pointer-events: none; white-space: nowrap; }
`;

interface Overlay {
  readonly ask: string;
  readonly host: HTMLElement;
  readonly frame: HTMLElement;
  readonly stop: AbortController;
  found: Looked;
  over: boolean;
}

let overlay: Overlay | null = null;
let unasked: ReturnType<typeof setTimeout> | undefined;

/** Shows it unless it is there, and tells what was pointed at so far. */
export function look(ask: string, words: string): Looked {
  clearTimeout(unasked);
  unasked = setTimeout(endLook, UNASKED_MS);
  if (overlay?.ask !== ask) {
    endLook();
    overlay = show(ask, words);
  }
  return overlay.found;
}

/** Takes it away. */
export function endLook(): void {
  clearTimeout(unasked);
  if (!overlay) return;
  hide(overlay);
  // Once it has what it wants, the rest of the click is still to be kept from the page.
  if (!overlay.over) overlay.stop.abort();
  overlay = null;
}

function show(ask: string, words: string): Overlay {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "closed" });
  const style = document.createElement("style");
  style.textContent = CSS;
  const frame = document.createElement("div");
  frame.className = "frame";
  frame.hidden = true;
  root.append(style, frame);
  if (window === window.top) {
    const hint = document.createElement("div");
    hint.className = "words";
    hint.textContent = words;
    root.append(hint);
  }
  // In the top layer: a dialog of the page must not lie over it.
  host.popover = "manual";
  host.style.cssText =
    "all:initial;position:fixed;inset:0;width:0;height:0;border:0;padding:0;overflow:visible;" +
    "pointer-events:none;background:none";
  document.documentElement.append(host);
  host.showPopover();
  const made: Overlay = {
    ask,
    host,
    frame,
    stop: new AbortController(),
    found: none(),
    over: false,
  };
  listen(made);
  return made;
}

function none(): Looked {
  return { cancelled: false };
}

function listen(at: Overlay): void {
  const options = { capture: true, signal: at.stop.signal } as const;
  window.addEventListener("pointermove", (event) => event.isTrusted && point(at, event), options);
  document.addEventListener(
    "pointerleave",
    () => {
      at.frame.hidden = true;
    },
    options,
  );
  for (const type of SWALLOWED) {
    window.addEventListener(type, (event) => press(at, event), { ...options, passive: false });
  }
  window.addEventListener(
    "keydown",
    (event) => {
      if (!event.isTrusted || event.key !== "Escape" || at.over) return;
      swallow(event);
      at.found = { cancelled: true };
      finish(at);
    },
    options,
  );
}

function point(at: Overlay, event: MouseEvent): void {
  const element = at.over ? null : elementAt(event);
  at.frame.hidden = element === null;
  if (!element) return;
  const { left, top, width, height } = element.getBoundingClientRect();
  const px = { left, top, width, height };
  for (const [name, value] of Object.entries(px)) at.frame.style.setProperty(name, `${value}px`);
}

function press(at: Overlay, event: MouseEvent): void {
  if (!event.isTrusted) return;
  swallow(event);
  if (event.type === "click" && at.over) setTimeout(() => at.stop.abort(), 0);
  if (event.type !== "pointerdown" || at.over || event.button !== 0) return;
  const element = elementAt(event);
  if (!element) return;
  at.found = { element: described(element), cancelled: false };
  finish(at);
}

/** It has what it wants: nothing is shown any more, and the rest of the click goes nowhere. */
function finish(at: Overlay): void {
  at.over = true;
  hide(at);
  setTimeout(() => at.stop.abort(), CLICK_MS);
}

function hide(at: Overlay): void {
  at.host.remove();
}

function elementAt(event: MouseEvent): Element | null {
  const element = deepAt(event.clientX, event.clientY);
  return element ? actingAround(element) : null;
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
