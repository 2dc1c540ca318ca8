//! The prompts of agents: one at a time, never a new one in the place of one under the pointer, and
//! buttons that work only after a moment. Nothing is chosen beforehand, and Enter does nothing.

import type { Ask, Decision } from "../asks";
import { element, said } from "../dom";
import { ARM_LOOK_MS, SAYS_CHARS } from "../limits";
import type { PopupView, Prompt } from "../popup-wire";
import { strings } from "../strings";
import { shown, splitHost } from "../text";
import { isArmed, looked, UNARMED } from "./arming";
import type { Tell } from "./port";
import { type Answer, answersOf, howTo, told } from "./question";
import { signOf } from "./sign";

const LINE_CHARS = 300;
/** A list of acts has one for each. */
const LINES = 60;
const LINES_IN_VIEW = 3;

interface Card {
  readonly id: string;
  readonly ask: Ask;
  readonly root: HTMLElement;
  /** It was answered, or is no longer asked. */
  readonly over: boolean;
}

/** Shows prompts in a place of the page. */
export class Prompts {
  readonly #place: HTMLElement;
  readonly #tell: Tell;
  #card: Card | null = null;
  #view: PopupView | null = null;
  #answered: string | null = null;
  #watch: AbortController | null = null;

  constructor(place: HTMLElement, tell: Tell) {
    this.#place = place;
    this.#tell = tell;
    place.addEventListener("pointerleave", () => this.#next());
  }

  /** What waits now. */
  show(view: PopupView): void {
    this.#view = view;
    const card = this.#card;
    const still = view.prompts.find(({ ask }) => ask.id === card?.id);
    if (card && !card.over && !still && card.id !== this.#answered) this.#end("expired");
    this.#next();
    this.#drawMore();
  }

  #next(): void {
    if (this.#card && !this.#card.over) return;
    // What lies under the pointer stays: the next click may be on its way.
    if (this.#card && this.#place.matches(":hover")) return;
    const waiting = this.#view?.prompts.find(({ ask }) => ask.id !== this.#answered);
    this.#card = null;
    this.#place.replaceChildren();
    this.#place.hidden = waiting === undefined;
    if (waiting && this.#view) this.#open(waiting, this.#view);
  }

  #open(prompt: Prompt, view: PopupView): void {
    const { ask, choices } = prompt;
    const hint = element("p", { class: "note" }, strings.notArmed);
    const kind = ask.wanted?.kind ?? null;
    // Many answers scroll in a place of their own: the buttons work only where all of it is in view.
    const isList = kind === "choose" || kind === "tab";
    const actions = element("div", {
      class: "choices",
      "data-for": kind,
      ...(isList && { role: "group", "aria-label": strings.answers, tabindex: "0" }),
    });
    const root = element(
      "section",
      { class: "card prompt", "aria-label": strings.prompts },
      view.sign ? signOf(view.sign) : null,
      headline(ask),
      facts(ask, view),
      lines(ask),
      howTo(ask),
      quote(ask),
      actions,
      hint,
    );
    root.addEventListener("keydown", (event) => {
      if (event.key === "Enter") event.preventDefault();
    });
    this.#card = { id: ask.id, ask, root, over: false };
    this.#place.replaceChildren(root);
    void answersOf(ask, choices).then((answers) => {
      if (this.#card?.root !== root || this.#card.over) return;
      const buttons = answers.map((answer) => this.#button(ask.id, answer));
      actions.replaceChildren(...buttons);
      this.#arm(actions, buttons, hint, strings.answerBy(clock(ask.expires)));
    });
  }

  #button(id: string, { words, decision, choice }: Answer): HTMLButtonElement {
    const made = element(
      "button",
      { type: "button", class: "plain", disabled: true, "data-decision": decision },
      words,
    );
    made.addEventListener("click", (event) => {
      if (event.isTrusted && !made.disabled) this.#decide(id, decision, choice);
    });
    return made;
  }

  #arm(
    actions: HTMLElement,
    buttons: readonly HTMLButtonElement[],
    hint: HTMLElement,
    answerBy: string,
  ): void {
    this.#watch?.abort();
    const watch = new AbortController();
    this.#watch = watch;
    let arming = UNARMED;
    const timer = setInterval(() => {
      const { left, top, width, height } = actions.getBoundingClientRect();
      const now = performance.now();
      const focused = document.hasFocus();
      const visible = document.visibilityState === "visible" && top + height <= innerHeight + 1;
      arming = looked(arming, { now, visible, focused, box: `${left} ${top} ${width} ${height}` });
      const armed = isArmed(arming, now);
      for (const one of buttons) one.disabled = !armed;
      const pending = focused ? strings.notArmed : strings.notFocused;
      hint.textContent = armed ? answerBy : pending;
    }, ARM_LOOK_MS);
    watch.signal.addEventListener("abort", () => clearInterval(timer));
  }

  #decide(id: string, decision: Decision, choice: number | null): void {
    this.#answered = id;
    this.#tell({ ask: "decide", id, decision, ...(choice !== null && { choice }) });
    this.#end(decision);
    this.#next();
  }

  #end(decision: Decision): void {
    const card = this.#card;
    if (!card) return;
    this.#watch?.abort();
    const { height } = card.root.getBoundingClientRect();
    card.root.replaceChildren(element("p", { role: "status" }, told(card.ask, decision)));
    // What is below must not come up under the pointer.
    if (this.#place.matches(":hover")) card.root.style.minHeight = `${height}px`;
    this.#card = { ...card, over: true };
    this.#drawMore();
  }

  #drawMore(): void {
    this.#place.querySelector(".more")?.remove();
    const card = this.#card;
    const others = this.#view?.prompts.filter(({ ask }) => ask.id !== card?.id).length ?? 0;
    if (!card || others === 0) return;
    const words = card.over ? strings.moveAway : strings.more(others);
    this.#place.append(element("p", { class: "note more", role: "status" }, words));
  }
}

function headline(ask: Ask): HTMLElement {
  const made = element(
    "h2",
    { class: "wants" },
    said(ask.client, 60),
    ` ${strings.wants[ask.kind]}`,
  );
  if (ask.wanted) {
    made.append(" ", element("strong", {}, strings.askedFor[ask.wanted.kind]));
  } else if (ask.verb !== "" && ask.kind !== "first_contact") {
    made.append(" ", element("strong", {}, said(ask.verb, 60)));
  }
  if (ask.site !== null) made.append(` ${strings.on} `, siteName(ask.site));
  return made;
}

/** The part of a host by which sites are owned stands out. */
export function siteName(site: string): HTMLElement {
  const host = URL.canParse(site) ? new URL(site).host : site;
  const { before, main } = splitHost(shown(host));
  return element("bdi", { class: "site" }, before, element("b", {}, main));
}

function facts(ask: Ask, view: PopupView): HTMLElement {
  const { facts } = strings;
  const rows: [string, string][] = [[facts.agent, ask.client]];
  if (ask.observed?.program) rows.push([facts.program, ask.observed.program]);
  if (ask.observed?.folder) rows.push([facts.folder, ask.observed.folder]);
  if (ask.number !== null) rows.push([facts.tab, String(ask.number)]);
  rows.push([facts.profile, view.settings.label || view.fallbackLabel]);
  const items = rows.flatMap(([name, value]) => [
    element("dt", {}, name),
    element("dd", {}, said(value, LINE_CHARS)),
  ]);
  return element("dl", {}, ...items);
}

function lines(ask: Ask): HTMLElement | null {
  if (ask.lines.length === 0) return null;
  const items = ask.lines.slice(0, LINES).map((line) => element("li", {}, said(line, LINE_CHARS)));
  if (ask.lines.length > LINES) {
    items.push(element("li", {}, strings.more(ask.lines.length - LINES)));
  }
  // Many lines scroll in a place of their own, so that the buttons stay in view.
  const isLong = ask.lines.length > LINES_IN_VIEW;
  return element(
    "ul",
    {
      class: isLong ? "lines long" : "lines",
      ...(isLong && { tabindex: "0", "aria-label": strings.linesOf(ask.lines.length) }),
    },
    ...items,
  );
}

function quote(ask: Ask): HTMLElement | null {
  if (ask.says.trim() === "") return null;
  return element(
    "figure",
    {},
    element("figcaption", {}, strings.says),
    element("blockquote", {}, said(ask.says, SAYS_CHARS)),
  );
}

function clock(atMs: number): string {
  return new Date(atMs).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
