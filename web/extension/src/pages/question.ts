//! What a question of an agent adds to its prompt: what to do where, and the buttons that answer it. The
//! refusal comes first.

import type { Ask, Decision } from "../asks";
import { tabs } from "../chrome";
import { element, said } from "../dom";
import { strings } from "../strings";
import { hostOf, mayTouch } from "../url-rule";

const OPTION_CHARS = 80;
const TITLE_CHARS = 60;

/** An answer and its button. */
export interface Answer {
  readonly words: HTMLElement | string;
  readonly decision: Decision;
  readonly choice: number | null;
}

/** How it is done. */
export function howTo(ask: Ask): HTMLElement | null {
  if (!ask.wanted) return null;
  return element("p", { class: "note" }, strings.askedHow[ask.wanted.kind]);
}

/** What can be answered; of a tab, once the user's tabs are known. */
export async function answersOf(ask: Ask, choices: readonly Decision[]): Promise<Answer[]> {
  if (!ask.wanted) {
    return choices.map((decision) => ({
      words: strings.decisions[decision],
      decision,
      choice: null,
    }));
  }
  const { kind, options } = ask.wanted;
  const refusal: Answer = { words: strings.askRefusal[kind], decision: "deny", choice: null };
  switch (kind) {
    case "choose":
      return [
        refusal,
        ...options.map((option, choice) => chosen(said(option, OPTION_CHARS), choice)),
      ];
    case "tab":
      return [refusal, ...(await pickable())];
    case "look":
      return [refusal];
    case "confirm":
    case "extension":
      return [refusal, { words: strings.askYes, decision: "once", choice: null }];
    default:
      return [refusal, { words: strings.askDone, decision: "once", choice: null }];
  }
}

/** What is told after an answer. */
export function told(ask: Ask, decision: Decision): string {
  if (!ask.wanted || decision === "expired") return strings.decided[decision];
  return decision === "once" ? strings.askAnswered : strings.askRefused;
}

async function pickable(): Promise<Answer[]> {
  const all = await tabs.query({});
  return all.flatMap(({ id, url = "", title = "" }) => {
    if (id === undefined || hostOf(url) === "" || !mayTouch(url)) return [];
    const words = element(
      "span",
      { class: "pick" },
      said(title || strings.untitled, TITLE_CHARS),
      element("small", {}, said(hostOf(url), TITLE_CHARS)),
    );
    return [chosen(words, id)];
  });
}

function chosen(words: HTMLElement, choice: number): Answer {
  return { words, decision: "once", choice };
}
