//! When the buttons of a prompt work: after it was visible, focused and unmoved for a while, so that a
//! click that was meant for something else cannot hit them. Pure.

import { ARM_MS } from "../limits";

/** One look at a prompt. */
export interface Look {
  /** Milliseconds of any steady clock. */
  readonly now: number;
  readonly visible: boolean;
  readonly focused: boolean;
  /** Where its buttons are. */
  readonly box: string;
}

/** Since when all has been well; null while it is not. */
export interface Arming {
  readonly since: number | null;
  readonly box: string;
}

export const UNARMED: Arming = { since: null, box: "" };

/** After one more look. */
export function looked(before: Arming, look: Look): Arming {
  if (!look.visible || !look.focused) return { since: null, box: look.box };
  if (before.since === null || before.box !== look.box) return { since: look.now, box: look.box };
  return before;
}

/** Whether the buttons work. */
export function isArmed(arming: Arming, now: number): boolean {
  return arming.since !== null && now - arming.since >= ARM_MS;
}
