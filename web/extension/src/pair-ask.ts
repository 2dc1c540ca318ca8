//! The worker's side of pairing by code: one attempt at a time, and how the last one ended.

import { forgetIdentity } from "./identity";
import type { Link } from "./link";
import { type PairingView, readCode } from "./pairing";

let now: PairingView = { is: "idle" };

/** Where the attempt stands. */
export function pairingView(): PairingView {
  return now;
}

/** Tries the code that was typed. `show` is called when the popup has something new to show. */
export async function pair(typed: string, link: Link, show: () => void): Promise<void> {
  if (now.is === "trying") return;
  const code = readCode(typed);
  if (code === null) {
    now = { is: "failed", why: "not_a_code" };
    return;
  }
  now = { is: "trying" };
  show();
  try {
    const failure = await link.pair(code);
    now = failure === null ? { is: "idle" } : { is: "failed", why: failure };
  } catch (error) {
    console.warn("pillion: pairing failed", error);
    now = { is: "failed", why: "failed" };
  }
}

/** Forgets the key pair and the pinned daemon: the profile is a new one to every daemon. */
export async function forgetPairing(link: Link): Promise<void> {
  now = { is: "idle" };
  await forgetIdentity();
  link.restart();
}
