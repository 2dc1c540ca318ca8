//! The network fence as data: which requests Chrome must not send while agents are at work. Pure.

import type { SiteRules } from "./rules";
import { builtIn, hostsOf, KINDS, LABEL_PATTERNS } from "./sensitive";

type Rule = chrome.declarativeNetRequest.Rule;
type Condition = chrome.declarativeNetRequest.RuleCondition;

/** Where the fence stands. */
export interface Ground {
  /** Tabs that agents work in. */
  readonly agents: readonly number[];
  /** Tabs that are the user's for certain. */
  readonly users: readonly number[];
  /** Hosts that the agents' tabs show. */
  readonly sites: readonly string[];
  /** A tab is just being opened for an agent, and has no number yet. */
  readonly opening: boolean;
}

/** `main_frame` is not among what Chrome takes when none is named. */
const TYPES = [
  "main_frame",
  "sub_frame",
  "stylesheet",
  "script",
  "image",
  "font",
  "object",
  "xmlhttprequest",
  "ping",
  "csp_report",
  "media",
  "websocket",
  "webtransport",
  "webbundle",
  "other",
] as chrome.declarativeNetRequest.ResourceType[];

/** Not in any tab: workers. */
const NO_TAB = -1;
/** An exact origin is more specific than any host. */
const EXACT = 1_000;
/** A built-in kind, where no rule of the user's is for a host of that kind. */
const KIND = 100;

/** One site of the rules: which requests are meant, and how specific that is. */
interface Site {
  readonly match: Condition;
  readonly host: string | null;
  readonly never: boolean;
  readonly priority: number;
}

/** The rules for Chrome; none while no site is `never` or no agent is there. */
export function fenceRules(rules: SiteRules, ground: Ground): Rule[] {
  if (ground.agents.length === 0 && !ground.opening) return [];
  const sites = [...sitesOf(rules)];
  if (!sites.some((site) => site.never)) return [];
  const conditions = [...scopesOf(ground)];
  const made: Omit<Rule, "id">[] = [];
  for (const { match, host, never, priority } of sites) {
    const action = {
      type: (never ? "block" : "allow") as chrome.declarativeNetRequest.RuleActionType,
    };
    for (const scope of conditions) {
      made.push({ action, priority, condition: { ...match, ...scope, resourceTypes: TYPES } });
    }
    // A worker of the site itself, in a tab of the user's, is none of ours.
    const own = host === null ? {} : { excludedInitiatorDomains: [host] };
    const workers = { ...match, ...own, tabIds: [NO_TAB], resourceTypes: TYPES };
    made.push({ action, priority, condition: workers });
  }
  return made.map((rule, index) => ({ id: index + 1, ...rule }));
}

function* scopesOf({ agents, users, sites, opening }: Ground): Generator<Condition> {
  if (agents.length > 0) yield { tabIds: [...agents] };
  // A tab without a number of ours is an agent's when a site of an agent's opens it.
  const excludedTabIds = [...new Set([...users, ...agents, NO_TAB])];
  if (opening) yield { excludedTabIds };
  else if (sites.length > 0) yield { excludedTabIds, initiatorDomains: [...new Set(sites)] };
}

function* sitesOf(rules: SiteRules): Generator<Site> {
  for (const { pattern, rule } of rules.sites) {
    const never = rule === "never";
    if (!pattern.startsWith("*.")) {
      const host = new URL(pattern).hostname;
      const socket = pattern.replace(/^http/, "ws");
      // The address of an origin has its path: a longer host is another one.
      for (const origin of [pattern, socket]) {
        yield { match: { urlFilter: `|${origin}/` }, host, never, priority: EXACT };
      }
      continue;
    }
    const host = pattern.slice(2);
    const labels = host.split(".").length;
    const kind = builtIn(host);
    const beatsKind = kind !== null && labels >= kind.suffix.split(".").length;
    const priority = labels + (beatsKind ? KIND * 2 : 0);
    yield { match: { requestDomains: [host] }, host, never, priority };
  }
  for (const kind of KINDS) {
    if (rules.sensitive[kind] !== "never") continue;
    for (const host of hostsOf(kind)) {
      yield { match: { requestDomains: [host] }, host, never: true, priority: KIND };
    }
    for (const regexFilter of LABEL_PATTERNS[kind] ?? []) {
      yield { match: { regexFilter }, host: null, never: true, priority: KIND };
    }
  }
}
