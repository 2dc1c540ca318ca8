//! Takes requests: the guard first, then the verb, with a deadline, cancelled when nobody waits any
//! more. Requests of different tabs run side by side; nothing global is locked.

import type { FromExtension, ToExtension, VerbError } from "../../wire/link";
import type { JsonValue } from "../../wire/serde_json/JsonValue";
import type { Verb } from "../../wire/verb";
import { noteActivity } from "./activity";
import { attachment } from "./attachment";
import { capture } from "./bodies";
import { idNow, isShared, known } from "./book";
import { getTab } from "./chrome";
import { Fault, unreachable, words } from "./fault";
import { type Facts, refusal } from "./guard";
import { settings } from "./settings";
import { noteClient, stopped } from "./stops";
import { attachVerb, cdp, detachVerb, dialog } from "./verbs/cdp";
import { readConsole } from "./verbs/console";
import type { Call } from "./verbs/context";
import { evaluate } from "./verbs/evaluate";
import { inspect } from "./verbs/inspect";
import { page } from "./verbs/page";
import { screenshot } from "./verbs/screenshot";
import * as tab from "./verbs/tabs";
import { adopt, catchChooser, upload } from "./verbs/upload";
import { until } from "./wait";

type Request = Extract<ToExtension, { t: "request" }>;

interface Running {
  readonly verb: Verb;
  readonly stop: AbortController;
}

const running = new Map<number, Running>();

/** Does one request and gives its one answer; null when it was cancelled. */
export async function answer(request: Request): Promise<FromExtension | null> {
  const { id, deadlineMs } = request;
  const verb = withIdNow(request.verb);
  const stop = new AbortController();
  running.set(id, { verb, stop });
  const end = Date.now() + deadlineMs;
  const timer = setTimeout(() => {
    stop.abort(new Fault("TIMEOUT", `the browser did not do it within ${deadlineMs} ms`));
  }, deadlineMs);
  const call: Call = { signal: stop.signal, remaining: () => Math.max(0, end - Date.now()) };
  try {
    const value = await until(guarded(verb, call), stop.signal);
    return { t: "response", id, value: value as JsonValue };
  } catch (error) {
    if (error === CANCELLED) return null;
    return { t: "error", id, error: asVerbError(error) };
  } finally {
    clearTimeout(timer);
    running.delete(id);
  }
}

function withIdNow(verb: Verb): Verb {
  return "tab" in verb ? { ...verb, tab: idNow(verb.tab) } : verb;
}

const CANCELLED = new Fault("STOPPED_BY_USER", "cancelled");

/** Nobody waits for that request any more. */
export function cancel(id: number): void {
  running.get(id)?.stop.abort(CANCELLED);
}

/** The link is gone: nobody waits for anything. */
export function cancelAll(): void {
  for (const { stop } of running.values()) stop.abort(CANCELLED);
}

/** The user stopped somebody: what runs for them ends, and says so. */
export function endStopped(): void {
  for (const { verb, stop } of running.values()) {
    if (isStopped(verb)) stop.abort(new Fault("STOPPED_BY_USER", "the user stopped it"));
  }
}

function isStopped(verb: Verb): boolean {
  if (verb.verb === "open") return stopped(verb.holder.label, null);
  const tab = "tab" in verb ? verb.tab : null;
  return stopped(tab === null ? null : (known(tab)?.holder?.label ?? null), tab);
}

async function guarded(verb: Verb, call: Call): Promise<unknown> {
  const refused = refusal(verb, await factsFor(verb));
  if (refused) throw new Fault(refused.code, refused.message);
  await noteClients(verb);
  return run(verb, call);
}

/** Who shows itself while nobody is stopped may go on when somebody is. */
async function noteClients(verb: Verb): Promise<void> {
  if (verb.verb === "open") await noteClient(verb.holder.label);
  if (verb.verb === "activity") await noteClient(verb.entry.agent);
  if (verb.verb !== "hold") return;
  for (const { holder } of verb.tabs) if (holder) await noteClient(holder.label);
}

async function factsFor(verb: Verb): Promise<Facts> {
  const { consent, sharing } = settings.value;
  const id = "tab" in verb ? verb.tab : null;
  const now = id === null ? null : await getTab(id);
  const facts = { consent, sharing, stopped: isStopped(verb) };
  if (id === null || !now) return { ...facts, tab: null };
  const own = known(id)?.own === true;
  // The debugger keeps a tab from being frozen.
  const asleep = now.discarded || (now.frozen === true && !attachment(id));
  const tab = { own, shared: isShared(id), url: now.url ?? "", asleep };
  return { ...facts, tab };
}

function run(verb: Verb, call: Call): Promise<unknown> {
  switch (verb.verb) {
    case "tabs":
      return tab.list();
    case "open":
      return tab.open(verb.url, verb.holder);
    case "release":
      return tab.release(verb.tab);
    case "navigate":
      return tab.navigate(verb.tab, verb.url);
    case "history":
      return tab.history(verb.tab, verb.delta, call);
    case "close":
      return tab.close(verb.tab);
    case "focus":
      return tab.focus(verb.tab);
    case "hold":
      return tab.hold(verb.tabs);
    case "activity":
      return noteActivity(verb.entry);
    case "page":
      return page(verb.tab, verb.documents ?? null, verb.call, call);
    case "cdp":
      return cdp(verb.tab, verb.commands, call);
    case "attach":
      return attachVerb(verb.tab);
    case "detach":
      return detachVerb(verb.tab);
    case "evaluate":
      return evaluate(verb, call);
    case "screenshot":
      return screenshot(verb, call);
    case "dialog":
      return dialog(verb.tab, verb.accept, verb.text ?? null);
    case "catch_chooser":
      return catchChooser(verb.tab, verb.on, call);
    case "adopt":
      return adopt(verb.tab, verb.document, verb.node, call);
    case "upload":
      return upload(verb.tab, verb.document, verb.element, verb.files, call);
    case "console":
      return readConsole(verb.tab, call);
    case "capture":
      return capture(verb.tab, verb.on);
    case "inspect":
      return inspect(verb, call);
    default:
      return unreachable(verb);
  }
}

function asVerbError(error: unknown): VerbError {
  if (error instanceof Fault) return { code: error.code, message: error.message };
  const message = words(error);
  if (/no tab with|no tab with given id/i.test(message)) {
    return { code: "TAB_NOT_FOUND", message: "the tab was closed" };
  }
  if (/not attached/i.test(message)) {
    return { code: "DEBUGGER_UNAVAILABLE", message: "the debugger was detached from the tab" };
  }
  return { code: "INTERNAL", message };
}
