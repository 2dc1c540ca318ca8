//! Stands between the guard and the verbs: which sites a verb is for, what their rules say, and whether
//! the user has to be asked. Looked up right before the verb is done, and once more after it.

import type { Asker } from "../../wire/link";
import type { CdpCommand, Verb } from "../../wire/verb";
import { type Field, pointsOf, type Target, targetAt, targetOf, wouldAct } from "./aim";
import { approve } from "./approvals-store";
import { attachment } from "./attachment";
import { known } from "./book";
import { getTab } from "./chrome";
import { Fault } from "./fault";
import { beforeActing, keepFence } from "./fence";
import {
  type Answer,
  answerOf,
  commandGroup,
  type Group,
  groupOf,
  paramOf,
  strictest,
} from "./levels";
import { FOLLOW_UP_MS } from "./limits";
import { isNever, type Place, type Places, placesOf, ruleOf } from "./places";
import type { Rule } from "./rules";
import { originOf } from "./url-rule";
import type { Call } from "./verbs/context";
import { inject, tokensOf } from "./verbs/page";
import { describeWish, type Wish } from "./wish";

/** What a verb may do, and how it has to be done. */
export interface Pass {
  /** Frames that are left out of answers. */
  readonly never: ReadonlySet<number>;
  /** Scripts must have no side effects. */
  readonly pure: boolean;
  /** Cookies are told without their values. */
  readonly names: boolean;
}

const ALL: Pass = { never: new Set(), pure: false, names: false };

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
  if (!groups.includes("picture")) return;
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

function groupsOf(verb: Verb): Group[] {
  if (verb.verb !== "cdp") return [groupOf(verb) ?? "code"];
  // What is not in the table is refused by it.
  return verb.commands.flatMap((command) => commandGroup(command) ?? []);
}

type OfTab = Extract<Verb, { tab: number }>;

/** A question to the user does nothing in the tab that it names. */
function isOfTab(verb: Verb): verb is OfTab {
  return "tab" in verb && verb.verb !== "ask";
}

/** Elements that the user said yes to lately: what one act sends in two steps is asked once. */
const followUps = new Map<string, number>();

class Gate {
  readonly #verb: OfTab;
  readonly #asker: Asker | null;
  readonly #call: Call;
  #places: Places = { top: null, all: [], never: new Set(), showsNever: false };
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
    const { tab } = this.#verb;
    const own = known(tab)?.own === true;
    const answers: Answer[] = [];
    for (const group of groups) answers.push(answerOf(group, this.#rule, own));
    // Nothing of a batch is done when one part of it may not be.
    if (answers.includes("no")) throw this.#refused(this.#rule);
    const addressed = await this.#addressed(groups);
    const rule = strictest([this.#rule, ...addressed.rules]);
    if (rule !== this.#rule) {
      for (const group of groups) answers.push(answerOf(group, rule, own));
      if (answers.includes("no")) throw this.#refused(rule);
    }
    if (groups.some((group) => !QUIET.has(group))) await beforeActing(tab);
    if (answers.includes("ask")) await this.#ask(groups, addressed);
    return {
      never: this.#places.never,
      pure: answers.includes("pure"),
      names: answers.includes("names"),
    };
  }

  /** The rules of the frames that are addressed, and the elements that input would reach. */
  async #addressed(groups: readonly Group[]): Promise<Addressed> {
    const { all, top, showsNever } = this.#places;
    const verb = this.#verb;
    if (showsNever && (verb.verb === "screenshot" || groups.includes("picture"))) {
      throw new Fault(
        "SITE_BLOCKED",
        "a frame of a site that a rule keeps agents off is in the picture",
      );
    }
    if (verb.verb === "cdp") return this.#ofBatch(verb.commands, groups);
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
    const differ = all.some((place) => place.rule !== this.#rule);
    const asks = answerOf("act", this.#rule, true) === "ask" && groups.includes("act");
    if (!differ && !asks) return { rules, targets: [] };
    const targets: Target[] = [];
    for (const point of pointsOf(commands.filter(isAimed))) {
      targets.push(await targetAt(this.#field(), point));
    }
    return { rules: [...rules, ...targets.map(({ place }) => place.rule)], targets };
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

  async #ask(groups: readonly Group[], { targets }: Addressed): Promise<void> {
    const { tab } = this.#verb;
    const asker = this.#asker ?? { client: "", session: "" };
    const place = targets[0]?.place ?? this.#asked();
    const wish: Wish = describeWish(this.#verb, groups, targets);
    const element = JSON.stringify(
      targets.map(({ place, element, form }) => [
        place.document,
        element.id,
        element.role,
        element.name,
        form,
      ]),
    );
    const follow = JSON.stringify([asker.client, asker.session, tab, element]);
    if (targets.length > 0 && wish.isFollowUp && (followUps.get(follow) ?? 0) > Date.now()) return;
    const { client, session } = asker;
    const origin = originOf(place?.url ?? "");
    const document = place?.document ?? "";
    const hash = await digest(wish.arguments);
    const { kind, verb } = wish;
    const wanted = { client, session, tab, document, origin, kind, verb, hash, element };
    const { program, folder } = asker as Asker;
    const observed = program || folder ? { program: program ?? "", folder: folder ?? "" } : null;
    const number = known(tab)?.number ?? null;
    await approve(wanted, { observed, number, verb: wish.words, lines: wish.lines });
    for (const [key, end] of followUps) if (end < Date.now()) followUps.delete(key);
    if (wish.beginsTwoSteps) followUps.set(follow, Date.now() + FOLLOW_UP_MS);
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
}

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

function milder(all: readonly Place[], top: Place | null): Rule[] {
  return all.filter((place) => place !== top && place.rule !== "never").map((place) => place.rule);
}

function blocked(): Fault {
  return new Fault("SITE_BLOCKED", "a rule of the user's keeps agents off that site");
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
