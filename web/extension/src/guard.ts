//! The guard: may this verb be done at all? Pure; it sees facts and decides. The daemon is not
//! trusted: what is not allowed here does not happen, whatever it says.

import type { VerbError } from "../../wire/link";
import type { Verb } from "../../wire/verb";
import type { Sharing } from "./settings";
import { mayOpen, mayTouch } from "./url-rule";

/** What is known of one tab. */
export interface TabFacts {
  /** A session opened it, or a tab of a session did. */
  readonly own: boolean;
  /** The user shares it. */
  readonly shared: boolean;
  /** Address of the committed document. */
  readonly url: string;
  /** Chrome put it to sleep: its page never answers. */
  readonly asleep: boolean;
}

export interface Facts {
  readonly consent: boolean;
  readonly sharing: Sharing;
  /** The user stopped or paused whoever asks, or the verb's tab, or everything. */
  readonly stopped: boolean;
  /** The verb's tab, where it names one; null when Chrome has no such tab. */
  readonly tab: TabFacts | null;
}

/** Why the guard refuses; null when the verb may be done. */
export function refusal(verb: Verb, facts: Facts): VerbError | null {
  if (!facts.consent) {
    return no("PAIRING_PENDING", "the user has not yet let agents use this profile");
  }
  if (facts.sharing === "paused") {
    return no("STOPPED_BY_USER", "the user paused agents in this profile");
  }
  if (facts.stopped && !isHousekeeping(verb)) {
    return no("STOPPED_BY_USER", "the user stopped agents here");
  }
  switch (verb.verb) {
    case "tabs":
    case "hold":
    case "activity":
      return null;
    case "open":
      return mayOpen(verb.url) ? null : badUrl();
    case "navigate":
      return tabRefusal(facts.tab) ?? (mayOpen(verb.url) ? null : badUrl());
    case "close":
    case "focus":
    case "detach":
    case "release":
    case "dialog":
    case "history":
      return tabRefusal(facts.tab);
    case "page":
    case "cdp":
    case "attach":
    case "evaluate":
    case "screenshot":
    case "upload":
    case "catch_chooser":
    case "adopt":
    case "console":
    case "capture":
    case "inspect":
      return tabRefusal(facts.tab) ?? pageRefusal(facts.tab);
    default:
      return no("POLICY", "the extension knows no such verb");
  }
}

/** What tells or gives back, and does nothing to a page. */
function isHousekeeping(verb: Verb): boolean {
  return ["hold", "activity", "release", "detach"].includes(verb.verb);
}

/** One answer for a tab that is not there and one that is not shared: neither may be told apart. */
function tabRefusal(tab: TabFacts | null): VerbError | null {
  if (tab && (tab.own || tab.shared)) return null;
  return no("TAB_NOT_SHARED", "the user does not share that tab with agents");
}

function pageRefusal(tab: TabFacts | null): VerbError | null {
  if (!tab || !mayTouch(tab.url)) {
    return no("PROTECTED_PAGE", "extensions and Pillion keep off pages of that kind");
  }
  return tab.asleep ? no("TAB_DISCARDED", "Chrome put the tab to sleep") : null;
}

function badUrl(): VerbError {
  return no("URL_NOT_ALLOWED", "agents may open http and https pages only");
}

function no(code: VerbError["code"], message: string): VerbError {
  return { code, message };
}
