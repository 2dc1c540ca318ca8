//! Which element input would reach, through frames of other sites: what an approval is bound to, looked
//! up again right before the input is sent.

import type { Element, PageCall, Point } from "../../wire/page";
import type { CdpCommand } from "../../wire/verb";
import { scripting } from "./chrome";
import { Fault } from "./fault";
import { commandGroup, paramOf } from "./levels";
import { AIM_DEPTH } from "./limits";
import type { Place, Places } from "./places";
import { until } from "./wait";

/** An element in its document. */
export interface Target {
  readonly place: Place;
  readonly element: Element;
  /** Where its form goes. */
  readonly form: string | null;
  /** The point in its document's own viewport, when it was looked for by one. */
  readonly at?: Spot;
  /** It may cost money. */
  readonly pays?: boolean;
}

/** What the page agent tells of an element. */
interface Told {
  readonly element: Element;
  readonly form: string | null;
  readonly pays: boolean;
}

/** What the page agent's `aim…` give. */
type Aimed = Told | { token: string; x: number; y: number };

/** What the page agent's `pressPoint` gives. */
type Pressable =
  | (Told & { readonly point: Point })
  | { readonly refused: "ELEMENT_HIDDEN" | "ELEMENT_DISABLED" | "ELEMENT_COVERED" };

/** Puts the agent into a document; from `verbs/page.ts`, which knows how. */
export type Inject = (tab: number, document: string) => Promise<unknown>;
/** Tokens of the tab's documents, by document. */
export type Tokens = () => Promise<ReadonlyMap<string, string>>;

/** What is needed of a tab to look for a target in it. */
export interface Field {
  readonly tab: number;
  readonly places: Places;
  readonly inject: Inject;
  readonly tokens: Tokens;
  readonly signal: AbortSignal;
}

/** A point of the tab's viewport; the focus when null. */
export type Spot = { readonly x: number; readonly y: number } | null;

/** Where the acts of a batch go; each once. Pure. */
export function pointsOf(commands: readonly CdpCommand[]): Spot[] {
  const found = new Map<string, Spot>();
  for (const command of commands) {
    if (commandGroup(command) !== "act" && commandGroup(command) !== "move") continue;
    const [x, y] = [paramOf(command, "x"), paramOf(command, "y")];
    const point = typeof x === "number" && typeof y === "number" ? { x, y } : null;
    if (point === null && commandGroup(command) === "move") continue;
    found.set(point ? `${point.x} ${point.y}` : "", point);
  }
  return [...found.values()];
}

/** The element at a point of the tab, or with its focus. */
export async function targetAt(field: Field, point: Spot): Promise<Target> {
  let place = field.places.top;
  let at = point;
  let tokens: ReadonlyMap<string, string> | null = null;
  for (let depth = 0; place && depth < AIM_DEPTH; depth += 1) {
    const aimed: Aimed | null = await inDocument(field, place, at, point === null);
    if (!aimed) throw new Fault("TARGET_NOT_FOUND", "nothing is there that could take the input");
    if ("element" in aimed) return { place, at: point && at, ...aimed };
    tokens ??= await field.tokens();
    const inner = [...tokens].find(([, token]) => token === aimed.token)?.[0];
    at = { x: aimed.x, y: aimed.y };
    place = field.places.all.find((one) => one.document === inner) ?? null;
  }
  if (field.places.never.size > 0) {
    throw new Fault("SITE_BLOCKED", "the input would go to a frame that a rule keeps agents off");
  }
  throw new Fault("POLICY", "it cannot be told which frame the input would go to");
}

/** An element by its document and number. */
export async function targetOf(field: Field, document: string, id: number): Promise<Target> {
  const place = field.places.all.find((one) => one.document === document);
  const aimed = place && ((await ask(field, place, "aimOf", [id])) as Aimed | null);
  if (!place || !aimed || !("element" in aimed)) {
    throw new Fault("REF_GONE", "the element is gone");
  }
  return { place, ...aimed };
}

/** An element and the point of the tab's viewport where a press reaches it now. */
export async function pressAt(
  field: Field,
  document: string,
  id: number,
  how: "press" | "grab" | "drop",
): Promise<{ target: Target; point: Point }> {
  const own = field.places.all.find((one) => one.document === document);
  const found = own && ((await ask(field, own, "pressPoint", [id, how])) as Pressable | null);
  if (!own || !found) throw new Fault("REF_GONE", "the element is gone");
  if ("refused" in found) throw new Fault(found.refused, "a press would not reach it");
  const { point, ...told } = found;
  const target = { place: own, ...told };
  let place: Place = own;
  let at: Point | null = point;
  let tokens: ReadonlyMap<string, string> | null = null;
  for (let depth = 0; place.frame !== 0 && depth < AIM_DEPTH; depth += 1) {
    tokens ??= await field.tokens();
    const { parent, document }: Place = place;
    const above: Place | undefined = field.places.all.find((one) => one.frame === parent);
    if (!above || above.rule === "never") {
      throw new Fault("SITE_BLOCKED", "the pages around that frame may not be looked at");
    }
    at = (await ask(field, above, "pointAbove", [
      tokens.get(document) ?? "",
      at.x,
      at.y,
    ])) as Point | null;
    if (!at) throw new Fault("ELEMENT_COVERED", "a press would not reach its frame");
    place = above;
  }
  if (place.frame !== 0) throw new Fault("POLICY", "its frame lies too deep to be pressed");
  return { target, point: at };
}

/** The element that gets keys; the named one gets the focus first. */
export async function keysAt(
  field: Field,
  named: { readonly document: string; readonly element: number } | null,
): Promise<Target> {
  const is = (target: Target) =>
    !named || (target.place.document === named.document && target.element.id === named.element);
  const first = await targetAt(field, null).catch(() => null);
  if (first && is(first)) return first;
  const place = field.places.all.find((one) => one.document === named?.document);
  if (!place || !named) throw new Fault("NO_FOCUS", "nothing has the focus");
  await ask(field, place, "call", [{ op: "focus", id: named.element, caret: "keep" }]);
  const then = await targetAt(field, null);
  if (!is(then)) throw new Fault("NO_FOCUS", "the element does not keep the focus");
  return then;
}

/** Whether a call that looks would act, too. */
export async function wouldAct(field: Field, document: string, call: PageCall): Promise<boolean> {
  const place = field.places.all.find((one) => one.document === document);
  if (!place) return false;
  return (await ask(field, place, "doesAct", [call])) === true;
}

async function inDocument(
  field: Field,
  place: Place,
  at: Spot,
  byFocus: boolean,
): Promise<Aimed | null> {
  const asked =
    byFocus || !at ? ask(field, place, "aimFocus", []) : ask(field, place, "aimAt", [at.x, at.y]);
  return (await asked) as Aimed | null;
}

type Question =
  | "aimAt"
  | "aimFocus"
  | "aimOf"
  | "doesAct"
  | "pressPoint"
  | "pointAbove"
  | "lookForSecret"
  | "call";

/** Asks the agent of a document, which is put there when it is missing. */
export async function ask(
  field: Field,
  { document }: Pick<Place, "document">,
  question: Question,
  args: readonly unknown[],
): Promise<unknown> {
  const target = { tabId: field.tab, documentIds: [document] };
  const once = async () => {
    const [result] = await scripting.executeScript({
      target,
      func: askAgent,
      args: [question, [...args]],
      injectImmediately: true,
    });
    return result?.result as { told?: unknown } | null | undefined;
  };
  const run = async () => {
    const first = await once();
    if (first) return first.told ?? null;
    await field.inject(field.tab, document);
    return (await once())?.told ?? null;
  };
  return until(run(), field.signal);
}

/** Runs in the page's isolated world. */
async function askAgent(question: Question, args: unknown[]): Promise<unknown> {
  const world = globalThis as {
    __pillion?: Record<string, (...given: unknown[]) => unknown>;
  };
  const answer = world.__pillion?.[question];
  return answer ? { told: await answer(...args) } : null;
}
