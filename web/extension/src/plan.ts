//! The verb `plan`: a list of acts is one question with all its lines. Each act of it is looked at as it
//! will be when it comes, and then passes once, while it is just that.

import type { Asker } from "../../wire/link";
import type { Planned, Verb } from "../../wire/verb";
import type { Wanted, WishKind } from "./approvals";
import { approve, isAllowed, permit } from "./approvals-store";
import { Fault } from "./fault";
import { type Asking, digest, Gate, groupsOf, isOfTab, type OfTab } from "./gate";
import { PLAN_ACTS } from "./limits";
import { strings } from "./strings";
import type { Call } from "./verbs/context";

type Request = Extract<Verb, { verb: "plan" }>;

/** Asks for a list. Returns once it may be begun. */
export async function plan(request: Request, asker: Asker, call: Call): Promise<Planned> {
  const { tab, acts } = request;
  const gate = new Gate(request, asker, call);
  await gate.read();
  if (acts.length === 0 || acts.length > PLAN_ACTS) return { asks: gate.someAsk };
  const asked: Asking[] = [];
  for (const act of acts) {
    if (!isPlanned(act, tab)) throw new Fault("POLICY", "a list is one of fields and presses");
    const asking = await wishOf(act, asker, call);
    if (asking && !isAllowed(asking.wanted)) asked.push(asking);
  }
  const [first] = asked;
  const { origin, document } = first?.wanted ?? { origin: "", document: "" };
  // One question is for one site; what is elsewhere is asked for when it comes.
  const list = asked.filter(({ wanted }) => wanted.origin === origin);
  if (!first || list.length < 2) return { asks: gate.someAsk };
  const wants = list.map(({ wanted }) => wanted);
  const wanted: Wanted = {
    ...first.wanted,
    document,
    kind: strictestKind(wants.map(({ kind }) => kind)),
    verb: "list",
    hash: await digest(JSON.stringify(wants.map(({ verb, hash }) => [verb, hash]))),
    element: JSON.stringify(wants.map((one) => [one.document, one.element])),
  };
  const lines = list.map(({ shown }) => [shown.verb, ...shown.lines].filter(Boolean).join(" · "));
  await approve(wanted, { ...first.shown, verb: strings.asks.list(list.length), lines, keeps: [] });
  await permit(wants);
  return { asks: true };
}

/** An act that cannot be looked at yet is left to its own question. */
async function wishOf(act: OfTab, asker: Asker, call: Call): Promise<Asking | null> {
  const gate = new Gate(act, asker, call);
  await gate.read();
  try {
    const asking = await gate.wish(groupsOf(act));
    // What would be remembered for good is a question of its own.
    return asking && (asking.shown.keeps?.length ?? 0) === 0 ? asking : null;
  } catch (error) {
    if (error instanceof Fault && LATER.has(error.code)) return null;
    throw error;
  }
}

const LATER: ReadonlySet<string> = new Set([
  "REF_GONE",
  "ELEMENT_HIDDEN",
  "ELEMENT_DISABLED",
  "ELEMENT_COVERED",
  "ELEMENT_READONLY",
  "TARGET_NOT_FOUND",
  "APPROVAL_DENIED",
  "SECRET_TAINTED",
  "SECRET_WRONG_ORIGIN",
  "INVALID_ARGUMENT",
]);

function isPlanned(act: Verb, tab: number): act is OfTab {
  if (!isOfTab(act) || act.tab !== tab) return false;
  const isFill = act.verb === "page" && act.call.op === "fill" && act.documents?.length === 1;
  return isFill || act.verb === "press" || act.verb === "fill_secret";
}

/** What a list is asked for as: an approval for a whole site never covers secrets and payments. */
function strictestKind(kinds: readonly WishKind[]): WishKind {
  return kinds.find((kind) => kind === "secret") ?? kinds.find((kind) => kind === "pay") ?? "act";
}
