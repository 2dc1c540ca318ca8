//! Takes requests: the guard first, then the verb, with a deadline, cancelled when nobody waits any
//! more. Requests of different tabs run side by side; nothing global is locked.

import type { Asker, FromExtension, ToExtension, VerbError } from "../../wire/link";
import type { JsonValue } from "../../wire/serde_json/JsonValue";
import type { Verb } from "../../wire/verb";
import { around } from "./acting";
import { noteActivity } from "./activity";
import { ask, askEnd } from "./asking";
import { attachment } from "./attachment";
import { capture } from "./bodies";
import { idNow, isShared, known } from "./book";
import { getTab } from "./chrome";
import { composed, type Plain } from "./compose";
import { downloadsOf } from "./downloads";
import { Fault, unreachable, words } from "./fault";
import { contactRefusal } from "./first-contact";
import { enter, leave, type Pass } from "./gate";
import { type Facts, refusal } from "./guard";
import { pageGroup } from "./levels";
import { mock, mockState } from "./mock";
import { plan } from "./plan";
import { askedIn } from "./questions-store";
import { reaching, setSecretOrigins } from "./secret-store";
import { settings } from "./settings";
import { noteClient, stopped } from "./stops";
import { notePatch } from "./undo";
import { attachVerb } from "./verbs/attach";
import { cdp, detachVerb, dialog } from "./verbs/cdp";
import { readConsole } from "./verbs/console";
import type { Call } from "./verbs/context";
import { cookies } from "./verbs/cookies";
import { emulate } from "./verbs/emulate";
import { evaluate } from "./verbs/evaluate";
import { inspect } from "./verbs/inspect";
import { page } from "./verbs/page";
import { screenshot } from "./verbs/screenshot";
import { fillSecret } from "./verbs/secret";
import * as tab from "./verbs/tabs";
import { endTrace, startTrace } from "./verbs/trace";
import { adopt, catchChooser, upload } from "./verbs/upload";
import { until } from "./wait";

type Request = Extract<ToExtension, { t: "request" }>;

interface Running {
  readonly verb: Verb;
  readonly asker: Asker | null;
  readonly stop: AbortController;
}

const running = new Map<number, Running>();

/** Does one request and gives its one answer; null when it was cancelled. */
export async function answer(request: Request): Promise<FromExtension | null> {
  const { id, deadlineMs } = request;
  const verb = withIdNow(request.verb);
  const asker = request.asker ?? null;
  const stop = new AbortController();
  running.set(id, { verb, asker, stop });
  const end = Date.now() + deadlineMs;
  const timer = setTimeout(() => {
    stop.abort(new Fault("TIMEOUT", `the browser did not do it within ${deadlineMs} ms`));
  }, deadlineMs);
  const call: Call = { signal: stop.signal, remaining: () => Math.max(0, end - Date.now()) };
  try {
    const value = await until(guarded(verb, asker, call), stop.signal);
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
  return "tab" in verb && typeof verb.tab === "number" ? { ...verb, tab: idNow(verb.tab) } : verb;
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
  for (const { verb, asker, stop } of running.values()) {
    if (isStopped(verb, asker)) stop.abort(new Fault("STOPPED_BY_USER", "the user stopped it"));
  }
}

/** Who asks counts, and who is said to hold the tab: either may be the one that was stopped. */
function isStopped(verb: Verb, asker: Asker | null): boolean {
  const tab = tabOf(verb);
  const holder = tab === null ? null : (known(tab)?.holder?.label ?? null);
  const opener = verb.verb === "open" ? verb.holder.label : null;
  return [asker?.client ?? null, holder, opener].some((client) => stopped(client, tab));
}

function tabOf(verb: Verb): number | null {
  return "tab" in verb ? (verb.tab ?? null) : null;
}

async function guarded(verb: Verb, asker: Asker | null, call: Call): Promise<unknown> {
  const facts = await factsFor(verb, asker);
  // Whom the user does not know is asked about, also before anybody was let in; but not while
  // nobody may do anything anyway.
  const halted = facts.sharing === "paused" || facts.stopped;
  const unmet = halted ? null : await contactRefusal(verb, asker);
  const refused = unmet ?? refusal(verb, facts);
  if (refused) throw new Fault(refused.code, refused.message);
  await noteClients(verb, asker);
  const pass = await enter(verb, asker, call);
  const plain = composed(verb, pass.point);
  const value = await around(plain, asker, () => run(plain, asker, call, pass));
  await leave(verb);
  return value;
}

/** Who shows itself while nobody is stopped may go on when somebody is. */
async function noteClients(verb: Verb, asker: Asker | null): Promise<void> {
  if (asker) await noteClient(asker.client);
  if (verb.verb === "open") await noteClient(verb.holder.label);
  if (verb.verb === "activity") await noteClient(verb.entry.agent);
  if (verb.verb !== "hold") return;
  for (const { holder } of verb.tabs) if (holder) await noteClient(holder.label);
}

async function factsFor(verb: Verb, asker: Asker | null): Promise<Facts> {
  const { consent, sharing } = settings.value;
  const id = tabOf(verb);
  const now = id === null ? null : await getTab(id);
  const facts = {
    consent,
    sharing,
    stopped: isStopped(verb, asker),
    asked: null,
    named: asker !== null && asker.client !== "",
  };
  if (id === null || !now) return { ...facts, tab: null };
  const own = known(id)?.own === true;
  // The debugger keeps a tab from being frozen.
  const asleep = now.discarded || (now.frozen === true && !attachment(id));
  const asked = askedIn(id)?.kind ?? null;
  const tab = { own, shared: isShared(id), url: now.url ?? "", asleep };
  return { ...facts, asked, tab };
}

async function run(verb: Plain, asker: Asker | null, call: Call, pass: Pass): Promise<unknown> {
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
    case "knock":
      return Promise.resolve(null);
    case "ask":
      return ask(verb, named(asker));
    case "ask_end":
      return askEnd(verb.id, verb.how, named(asker));
    case "page":
      return tried(verb, () => page(verb.tab, verb.documents ?? null, verb.call, call, pass.never));
    case "cdp":
      return reaching(verb.tab, verb.commands, () => cdp(verb.tab, verb.commands, call, pass));
    case "plan":
      return plan(verb, named(asker), call);
    case "attach":
      return attachVerb(verb.tab);
    case "detach":
      return detachVerb(verb.tab);
    case "evaluate":
      return reaching(verb.tab, null, () => evaluate(verb, call, pass.pure));
    case "screenshot":
      return screenshot(verb, call, pass.neverShown);
    case "dialog":
      return dialog(verb.tab, verb.accept, verb.text ?? null);
    case "catch_chooser":
      return catchChooser(verb.tab, verb.on, call);
    case "adopt":
      return adopt(verb.tab, verb.document, verb.node, call);
    case "fill_secret":
      return fillSecret(verb, call, pass.secret);
    case "secret_origins":
      return setSecretOrigins(verb.origins);
    case "upload":
      return upload(verb.tab, verb.document, verb.element, verb.files, call);
    case "console":
      return readConsole(verb.tab, call);
    case "capture":
      return capture(verb.tab, verb.on);
    case "inspect":
      return inspect(verb, call);
    case "emulate":
      return emulate(verb.tab, verb.wish, call);
    case "mock":
      // What answers a page wrote is no page that may get a secret.
      return reaching(verb.tab, [MOCKING], () => mock(verb.tab, verb.rules));
    case "mocks":
      return Promise.resolve(mockState(verb.tab));
    case "cookies":
      return cookies(verb.tab, verb.values, call);
    case "trace":
      return verb.on ? startTrace(verb.tab, call) : endTrace(verb.tab, call);
    case "downloads":
      return downloadsOf(verb.tab);
    default:
      return unreachable(verb);
  }
}

const MOCKING = { method: "Fetch.enable", params: {}, noWait: false };

/** Page calls that could show a secret, or change the page that gets one. */
async function tried(
  { tab, call }: Extract<Verb, { verb: "page" }>,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const group = pageGroup(call);
  if (call.op !== "patch" && group !== "values" && group !== "store") return work();
  if (call.op === "patch") await notePatch(tab);
  return reaching(tab, null, work);
}

/** An ask is somebody's. */
function named(asker: Asker | null): Asker {
  if (asker === null) throw new Fault("POLICY", "no agent was named");
  return asker;
}

function asVerbError(error: unknown): VerbError {
  if (error instanceof Fault) {
    const { code, message, ask } = error;
    return ask === undefined ? { code, message } : { code, message, ask };
  }
  const message = words(error);
  if (/no tab with|no tab with given id/i.test(message)) {
    return { code: "TAB_NOT_FOUND", message: "the tab was closed" };
  }
  if (/not attached/i.test(message)) {
    return { code: "DEBUGGER_UNAVAILABLE", message: "the debugger was detached from the tab" };
  }
  return { code: "INTERNAL", message };
}
