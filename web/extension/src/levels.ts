//! What each verb, page call and debugger command is, and what a site's rule says to it. One table;
//! pure. `guard.ts` decides whether a verb may be done at all, this decides it for a site.

import type { PageCall } from "../../wire/page";
import type { Emulation } from "../../wire/trying";
import type { CdpCommand, Verb } from "../../wire/verb";
import { GROUP_OF } from "./cdp-table";
import { isStricter, type Rule } from "./rules";

/** What a thing does to a page. */
export type Group =
  /** Tells or gives back; no page is touched. */
  | "manage"
  /** The tab as such: closed, shown, sent elsewhere. */
  | "tab"
  | "look"
  | "picture"
  | "bodies"
  /** Reload, history. */
  | "go"
  /** Window size and media. */
  | "view"
  | "emulate"
  /** A dialog's Cancel. */
  | "dismiss"
  /** Focus, scrolling, and a pointer without a button. */
  | "move"
  /** Presses, keys, values of fields. */
  | "act"
  /** A secret of the user's goes into a field. */
  | "secret"
  /** A script that can be held to reading. */
  | "script"
  | "code"
  | "mock"
  | "cookies"
  /** Stored values, told. */
  | "values"
  /** Cookies and stored values, written or deleted. */
  | "store"
  | "files"
  /** What the tab's frames do, traced. */
  | "trace";

/** `pure`: only without side effects. `names`: without values. `ask`: when the user says yes. */
export type Answer = "yes" | "no" | "ask" | "pure" | "names";

const YES = { read: "yes", ask: "yes", free: "yes" } as const;
const ASKED = { read: "no", ask: "ask", free: "yes" } as const;

/** Under `never` nothing but `manage` is done, and an agent's own tab may be taken away from there. */
const TABLE: Readonly<Record<Group, Readonly<Record<Exclude<Rule, "never">, Answer>>>> = {
  manage: YES,
  tab: YES,
  look: YES,
  picture: YES,
  bodies: YES,
  go: YES,
  view: YES,
  dismiss: YES,
  emulate: { read: "no", ask: "yes", free: "yes" },
  move: { read: "no", ask: "yes", free: "yes" },
  act: ASKED,
  secret: ASKED,
  script: { read: "pure", ask: "ask", free: "yes" },
  code: ASKED,
  mock: ASKED,
  store: ASKED,
  files: ASKED,
  values: ASKED,
  trace: { read: "no", ask: "ask", free: "ask" },
  cookies: { read: "names", ask: "names", free: "yes" },
};

/** What the rule says; `own` is whether an agent opened the tab. */
export function answerOf(group: Group, rule: Rule, own: boolean): Answer {
  if (rule !== "never") return TABLE[group][rule];
  return group === "manage" || (group === "tab" && own) ? "yes" : "no";
}

/** Where a site holds a secret, what could bring it to light is asked for, whatever the rule says. */
export function besideSecret(group: Group, answer: Answer): Answer {
  if (answer !== "yes") return answer;
  if (group === "cookies") return "names";
  return REVEALS.has(group) ? "ask" : answer;
}

const REVEALS: ReadonlySet<Group> = new Set(["script", "code", "mock", "store", "bodies"]);

/** The strictest of some rules. */
export function strictest(rules: readonly Rule[]): Rule {
  return rules.reduce<Rule>((found, rule) => (isStricter(rule, found) ? rule : found), "free");
}

/** The group of a verb; null for a batch, whose commands each have one. */
export function groupOf(verb: Verb): Group | null {
  switch (verb.verb) {
    case "tabs":
    case "hold":
    case "activity":
    case "release":
    case "detach":
    case "open":
    case "knock":
    case "ask":
    case "ask_end":
    case "secret_origins":
    // Each act of a list is looked at by itself.
    case "plan":
      return "manage";
    case "navigate":
    case "close":
    case "focus":
      return "tab";
    case "history":
      return "go";
    case "attach":
    case "console":
    case "inspect":
      return "look";
    case "capture":
      return verb.on ? "bodies" : "look";
    case "page":
      return pageGroup(verb.call);
    case "cdp":
      return null;
    case "evaluate":
      return "script";
    case "screenshot":
      return "picture";
    case "dialog":
      return verb.accept ? "act" : "dismiss";
    case "catch_chooser":
    case "adopt":
      return "move";
    case "upload":
      return "files";
    case "fill_secret":
      return "secret";
    case "press":
    case "keys":
      return "act";
    case "emulate":
      return isView(verb.wish) ? "view" : "emulate";
    case "mock":
      return "mock";
    // What is told of the end is held against the rules there.
    case "trace":
      return verb.on ? "trace" : "look";
    case "mocks":
    case "downloads":
      return "look";
    case "cookies":
      return verb.values === false ? "cookies" : "values";
    default:
      return "code";
  }
}

/** Whether a wish changes no more than size and look. */
function isView(wish: Emulation): boolean {
  const views = ["viewport", "colorScheme", "reducedMotion"];
  return Object.entries(wish).every(([name, value]) => value === null || views.includes(name));
}

/** The group of a call of the page agent. An option that `prepare` would choose is found elsewhere. */
export function pageGroup(call: PageCall): Group {
  switch (call.op) {
    case "hello":
    case "snapshot":
    case "text":
    case "extract":
    case "next_control":
    // The document's own address, asked for by the document itself.
    case "pdf":
    case "rects":
    case "resolve":
    case "describe":
    case "at":
    case "focused":
    case "through":
    case "baseline":
    case "settle":
    case "changes":
    case "fill_check":
    case "kept":
    case "wait":
    case "inspect":
    case "source_map":
    case "patches":
    case "audit":
    // Back to what the page was, or forgotten.
    case "unpatch":
    case "abort":
      return "look";
    case "patch":
      return "code";
    case "storage":
      if (call.what === "list") return call.values === false ? "cookies" : "values";
      return call.what === "get" ? "values" : "store";
    case "prepare":
      return call.act === "view" ? "look" : "move";
    case "focus":
    case "scroll":
      return "move";
    case "fill":
      return "act";
    default:
      return "act";
  }
}

const VIEW: readonly string[] = [
  "Emulation.setFocusEmulationEnabled",
  "Emulation.setDeviceMetricsOverride",
  "Emulation.clearDeviceMetricsOverride",
  "Emulation.setTouchEmulationEnabled",
  "Emulation.setEmulatedMedia",
];
const MOVES: readonly string[] = [
  "Input.setInterceptDrags",
  "DOM.focus",
  "DOM.scrollIntoViewIfNeeded",
];

/** The group of a debugger command; null when it is not in the table at all. */
export function commandGroup(command: CdpCommand): Group | null {
  const { method } = command;
  const type = paramOf(command, "type");
  switch (GROUP_OF.get(method)) {
    case undefined:
      return null;
    case "input":
      if (method === "Page.handleJavaScriptDialog") {
        return paramOf(command, "accept") === false ? "dismiss" : "act";
      }
      if (method === "Input.dispatchMouseEvent") {
        return type === "mouseMoved" || type === "mouseWheel" ? "move" : "act";
      }
      if (method === "Input.dispatchDragEvent") return type === "drop" ? "act" : "move";
      return MOVES.includes(method) ? "move" : "act";
    case "emulate":
      return VIEW.includes(method) ? "view" : "emulate";
    case "cookies":
      return method === "Network.getCookies" ? "cookies" : "store";
    case "code":
      return method === "Runtime.evaluate" ? "script" : "code";
    case "look":
      return "look";
    case "picture":
      return "picture";
    case "bodies":
      return "bodies";
    case "go":
      return "go";
  }
}

/** One parameter of a command. */
export function paramOf(command: CdpCommand, name: string): unknown {
  const { params } = command;
  if (typeof params !== "object" || params === null || Array.isArray(params)) return undefined;
  return Object.hasOwn(params, name) ? params[name] : undefined;
}
