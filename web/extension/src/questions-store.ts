//! The questions of agents, in the worker. They outlive it, and end with the browser's run.

import type { AskEnding } from "../../wire/ask";
import { idNow } from "./book";
import { storage } from "./chrome";
import { emit } from "./outbox";
import { type Question, questionIn, stillKept, withEnding } from "./questions";
import { Stored } from "./stored";

const kept = new Stored<{ list: readonly Question[] }>(storage.session, "questions", { list: [] });

/** Resolves when the questions of the last life were read. */
export const questionsReady: Promise<void> = kept.ready;

/** All that is remembered. Chrome may have given a tab another id since it was asked there. */
export function questions(): readonly Question[] {
  return kept.value.list.map((one) => ({
    ...one,
    tab: one.tab === null ? null : idNow(one.tab),
  }));
}

/** The question that the user has not finished with in a tab: agents do nothing there. */
export function askedIn(tab: number): Question | null {
  return questionIn(questions(), tab);
}

/** Puts one; an ended one of the same session, tab and kind gives way. */
export function addQuestion(question: Question): Promise<void> {
  const { session, tab, kind } = question;
  const others = stillKept(questions(), Date.now()).filter(
    (one) => one.session !== session || one.tab !== tab || one.kind !== kind,
  );
  return put([...others, question]);
}

/** Ends one and tells the daemon. Nothing when it is not open. */
export async function endQuestion(id: string, how: AskEnding): Promise<void> {
  const before = kept.value.list;
  const next = withEnding(before, id, how, Date.now());
  if (next === before) return;
  await put(stillKept(next, Date.now()));
  emit({ event: "ask_ended", id });
}

/** Its agent was told, or it was never shown. */
export function forgetQuestion(id: string): Promise<void> {
  return put(kept.value.list.filter((one) => one.id !== id));
}

function put(list: readonly Question[]): Promise<void> {
  return kept.change((value) => {
    value.list = list;
  });
}
