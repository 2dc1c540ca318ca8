//! The debugger's `Input` commands without the debugger, in one document: for profiles in which the
//! user keeps it off, and for pages where Chrome refuses it.

import { insertText, type KeyCommand, key } from "./dom-keys.ts";
import { type MouseCommand, mouse } from "./dom-pointer.ts";

/** A command; points are in this document's own viewport. */
export type DomCommand =
  | { readonly method: "Input.dispatchMouseEvent"; readonly params: MouseCommand }
  | { readonly method: "Input.dispatchKeyEvent"; readonly params: KeyCommand }
  | { readonly method: "Input.insertText"; readonly params: { readonly text: string } };

/** Does them in order; gives how many were done. */
export function domInput(commands: readonly DomCommand[]): number {
  let done = 0;
  for (const command of commands) {
    switch (command.method) {
      case "Input.dispatchMouseEvent":
        if (!mouse(command.params)) return done;
        break;
      case "Input.dispatchKeyEvent":
        key(command.params);
        break;
      case "Input.insertText":
        insertText(command.params.text);
        break;
    }
    done += 1;
  }
  return done;
}
