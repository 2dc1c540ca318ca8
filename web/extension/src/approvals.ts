//! What the user allowed, to whom and for how long. An approval is bound to everything that was shown;
//! what differs in anything is asked anew. Pure.

import type { Decision } from "./asks";
import { APPROVAL_MS, APPROVALS_KEPT } from "./limits";

/** `pay`: an act that may cost money. Only `act` is ever allowed for a whole site. */
export type WishKind = "act" | "pay" | "code" | "files" | "secret" | "trace";

/** Everything that an approval is bound to. */
export interface Wanted {
  readonly client: string;
  readonly session: string;
  readonly tab: number;
  /** The document that the act is for. */
  readonly document: string;
  /** Its origin. */
  readonly origin: string;
  readonly kind: WishKind;
  readonly verb: string;
  /** Of the arguments. */
  readonly hash: string;
  /** Number, role, name and form action of the element; empty without one. */
  readonly element: string;
}

/** One question that was asked. */
export interface Asked {
  readonly id: string;
  readonly wanted: Wanted;
  /** Null while it waits. */
  readonly decision: "once" | "deny" | null;
  /** When it was asked or decided, milliseconds since 1970. */
  readonly at: number;
}

/** What is kept for the browser's run. */
export interface Approvals {
  readonly asked: readonly Asked[];
  /** Sessions that may do a kind of thing on an origin. */
  readonly sessions: readonly string[];
  /** Sessions that may not ask for a kind of thing any more. */
  readonly refused: readonly string[];
}

export const NO_APPROVALS: Approvals = { asked: [], sessions: [], refused: [] };

/** What is known of a wish. `unknown`: it has to be asked. */
export type Standing =
  | { readonly is: "allowed" | "denied" | "unknown"; readonly after: Approvals }
  | { readonly is: "pending"; readonly id: string; readonly after: Approvals };

/** Looks a wish up; an answer for one use is used up by it. */
export function standing(
  approvals: Approvals,
  sites: readonly string[],
  wanted: Wanted,
  now: number,
): Standing {
  const after = fresh(approvals, now);
  if (after.refused.includes(refusalKey(wanted))) return { is: "denied", after };
  const known = after.asked.find((asked) => isSame(asked.wanted, wanted));
  if (known?.decision === null) return { is: "pending", id: known.id, after };
  const used = { ...after, asked: after.asked.filter((asked) => asked !== known) };
  if (known?.decision === "deny") return { is: "denied", after: used };
  const ofSession = wanted.kind !== "pay" && after.sessions.includes(sessionKey(wanted));
  if (ofSession) return { is: "allowed", after };
  if (wanted.kind === "act" && sites.includes(siteKey(wanted))) return { is: "allowed", after };
  return known ? { is: "allowed", after: used } : { is: "unknown", after };
}

/** A question was put to the user. */
export function withAsked(
  approvals: Approvals,
  id: string,
  wanted: Wanted,
  now: number,
): Approvals {
  const asked = [...approvals.asked, { id, wanted, decision: null, at: now }];
  return { ...approvals, asked: asked.slice(-APPROVALS_KEPT) };
}

/** A list was allowed: each of its acts passes once. */
export function withPermits(
  approvals: Approvals,
  id: string,
  acts: readonly Wanted[],
  now: number,
): Approvals {
  const permits = acts.map((wanted): Asked => ({ id, wanted, decision: "once", at: now }));
  const others = approvals.asked.filter(
    ({ wanted, decision }) => decision !== "once" || !acts.some((act) => isSame(act, wanted)),
  );
  return { ...approvals, asked: [...others, ...permits].slice(-APPROVALS_KEPT) };
}

/** What a session, or an agent on a site, may do without being asked, as it is shown. */
export interface Leave {
  /** What names it when it is taken back. */
  readonly key: string;
  readonly for: "session" | "site";
  readonly client: string;
  readonly origin: string;
  readonly kind: WishKind;
}

/** What was allowed for longer than one use. */
export function leavesOf(approvals: Approvals, sites: readonly string[]): Leave[] {
  const session = approvals.sessions.flatMap((key): Leave[] => {
    const read = /^("(?:[^"\\]|\\.)*") "(?:[^"\\]|\\.)*" (.*) (\S+)$/.exec(key);
    if (!read) return [];
    const [, client = '""', origin = "", kind = ""] = read;
    const known = kind as WishKind;
    return [{ key, for: "session", client: JSON.parse(client), origin, kind: known }];
  });
  const site = sites.flatMap((key): Leave[] => {
    const read = /^("(?:[^"\\]|\\.)*") (.*)$/.exec(key);
    if (!read) return [];
    const [, client = '""', origin = ""] = read;
    return [{ key, for: "site", client: JSON.parse(client), origin, kind: "act" }];
  });
  return [...site, ...session];
}

/** A leave is taken back, and with it whatever its agent was allowed once on that site. */
export function withoutLeave(approvals: Approvals, leave: Leave): Approvals {
  return {
    ...approvals,
    sessions: approvals.sessions.filter((key) => key !== leave.key),
    asked: approvals.asked.filter(
      ({ wanted, decision }) =>
        decision !== "once" || wanted.client !== leave.client || wanted.origin !== leave.origin,
    ),
  };
}

/** The user, or time, decided. `site` is the key to be kept for the site, if that was chosen. */
export function withDecision(
  approvals: Approvals,
  id: string,
  decision: Decision,
  now: number,
): { readonly approvals: Approvals; readonly site: string | null } {
  const found = approvals.asked.find((asked) => asked.id === id);
  if (!found) return { approvals, site: null };
  const { wanted } = found;
  const others = approvals.asked.filter((asked) => asked !== found);
  const gone = { ...approvals, asked: others };
  switch (decision) {
    case "once":
    case "deny":
      return {
        approvals: { ...approvals, asked: [...others, { id, wanted, decision, at: now }] },
        site: null,
      };
    case "session":
      return {
        approvals: { ...gone, sessions: kept(approvals.sessions, sessionKey(wanted)) },
        site: null,
      };
    case "site":
      return { approvals: gone, site: wanted.kind === "act" ? siteKey(wanted) : null };
    case "deny_session":
      return {
        approvals: { ...gone, refused: kept(approvals.refused, refusalKey(wanted)) },
        site: null,
      };
    case "always":
      // What is kept for good of a secret is kept elsewhere; this use is allowed by it.
      return {
        approvals: { ...approvals, asked: [...others, { id, wanted, decision: "once", at: now }] },
        site: null,
      };
    case "no":
    case "expired":
      return { approvals: gone, site: null };
  }
}

/** An agent was stopped, or (`null`) all: nothing that it was allowed holds any more. */
export function withoutClient(approvals: Approvals, client: string | null): Approvals {
  if (client === null) return { ...NO_APPROVALS, refused: approvals.refused };
  const mine = (key: string) => key.startsWith(`${JSON.stringify(client)} `);
  return {
    ...approvals,
    asked: approvals.asked.filter((asked) => asked.wanted.client !== client),
    sessions: approvals.sessions.filter((key) => !mine(key)),
  };
}

/** Questions of the same agent for the same tab that still wait, and are about something else. */
export function superseded(approvals: Approvals, wanted: Wanted): string[] {
  return approvals.asked
    .filter(({ wanted: other, decision }) => decision === null && !isSame(other, wanted))
    .filter(({ wanted: { client, tab } }) => client === wanted.client && tab === wanted.tab)
    .map(({ id }) => id);
}

function fresh(approvals: Approvals, now: number): Approvals {
  const asked = approvals.asked.filter(({ at }) => now - at < APPROVAL_MS && at <= now);
  return { ...approvals, asked };
}

function isSame(one: Wanted, other: Wanted): boolean {
  return (Object.keys(one) as (keyof Wanted)[]).every((key) => one[key] === other[key]);
}

function siteKey({ client, origin }: Wanted): string {
  return `${JSON.stringify(client)} ${origin}`;
}

function sessionKey(wanted: Wanted): string {
  const { client, session, origin, kind } = wanted;
  return `${JSON.stringify(client)} ${JSON.stringify(session)} ${origin} ${kind}`;
}

function refusalKey({ session, kind }: Wanted): string {
  return `${JSON.stringify(session)} ${kind}`;
}

function kept(list: readonly string[], key: string): string[] {
  return [...list.filter((other) => other !== key), key].slice(-APPROVALS_KEPT);
}
