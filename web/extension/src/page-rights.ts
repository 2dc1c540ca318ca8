//! Which of our own pages may say what. A page in a tab is within a debugger's reach, so it may only
//! tighten; popup, side panel and the options inside Chrome's own page may do everything. Pure.

import type { PopupAsk } from "./popup-wire";

/** `tighten`: what leaves agents less than before. */
export type Rights = "all" | "tighten";

/** What is looked at of a sender. */
export interface Sender {
  readonly id?: string | undefined;
  readonly url?: string | undefined;
  readonly tab?: object | undefined;
  readonly frameId?: number | undefined;
}

/** The rights of who opened a port; null for who is not heard at all. */
export function rightsOf(sender: Sender | undefined, id: string, origin: string): Rights | null {
  if (sender?.id !== id || !sender.url?.startsWith(origin)) return null;
  if (sender.tab === undefined) return "all";
  return sender.frameId === 0 ? "tighten" : null;
}

/** Whether a page of such rights may ask that. */
export function mayAsk(rights: Rights, message: PopupAsk): boolean {
  return rights === "all" || tightens(message);
}

function tightens(message: PopupAsk): boolean {
  switch (message.ask) {
    case "consent":
      return message.granted === false;
    case "share":
    case "share_all":
      return message.on === false;
    case "sharing":
      return message.sharing === "paused";
    case "halt":
    case "halt_all":
      // A pause in the place of a stop would be a loosening.
      return message.halt === "stop";
    case "halt_tab":
      return message.on === true;
    case "rule":
    case "kind":
      return message.rule === "never";
    case "disconnect":
    // Asked anew is less than before.
    case "revoke":
    case "revoke_secret":
    case "retry":
      return true;
    case "quiet":
      return message.on === true;
    case "shield":
    case "cursor":
    case "label":
    case "decide":
    case "forget_contact":
    case "notify":
    case "sign":
    case "seen_repinned":
    case "renew":
    case "pair":
      return false;
    default:
      return false;
  }
}
