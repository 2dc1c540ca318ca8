//! Stands between the guard and the verbs: which sites a verb is for, what their rules say, and whether
//! the user has to be asked. Looked up right before the verb is done, and once more after it.

import type { Asker } from "../../wire/link";
import type { Point } from "../../wire/page";
import type { CdpCommand, Verb } from "../../wire/verb";
import {
  type Field,
  keysAt,
  pointsOf,
  pressAt,
  type Target,
  targetAt,
  targetOf,
  wouldAct,
} from "./aim";
import type { Wanted } from "./approvals";
import { approve, type Shown } from "./approvals-store";
import { attachment } from "./attachment";
import { known } from "./book";
import { getTab } from "./chrome";
import { isKey } from "./compose";
import { Fault } from "./fault";
import { beforeActing, keepFence } from "./fence";
import {
  type Answer,
  answerOf,
  besideSecret,
  commandGroup,
  type Group,
  groupOf,
  paramOf,
  strictest,
} from "./levels";
import { AIM_TRIES, FOLLOW_UP_MS } from "./limits";
import { isNever, type Place, type Places, placesOf, ruleOf } from "./places";
import type { Rule } from "./rules";
import { lookAtSecret, type SecretPlace } from "./secret-place";
import { holdsSecret, refuseBesideHeld } from "./secret-store";
import { originOf } from "./url-rule";
import type { Call } from "./verbs/context";
import { inject, tokensOf } from "./verbs/page";
import { describeWish, PRESS, type Wish } from "./wish";

/** What a verb may do, and how it has to be done. */
export interface Pass {
  /** Frames that are left out of answers. */
  readonly never: ReadonlySet<number>;
  /** So many of them are to be seen. */
  readonly neverShown: number;
  /** Scripts must have no side effects. */
  readonly pure: boolean;
  /** Cookies are told without their values. */
  readonly names: boolean;
  /** Where a press goes: found here, or where nobody minds the daemon's own. */
  readonly point: Point | null;
  /** What a secret may be used for. */
  readonly secret: SecretPlace | null;
}

const ALL: Pass = {
  never: new Set(),
  neverShown: 0,
  pure: false,
  names: false,
  point: null,
  secret: null,
};

/** Lets a verb through, or throws why not. */
export async function enter(verb: Verb, asker: Asker | null, call: Call): Promise<Pass> {
  if ("url" in verb && isNever(verb.url)) throw blocked();
  if (verb.verb === "open") await keepFence();
  if (!isOfTab(verb)) return ALL;
  const groups = groupsOf(verb);
  if (groups.every((group) => group === "manage")) return ALL;
  const gate = new Gate(verb, asker, call);
  await gate.read();
  return gate.enter(groups);
}

/** After a verb: what is there now must be something that it would have been let through for. */
export async function leave(verb: Verb): Promise<void> {
  if (!isOfTab(verb)) return;
  const groups = groupsOf(verb);
  if (!groups.some((group) => TELLS.has(group))) return;
  const now = await getTab(verb.tab);
  const went = "the page went to a site that a rule keeps agents off";
  if (now && isNever(now.url ?? "")) throw new Fault("SITE_BLOCKED", went);
  // The verb itself looked which frames it has to paint over, before and after.
  if (!groups.includes("picture") || verb.verb === "screenshot") return;
  const { showsNever } = await placesOf(verb.tab, now?.url ?? "");
  if (showsNever) throw new Fault("SITE_BLOCKED", went);
}

const TELLS: ReadonlySet<Group> = new Set([
  "look",
  "picture",
  "bodies",
  "script",
  "code",
  "cookies",
  "values",
]);

export function groupsOf(verb: Verb): Group[] {
  if (verb.verb !== "cdp") return [groupOf(verb) ?? "code"];
  // What is not in the table is refused by it.
  return verb.commands.flatMap((command) => commandGroup(command) ?? []);
}

export type OfTab = Extract<Verb, { tab: number }>;

/** A question to the user does nothing in the tab that it names. */
export function isOfTab(verb: Verb): verb is OfTab {
  return "tab" in verb && verb.verb !== "ask";
}

/** Elements that the user said yes to lately: what one act sends in two steps is asked once. */
const followUps = new Map<string, { readonly end: number; readonly opens: string }>();

const NOWHERE: Places = {
  top: null,
  all: [],
  never: new Set(),
  showsNever: false,
  neverShown: 0,
};

/** One verb at the gate. */
export class Gate {
  readonly #verb: OfTab;
  readonly #asker: Asker | null;
  readonly #call: Call;
  #places: Places = NOWHERE;
  #rule: Rule = "free";

  constructor(verb: OfTab, asker: Asker | null, call: Call) {
    this.#verb = verb;
    this.#asker = asker;
    this.#call = call;
  }

  async read(): Promise<void> {
    const { tab } = this.#verb;
    const url = (await getTab(tab))?.url ?? "";
    this.#places = await placesOf(tab, url);
    this.#rule = this.#places.top?.rule ?? ruleOf(url);
  }

  async enter(groups: readonly Group[]): Promise<Pass> {
    for (let tries = 0; tries < AIM_TRIES; tries += 1) {
      const looked = await this.look(groups);
      const { answers, addressed } = looked;
      if (groups.some((group) => !QUIET.has(group))) await beforeActing(this.#verb.tab);
      const pass = {
        never: this.#places.never,
        neverShown: this.#places.neverShown,
        pure: answers.includes("pure"),
        names: answers.includes("names"),
        point: addressed.point ?? null,
        secret: addressed.secret ?? null,
      };
      const asks = this.#asks(looked);
      if (!asks) return pass;
      await this.#ask(groups, addressed);
      // The user may have thought for minutes, and a look costs nothing: what was shown must be there.
      const now = this.#verb.verb === "press" ? await this.#addressed(groups) : addressed;
      if (identity(now.targets) === identity(addressed.targets)) {
        return { ...pass, point: now.point ?? null };
      }
    }
    throw new Fault("REF_GONE", "the element changes all the time");
  }

  /** What the rules say, before anybody is asked. Throws where one says no. */
  async look(groups: readonly Group[]): Promise<Looked> {
    const { tab } = this.#verb;
    const own = known(tab)?.own === true;
    const holds = this.#places.all.some(({ url }) => holdsSecret(originOf(url)));
    const say = (rule: Rule) =>
      groups.map((group) => {
        const answer = answerOf(group, rule, own);
        return holds ? besideSecret(group, answer) : answer;
      });
    const answers: Answer[] = say(this.#rule);
    // Nothing of a batch is done when one part of it may not be.
    if (answers.includes("no")) throw this.#refused(this.#rule);
    const addressed = await this.#addressed(groups);
    const rule = strictest([this.#rule, ...addressed.rules]);
    if (rule !== this.#rule) {
      answers.push(...say(rule));
      if (answers.includes("no")) throw this.#refused(rule);
    }
    const verb = this.#verb;
    if (
      verb.verb === "cdp" &&
      answerOf("act", rule, own) === "ask" &&
      verb.commands.some(isInput)
    ) {
      throw new Fault("POLICY", "the user is asked here: an act must name its element");
    }
    return { answers, addressed };
  }

  #asks({ answers, addressed }: Looked): boolean {
    return answers.includes("ask") || (addressed.secret?.keeps.length ?? 0) > 0;
  }

  /** What the user would be asked; null when nobody is. For lists. */
  async wish(groups: readonly Group[]): Promise<Asking | null> {
    const looked = await this.look(groups);
    return this.#asks(looked) ? this.#asking(groups, looked.addressed) : null;
  }

  /** Whether the user is asked before acts in some frame of the tab. */
  get someAsk(): boolean {
    return [this.#rule, ...this.#places.all.map((place) => place.rule)].includes("ask");
  }

  /** The rules of the frames that are addressed, and the elements that input would reach. */
  async #addressed(groups: readonly Group[]): Promise<Addressed> {
    const { all, top, showsNever } = this.#places;
    const verb = this.#verb;
    // The verb paints over such frames; what a batch gives is passed on as it is.
    if (showsNever && verb.verb !== "screenshot" && groups.includes("picture")) {
      throw new Fault(
        "SITE_BLOCKED",
        "a frame of a site that a rule keeps agents off is in the picture",
      );
    }
    if (verb.verb === "cdp") return this.#ofBatch(verb.commands, groups);
    if (verb.verb === "press") return this.#ofPress(verb);
    if (verb.verb === "keys") return this.#ofKeys(verb);
    if (verb.verb === "fill_secret") return this.#ofSecret(verb);
    if (verb.verb === "page" || verb.verb === "upload" || verb.verb === "adopt") {
      return this.#ofDocuments(verb, groups);
    }
    if ((verb.verb === "evaluate" || verb.verb === "inspect") && verb.document) {
      return { rules: this.#rulesOf([verb.document]), targets: [] };
    }
    // A dialog may be any frame's, and so may a request be.
    if (verb.verb === "dialog" || verb.verb === "mock")
      return { rules: milder(all, top), targets: [] };
    return { rules: [], targets: [] };
  }

  async #ofDocuments(
    verb: Extract<Verb, { verb: "page" | "upload" | "adopt" }>,
    groups: readonly Group[],
  ): Promise<Addressed> {
    const named = verb.verb === "page" ? (verb.documents ?? null) : [verb.document];
    const looks = groups.every((group) => group === "look");
    // Without names all frames are asked; those of never-sites are left out of answers.
    if (named === null && looks) return { rules: [], targets: [] };
    const rules = named
      ? this.#rulesOf(named)
      : this.#places.all.filter((place) => place.rule !== "never").map((place) => place.rule);
    const rule = strictest([this.#rule, ...rules]);
    if (named === null || rule !== "ask") return { rules, targets: [] };
    const targets: Target[] = [];
    for (const document of named) {
      const id = await this.#elementOf(verb, document, groups);
      if (id !== null) targets.push(await targetOf(this.#field(), document, id));
    }
    return { rules, targets };
  }

  /** The element of an act; null for what only looks or moves. */
  async #elementOf(
    verb: Extract<Verb, { verb: "page" | "upload" | "adopt" }>,
    document: string,
    groups: readonly Group[],
  ): Promise<number | null> {
    if (verb.verb === "upload") return verb.element;
    if (verb.verb !== "page") return null;
    const { call } = verb;
    const acts =
      groups.includes("act") ||
      (call.op === "prepare" && (await wouldAct(this.#field(), document, call)));
    return acts && "id" in call && typeof call.id === "number" ? call.id : null;
  }

  async #ofBatch(commands: readonly CdpCommand[], groups: readonly Group[]): Promise<Addressed> {
    const { all, never, showsNever } = this.#places;
    const sessions = commands.flatMap(({ session }) => session ?? []);
    const rules = sessions.map((session) =>
      ruleOf(attachment(this.#verb.tab)?.sessions[session]?.url ?? ""),
    );
    // Nodes and scripts of one process reach into frames of it.
    if (showsNever && commands.some(({ method }) => REACHES.test(method))) throw blocked();
    if (groups.some((group) => WIDE.has(group))) {
      rules.push(...all.filter((place) => !never.has(place.frame)).map((place) => place.rule));
    }
    if (!groups.includes("act") && !groups.includes("move")) return { rules, targets: [] };
    if (all.every((place) => place.rule === this.#rule)) return { rules, targets: [] };
    const targets: Target[] = [];
    for (const point of pointsOf(commands.filter(isAimed))) {
      targets.push(await targetAt(this.#field(), point));
    }
    return { rules: [...rules, ...targets.map(({ place }) => place.rule)], targets };
  }

  /** Where every frame is free the daemon's point will do. Elsewhere it is taken here. */
  async #ofPress(verb: Extract<Verb, { verb: "press" }>): Promise<Addressed> {
    const { document, element, how, at, exact } = verb;
    const named = this.#rulesOf([document]);
    if (this.#isFree()) return { rules: named, targets: [], point: at };
    if (exact) {
      const target = await targetAt(this.#field(), at);
      return { rules: [...named, target.place.rule], targets: [target], point: at };
    }
    const { target, point } = await pressAt(this.#field(), document, element, how.is);
    return { rules: [target.place.rule], targets: [target], point };
  }

  async #ofKeys(verb: Extract<Verb, { verb: "keys" }>): Promise<Addressed> {
    if (!verb.commands.every(isKey)) throw new Fault("POLICY", "these are not keys alone");
    if (this.#isFree()) return { rules: [], targets: [] };
    const target = await keysAt(this.#field(), verb.target ?? null);
    return { rules: [target.place.rule], targets: [target] };
  }

  async #ofSecret(verb: Extract<Verb, { verb: "fill_secret" }>): Promise<Addressed> {
    const secret = await lookAtSecret(this.#field(), verb);
    return { rules: this.#rulesOf([verb.document]), targets: [secret.target], secret };
  }

  #isFree(): boolean {
    return this.#rule === "free" && this.#places.all.every((place) => place.rule === "free");
  }

  #rulesOf(documents: readonly string[]): Rule[] {
    return documents.flatMap(
      (document) => this.#places.all.find((place) => place.document === document)?.rule ?? [],
    );
  }

  #field(): Field {
    const { tab } = this.#verb;
    const { signal } = this.#call;
    return {
      tab,
      places: this.#places,
      inject,
      tokens: () => tokensOf(tab, this.#places.never, this.#call),
      signal,
    };
  }

  #refused(rule: Rule): Fault {
    if (rule === "never") return blocked();
    return new Fault("READ_ONLY_SITE", "the user lets agents only read this site");
  }

  async #ask(groups: readonly Group[], addressed: Addressed): Promise<void> {
    const { tab } = this.#verb;
    if (groups.some((group) => CLOSED.has(group))) await refuseBesideHeld(tab);
    const { wish, wanted, shown } = await this.#asking(groups, addressed);
    const { client, session, element } = wanted;
    const follow = JSON.stringify([client, session, tab, element]);
    for (const [key, { end }] of followUps) if (end < Date.now()) followUps.delete(key);
    const first = followUps.get(follow);
    if (first && (wish.completes === PRESS || wish.completes === first.opens)) {
      followUps.delete(follow);
      return;
    }
    await approve(wanted, shown);
    const { opens } = wish;
    if (opens !== null) followUps.set(follow, { end: Date.now() + FOLLOW_UP_MS, opens });
  }

  async #asking(groups: readonly Group[], { targets, secret }: Addressed): Promise<Asking> {
    const asker = this.#asker ?? { client: "", session: "" };
    const { tab } = this.#verb;
    const place = targets[0]?.place ?? this.#asked();
    const wish = describeWish(this.#verb, groups, targets, secret ?? null);
    const { client, session } = asker;
    const origin = originOf(place?.url ?? "");
    const document = place?.document ?? "";
    const hash = await digest(wish.arguments);
    const { kind, verb } = wish;
    const element = identity(targets);
    const wanted = { client, session, tab, document, origin, kind, verb, hash, element };
    const { program, folder } = asker as Asker;
    const observed = program || folder ? { program: program ?? "", folder: folder ?? "" } : null;
    const number = known(tab)?.number ?? null;
    const keeps = secret?.keeps ?? [];
    return {
      wish,
      wanted,
      shown: { observed, number, verb: wish.words, lines: wish.lines, keeps },
    };
  }

  /** The document that a verb without an element is for. */
  #asked(): Place | null {
    const verb = this.#verb;
    const ofPage = verb.verb === "page" ? verb.documents?.[0] : null;
    const named = "document" in verb ? verb.document : ofPage;
    const found = named && this.#places.all.find((place) => place.document === named);
    return found || this.#places.top;
  }
}

interface Addressed {
  readonly rules: readonly Rule[];
  readonly targets: readonly Target[];
  readonly point?: Point;
  readonly secret?: SecretPlace;
}

interface Looked {
  readonly answers: readonly Answer[];
  readonly addressed: Addressed;
}

/** A question to the user. */
export interface Asking {
  readonly wish: Wish;
  readonly wanted: Wanted;
  readonly shown: Shown;
}

/** Everything by which an element counts as the same. */
function identity(targets: readonly Target[]): string {
  return JSON.stringify(
    targets.map(({ place, element, form }) => [
      place.document,
      element.id,
      element.role,
      element.name,
      form,
    ]),
  );
}

/** What a page that holds a secret is closed to. */
const CLOSED: ReadonlySet<Group> = new Set(["script", "code", "mock", "store", "bodies"]);

/** What does nothing that could lead anywhere. */
const QUIET: ReadonlySet<Group> = new Set([
  "manage",
  "look",
  "picture",
  "bodies",
  "cookies",
  "values",
  "view",
]);

/** Groups whose commands are for the whole tab. */
const WIDE: ReadonlySet<Group> = new Set(["code", "mock", "store"]);

/** Commands that see or change nodes of every frame of a process. */
const REACHES = /^(DOM|CSS|DOMDebugger|Accessibility|Runtime)\./;

/** Pointer moves go wherever they go; what counts is what is pressed, and where keys end. */
function isAimed(command: CdpCommand): boolean {
  const group = commandGroup(command);
  return group === "act" || (group === "move" && paramOf(command, "type") === "mouseWheel");
}

/** Input that acts. */
function isInput(command: CdpCommand): boolean {
  return command.method.startsWith("Input.") && commandGroup(command) === "act";
}

function milder(all: readonly Place[], top: Place | null): Rule[] {
  return all.filter((place) => place !== top && place.rule !== "never").map((place) => place.rule);
}

function blocked(): Fault {
  return new Fault("SITE_BLOCKED", "a rule of the user's keeps agents off that site");
}

/** SHA-256, in hex. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
