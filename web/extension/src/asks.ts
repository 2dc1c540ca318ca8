//! What an agent wants of the person, as it is shown, and the rules of asking: one prompt an agent,
//! three a minute, then a minute of silence. Pure.

import type { AskFor } from "../../wire/ask";
import type { WishKind } from "./approvals";
import { ASK_QUIET_MS, ASK_WINDOW_MS, ASKS_A_WINDOW, DECISIONS_KEPT } from "./limits";

export type AskKind = "first_contact" | "ask" | WishKind;

/** One prompt. All but the guard's own facts is hostile text. */
export interface Ask {
  readonly id: string;
  /** The agent by the name that it gave itself. */
  readonly client: string;
  /** What this computer saw of it. */
  readonly observed: { readonly program: string; readonly folder: string } | null;
  readonly session: string;
  /** Chrome's id, and Pillion's number. */
  readonly tab: number | null;
  readonly number: number | null;
  /** Origin. */
  readonly site: string | null;
  /** What would be done, in our own words: `press`. */
  readonly verb: string;
  /** What exactly: one line a thing. */
  readonly lines: readonly string[];
  /** The agent's own words; shown last, quoted. */
  readonly says: string;
  readonly kind: AskKind;
  /** What is remembered of a secret when the user says "always". */
  readonly keeps?: readonly string[];
  /** Of kind `ask`: what for, and what there is to choose from, in the agent's words. */
  readonly wanted?: { readonly kind: AskFor; readonly options: readonly string[] };
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly expires: number;
}

export type Decision =
  | "deny"
  | "deny_session"
  | "once"
  | "session"
  | "site"
  | "always"
  | "no"
  | "expired";

/** What is kept. */
export interface Asks {
  readonly open: readonly Ask[];
  readonly decided: readonly { readonly id: string; readonly decision: Decision }[];
  /** When each asker last asked, within the window. */
  readonly times: Readonly<Record<string, readonly number[]>>;
  /** Askers that are silent: until when, and how many prompts were denied meanwhile. */
  readonly quiet: Readonly<Record<string, { readonly until: number; readonly denied: number }>>;
  /** Denials in a row, by session and kind. */
  readonly denials: Readonly<Record<string, number>>;
}

export const NO_ASKS: Asks = { open: [], decided: [], times: {}, quiet: {}, denials: {} };

/** `busy`: the agent has a prompt already. `quiet`: it asked too often and is denied. */
export type Admission = "open" | "busy" | "quiet";

/** What the user can choose, the refusal first. A site's leave never covers code, files, secrets, payments. */
export function choicesOf(ask: Ask, asks: Asks): Decision[] {
  if (ask.kind === "first_contact") return ["no", "once", "always"];
  if (ask.kind === "ask") return ["deny", "once"];
  if (ask.keeps && ask.keeps.length > 0) return ["deny", "once", "always"];
  const denied = (asks.denials[`${ask.session} ${ask.kind}`] ?? 0) >= 2;
  return [
    "deny",
    ...(denied ? (["deny_session"] as const) : []),
    "once",
    // Each payment is a question of its own.
    ...(ask.kind === "pay" ? [] : (["session"] as const)),
    ...(ask.kind === "act" && ask.site !== null ? (["site"] as const) : []),
  ];
}

/** A prompt comes. */
export function admit(asks: Asks, ask: Ask, now: number): { asks: Asks; is: Admission } {
  const asker = askerOf(ask);
  if (asks.open.some((other) => askerOf(other) === asker)) return { asks, is: "busy" };
  const quiet = Object.hasOwn(asks.quiet, asker) ? asks.quiet[asker] : undefined;
  if (quiet && quiet.until > now) return { asks: silenced(asks, asker, quiet), is: "quiet" };
  const before = Object.hasOwn(asks.times, asker) ? (asks.times[asker] ?? []) : [];
  const lately = before.filter((time) => now - time < ASK_WINDOW_MS && time <= now);
  if (lately.length >= ASKS_A_WINDOW) {
    return { asks: silenced(asks, asker, { until: now + ASK_QUIET_MS, denied: 0 }), is: "quiet" };
  }
  const recently: readonly number[] = [...lately, now];
  const times = with_(live(asks.times, now), asker, recently);
  return { asks: { ...asks, open: [...asks.open, ask], times }, is: "open" };
}

/** The user chose, or time did. Unchanged when there is no such prompt or no such choice. */
export function decide(asks: Asks, id: string, decision: Decision): Asks {
  const ask = asks.open.find((other) => other.id === id);
  if (!ask) return asks;
  if (decision !== "expired" && !choicesOf(ask, asks).includes(decision)) return asks;
  const key = `${ask.session} ${ask.kind}`;
  const denied = decision === "deny" ? (asks.denials[key] ?? 0) + 1 : 0;
  return {
    ...asks,
    open: asks.open.filter((other) => other !== ask),
    decided: [...asks.decided, { id, decision }].slice(-DECISIONS_KEPT),
    denials: decision === "expired" ? asks.denials : recent(with_(asks.denials, key, denied)),
  };
}

/** Prompts whose time is over. */
export function overdue(asks: Asks, now: number): string[] {
  return asks.open.filter((ask) => ask.expires <= now).map((ask) => ask.id);
}

/** First contacts share one allowance: whoever asks under a new name each time gains nothing. */
function askerOf(ask: Ask): string {
  return ask.kind === "first_contact" ? "first contact" : `client ${ask.client}`;
}

function silenced(
  asks: Asks,
  asker: string,
  quiet: { readonly until: number; readonly denied: number },
): Asks {
  return {
    ...asks,
    quiet: recent(with_(asks.quiet, asker, { until: quiet.until, denied: quiet.denied + 1 })),
  };
}

/** Own properties only: a name such as `__proto__` is one like any other. */
function with_<T>(record: Readonly<Record<string, T>>, key: string, value: T): Record<string, T> {
  const others = Object.entries(record).filter(([name]) => name !== key);
  return Object.fromEntries([...others, [key, value]]);
}

function live(
  times: Readonly<Record<string, readonly number[]>>,
  now: number,
): Record<string, readonly number[]> {
  const fresh = Object.entries(times).filter(([, list]) =>
    list.some((time) => now - time < ASK_WINDOW_MS),
  );
  return Object.fromEntries(fresh);
}

function recent<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).slice(-DECISIONS_KEPT));
}
