//! A page's line to the worker. The worker may end at any time: connecting again wakes it.

import { runtime } from "../chrome";
import type { PopupAsk, PopupView } from "../popup-wire";

/** Asks the worker for something. */
export type Tell = (message: PopupAsk) => void;

/** Opens the line; `show` runs with each view. */
export function connect(name: string, show: (view: PopupView) => void): Tell {
  let port = open();
  function open(): chrome.runtime.Port {
    const made = runtime.connect({ name });
    made.onMessage.addListener(show);
    made.onDisconnect.addListener(() => {
      // An extension that was replaced under its page has no id any more.
      if (runtime.id) port = open();
    });
    return made;
  }
  return (message) => port.postMessage(message);
}

/** An element that the page's markup has. */
export function place(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}
