//! The guard: may this verb be done at all? Pure; it sees facts and decides. The daemon is not
//! trusted: what is not allowed here does not happen, whatever it says.

import type { AskFor } from "../../wire/ask";
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
  /** The request says which agent it is for. */
  readonly named: boolean;
  /** What the user has not finished with in the verb's tab. */
  readonly asked: AskFor | null;
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
    return no("STOPPED_BY_USER", "agents are stopped here until the user lets them go on");
  }
  if (!facts.named && !isTheDaemons(verb)) {
    return no("POLICY", "a request that acts must say which agent it is for");
  }
  if (facts.asked !== null && !mayWhileAsked(verb)) {
    return no(
      "ASK_PENDING",
      `the user was asked in this tab (${facts.asked}) and has not finished. Nothing was done`,
    );
  }
  switch (verb.verb) {
    case "tabs":
    case "hold":
    case "activity":
    case "knock":
    case "ask_end":
    case "secret_origins":
      return null;
    case "ask":
      if (typeof verb.tab !== "number") return null;
      return tabRefusal(facts.tab) ?? pageRefusal(facts.tab);
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
    case "downloads":
      return tabRefusal(facts.tab);
    case "page":
      // What lies over a page for the user to point with is the extension's alone.
      if (verb.call.op === "look" || verb.call.op === "look_end") return unknown();
      return tabRefusal(facts.tab) ?? pageRefusal(facts.tab);
    case "cdp":
    case "press":
    case "keys":
    case "plan":
    case "attach":
    case "evaluate":
    case "screenshot":
    case "upload":
    case "fill_secret":
    case "catch_chooser":
    case "adopt":
    case "console":
    case "capture":
    case "inspect":
    case "emulate":
    case "mock":
    case "mocks":
    case "trace":
    case "cookies":
      return tabRefusal(facts.tab) ?? pageRefusal(facts.tab);
    default:
      return unknown();
  }
}

function unknown(): VerbError {
  return no("POLICY", "the extension knows no such verb");
}

/** Questions of the page that tell no more than whether something is there. */
const LOOKS_FOR: readonly string[] = ["hello", "wait", "resolve", "describe", "settle", "abort"];

/** What an agent's side may do in a tab that the user was asked in: look whether they are done. */
function mayWhileAsked(verb: Verb): boolean {
  if (verb.verb === "page") return LOOKS_FOR.includes(verb.call.op);
  return verb.verb === "ask" || isHousekeeping(verb);
}

/** What tells or gives back, and does nothing to a page. */
function isHousekeeping(verb: Verb): boolean {
  return ["hold", "activity", "release", "detach", "secret_origins"].includes(verb.verb);
}

/** What the daemon asks for by itself. */
function isTheDaemons(verb: Verb): boolean {
  return verb.verb === "tabs" || isHousekeeping(verb);
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
