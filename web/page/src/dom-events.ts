//! Events that we send ourselves, where trusted input cannot be had: made as a browser makes them, and
//! told to whoever asks later what became of them.

import { noteSent } from "./input-seen.ts";

/** `modifiers` of a debugger command: Alt 1, Control 2, Meta 4, Shift 8. */
export function modifierKeys(bits: number): EventModifierInit {
  return {
    altKey: (bits & 1) !== 0,
    ctrlKey: (bits & 2) !== 0,
    metaKey: (bits & 4) !== 0,
    shiftKey: (bits & 8) !== 0,
  };
}

/** Sends an event; false when the page kept its default from happening. */
export function send(target: EventTarget, event: Event): boolean {
  noteSent(event, target);
  return target.dispatchEvent(event);
}

/** What is common to all of them. */
export const COMMON = { bubbles: true, cancelable: true, composed: true } as const;
