//! What agents ask of the user beyond a yes: who asks for what in which tab, and how it ended. The same
//! agent, tab and kind is one question, however often it is put. Pure.

import type { AskEnding, AskFor, AskState } from "../../wire/ask";
import { ASK_KEPT_MS } from "./limits";

/** One question, open or ended. */
export interface Question {
  /** Also of its prompt. */
  readonly id: string;
  readonly session: string;
  readonly client: string;
  /** Chrome's id. */
  readonly tab: number | null;
  readonly kind: AskFor;
  readonly message: string;
  readonly options: readonly string[];
  readonly until: string | null;
  /** Address of the tab when it was put. */
  readonly url: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly ended: { readonly at: number; readonly how: AskEnding } | null;
}

/** The open question of that session, tab and kind, or an ended one of the very same words. */
export function sameQuestion(
  list: readonly Question[],
  put: Pick<Question, "session" | "tab" | "kind" | "message" | "options" | "until">,
): Question | null {
  const asked = list.filter(
    ({ session, tab, kind }) => session === put.session && tab === put.tab && kind === put.kind,
  );
  const open = asked.find(({ ended }) => ended === null);
  return open ?? asked.findLast((one) => wordsOf(one) === wordsOf(put)) ?? null;
}

function wordsOf(one: Pick<Question, "message" | "options" | "until">): string {
  return JSON.stringify([one.message, one.options, one.until]);
}

/** The list with one question ended. The same list when it is not open. */
export function withEnding(
  list: readonly Question[],
  id: string,
  how: AskEnding,
  now: number,
): readonly Question[] {
  if (!list.some((one) => one.id === id && one.ended === null)) return list;
  return list.map((one) => (one.id === id ? { ...one, ended: { at: now, how } } : one));
}

/** What need still be remembered: nobody asks later for an answer that is so old. */
export function stillKept(list: readonly Question[], now: number): Question[] {
  return list.filter(({ ended }) => ended === null || now - ended.at < ASK_KEPT_MS);
}

/** The question that is open in a tab. */
export function questionIn(list: readonly Question[], tab: number): Question | null {
  return list.find((one) => one.tab === tab && one.ended === null) ?? null;
}

/** As the daemon is told. */
export function stateOf(question: Question, now: number): AskState {
  const { id, since, url, ended } = question;
  return {
    id,
    waitedMs: Math.max(0, (ended?.at ?? now) - since),
    ...(url !== null && { url }),
    ...(ended !== null && { ended: ended.how }),
  };
}
