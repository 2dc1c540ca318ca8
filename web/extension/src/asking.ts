//! The verbs `ask` and `ask_end`: a question to the user is put once, shown as a prompt, and ends on
//! their click, on what they point at, on the daemon's word about the page, or with its time.

import type { AskClose, AskEnding, AskState } from "../../wire/ask";
import type { Asker } from "../../wire/link";
import type { Verb } from "../../wire/verb";
import type { Ask, Decision } from "./asks";
import { asks, decisionOf, raise, settle } from "./asks-store";
import { known } from "./book";
import { random, toBase64Url } from "./bytes";
import { getTab } from "./chrome";
import { Fault } from "./fault";
import { ASK_MS, ASK_OPTIONS, SAYS_CHARS } from "./limits";
import { endLook, pointIn } from "./look";
import { type Question, sameQuestion, stateOf } from "./questions";
import { addQuestion, endQuestion, forgetQuestion, questions } from "./questions-store";
import { mayTouch, originOf } from "./url-rule";
import { focus, share } from "./verbs/tabs";

type AskVerb = Extract<Verb, { verb: "ask" }>;

/** Puts a question, or says where it stands. */
export async function ask(verb: AskVerb, asker: Asker): Promise<AskState> {
  const put = {
    session: asker.session,
    tab: verb.tab ?? null,
    kind: verb.kind,
    message: verb.message.slice(0, SAYS_CHARS),
    options: (verb.options ?? []).slice(0, ASK_OPTIONS),
    until: verb.until ?? null,
  };
  const tab = put.tab === null ? null : await getTab(put.tab);
  // Nothing is waited for from here until it is written: the same question may be put meanwhile.
  const before = sameQuestion(questions(), put);
  if (before) return stateOf(before, Date.now());
  const question: Question = {
    ...put,
    id: toBase64Url(random(12)),
    client: asker.client,
    url: tab?.url ?? null,
    since: Date.now(),
    ended: null,
  };
  // Before it is shown: a click must find what it is about.
  await addQuestion(question);
  const is = await raise(promptOf(question, asker));
  if (is !== "open") {
    await forgetQuestion(question.id);
    throw is === "busy"
      ? new Fault("ASK_PENDING", "the user has not finished with what you asked before")
      : new Fault("RATE_LIMITED", "you asked the user too often; again in a minute");
  }
  // Once: the user may go elsewhere meanwhile.
  if (put.tab !== null) await focus(put.tab).catch(() => undefined);
  if (put.kind === "look") void look(question);
  return stateOf(question, Date.now());
}

function promptOf(question: Question, asker: Asker): Ask {
  const { id, kind, tab, url, since } = question;
  return {
    id,
    client: asker.client,
    observed: { program: asker.program ?? "", folder: asker.folder ?? "" },
    session: asker.session,
    tab,
    number: tab === null ? null : (known(tab)?.number ?? null),
    site: url === null ? null : originOf(url),
    verb: "",
    lines: kind === "extension" ? [question.message] : [],
    says: kind === "extension" ? "" : question.message,
    kind: "ask",
    wanted: { kind, options: question.options },
    since,
    expires: since + ASK_MS,
  };
}

/** The daemon's word about a question of that agent's. */
export async function askEnd(id: string, how: AskClose, asker: Asker): Promise<null> {
  const question = questions().find((one) => one.id === id && one.session === asker.session);
  if (!question) return null;
  if (how === "told") {
    if (question.ended) await forgetQuestion(id);
    return null;
  }
  await end(id, { how: "met" });
  return null;
}

/** The user answered the prompt of a question, or time did. */
export async function onAnswer(
  id: string,
  decision: Decision,
  choice: number | null,
): Promise<void> {
  const question = questions().find((one) => one.id === id && one.ended === null);
  if (!question) return;
  if (decision === "expired") return end(id, { how: "expired" });
  if (decision !== "once") return end(id, { how: "denied" });
  await end(id, (await chosen(question, choice)) ?? { how: "denied" });
}

async function chosen(question: Question, choice: number | null): Promise<AskEnding | null> {
  switch (question.kind) {
    case "choose": {
      const is = choice !== null && question.options[choice] !== undefined;
      return is ? { how: "chosen", option: choice } : null;
    }
    case "tab": {
      const tab = choice === null ? null : await getTab(choice);
      if (choice === null || !tab || !mayTouch(tab.url ?? "")) return null;
      await share(choice, true);
      return { how: "shared", tab: choice };
    }
    default:
      return { how: "done" };
  }
}

/** The tab is gone, and whatever was asked there. */
export async function onTabGone(tab: number): Promise<void> {
  const there = questions().filter((one) => one.tab === tab && one.ended === null);
  for (const { id } of there) await end(id, { how: "closed" });
}

/** What was asked in a life before goes on. */
export async function resumeQuestions(): Promise<void> {
  for (const one of questions().filter(({ ended }) => ended === null)) {
    // Its prompt was answered, and the worker died before anybody heard of it.
    const isShown = asks().open.some(({ id }) => id === one.id);
    if (!isShown) await onAnswer(one.id, decisionOf(one.id) ?? "expired", null);
    else if (one.kind === "look") void look(one);
  }
}

/** An agent was stopped: nobody need answer it. */
export async function dropQuestions(isMeant: (client: string) => boolean): Promise<void> {
  const meant = questions().filter((one) => one.ended === null && isMeant(one.client));
  for (const { id } of meant) await end(id, { how: "denied" });
}

/** Ends a question and what is shown of it. */
async function end(id: string, how: AskEnding): Promise<void> {
  const question = questions().find((one) => one.id === id);
  // Nothing of ours is in the page when the agent may go on there.
  if (question?.kind === "look" && question.tab !== null) await endLook(question.tab);
  await endQuestion(id, how);
  await settle(id, "expired");
}

async function look(question: Question): Promise<void> {
  const { id, tab } = question;
  if (tab === null) return;
  const isOpen = () => questions().some((one) => one.id === id && one.ended === null);
  const found = await pointIn(tab, id, isOpen);
  if (found) await end(id, found);
}
