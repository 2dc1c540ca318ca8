//! Approvals as they are kept, and the questions for them. They outlive the worker; "always on this
//! site" outlives the browser's run, until a rule is changed.

import {
  type Approvals,
  type Leave,
  leavesOf,
  NO_APPROVALS,
  standing,
  superseded,
  type Wanted,
  withAsked,
  withDecision,
  withoutClient,
  withoutLeave,
  withPermits,
} from "./approvals";
import type { Ask, Decision } from "./asks";
import { asks, onDecision, raise, settle } from "./asks-store";
import { storage } from "./chrome";
import { Fault } from "./fault";
import { APPROVAL_MS, APPROVALS_KEPT } from "./limits";
import { emit } from "./outbox";
import { allow } from "./secret-leave";
import { Stored } from "./stored";

const kept = new Stored<{ approvals: Approvals }>(storage.session, "approvals", {
  approvals: NO_APPROVALS,
});
const keptSites = new Stored<{ sites: readonly string[] }>(storage.local, "approvedSites", {
  sites: [],
});

/** Resolves when the approvals of the last life were read. */
export const approvalsReady: Promise<unknown> = Promise.all([kept.ready, keptSites.ready]);

onDecision((id, decision, ask) => void decided(id, decision, ask));

async function decided(id: string, decision: Decision, ask: Ask): Promise<void> {
  if (decision === "always" && ask.keeps) await allow(ask.keeps);
  const { approvals, site } = withDecision(kept.value.approvals, id, decision, Date.now());
  await put(approvals);
  if (site !== null) {
    await keptSites.change((value) => {
      value.sites = [...value.sites.filter((key) => key !== site), site].slice(-APPROVALS_KEPT);
    });
  }
  emit({ event: "decided", id });
}

function put(approvals: Approvals): Promise<void> {
  return kept.change((value) => {
    value.approvals = approvals;
  });
}

/** What a prompt shows beside what the approval is bound to. */
export type Shown = Pick<Ask, "observed" | "number" | "verb" | "lines" | "keeps">;

/** Returns when the user allowed it; throws that it waits, or that it was denied. */
export async function approve(wanted: Wanted, shown: Shown): Promise<void> {
  const now = Date.now();
  const found = standing(kept.value.approvals, keptSites.value.sites, wanted, now);
  await put(found.after);
  switch (found.is) {
    case "allowed":
      return;
    case "denied":
      throw new Fault("APPROVAL_DENIED", "the user said no");
    case "pending":
      throw pending(found.id);
    case "unknown":
      return ask(wanted, shown, now);
  }
}

async function ask(wanted: Wanted, shown: Shown, now: number): Promise<void> {
  // What the page no longer offers is not asked any more.
  for (const id of superseded(kept.value.approvals, wanted)) await settle(id, "expired");
  const id = crypto.randomUUID();
  const made: Ask = {
    id,
    client: wanted.client,
    session: wanted.session,
    tab: wanted.tab,
    site: wanted.origin,
    kind: wanted.kind,
    says: "",
    since: now,
    expires: now + APPROVAL_MS,
    ...shown,
  };
  await put(withAsked(kept.value.approvals, id, wanted, now));
  const is = await raise(made);
  if (is === "open") throw pending(id);
  await put(withDecision(kept.value.approvals, id, "expired", now).approvals);
  if (is === "quiet") {
    throw new Fault("APPROVAL_DENIED", "it asked too often and is not shown for a minute");
  }
  const other = asks().open.find((open) => open.client === wanted.client);
  throw new Fault(
    "APPROVAL_PENDING",
    "another question of this agent waits for the user",
    other?.id,
  );
}

/** Each act of a list that was allowed passes once. */
export function permit(acts: readonly Wanted[]): Promise<void> {
  return put(withPermits(kept.value.approvals, crypto.randomUUID(), acts, Date.now()));
}

/** Whether a wish would be let through without a question. Uses nothing up. */
export function isAllowed(wanted: Wanted): boolean {
  const { approvals } = kept.value;
  return standing(approvals, keptSites.value.sites, wanted, Date.now()).is === "allowed";
}

/** What was allowed for a session or a site. */
export function leaves(): Leave[] {
  return leavesOf(kept.value.approvals, keptSites.value.sites);
}

/** The user takes a leave back. */
export async function revoke(key: string): Promise<void> {
  const leave = leaves().find((one) => one.key === key);
  if (!leave) return;
  await put(withoutLeave(kept.value.approvals, leave));
  await keptSites.change((value) => {
    value.sites = value.sites.filter((other) => other !== key);
  });
}

function pending(id: string): Fault {
  return new Fault("APPROVAL_PENDING", "the user was asked and has not answered", id);
}

/** An agent was stopped, or (`null`) all: what waits ends, what was allowed does not hold any more. */
export async function dropApprovals(client: string | null): Promise<void> {
  await put(withoutClient(kept.value.approvals, client));
  const open = asks().open.filter((ask) => client === null || ask.client === client);
  for (const { id } of open) await settle(id, "expired");
}

/** Agents may do nothing in a tab any more: what waits there ends. */
export async function dropAsksOf(tab: number): Promise<void> {
  for (const { id } of asks().open.filter((ask) => ask.tab === tab)) await settle(id, "expired");
}

/** The user changed a rule: "always" was said under another one. */
export async function dropSites(): Promise<void> {
  await put({ ...kept.value.approvals, sessions: [] });
  await keptSites.change((value) => {
    value.sites = [];
  });
}
