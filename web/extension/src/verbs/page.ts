//! The verb `page`: calls the page agent in one, some or all documents of a tab. The agent's bundle
//! comes from this package and is put into a document when the first call finds none there.

import type { PageCall } from "../../../wire/page";
import type { JsonValue } from "../../../wire/serde_json/JsonValue";
import type { FrameReply } from "../../../wire/verb";
import { attachment, live, refuseWhileDialog } from "../attachment";
import { getFrames, scripting } from "../chrome";
import { Fault, words } from "../fault";
import { AUDIT_MS, PAGE_CALL_MS, PDF_FETCH_MS, SLOW_FRAME_MS } from "../limits";
import { tellRequests } from "../requests";
import { mayTouch } from "../url-rule";
import { until, within } from "../wait";
import type { Call } from "./context";

const AGENT = "agent.js";
const AXE = "axe.js";
const TOP = 0;

type Outcome = { ok: JsonValue } | { error: FrameReply["error"] } | { missing: true };

/** Injections that are on their way, by document. */
const injecting = new Map<string, Promise<unknown>>();

/** Calls the agent; one reply a frame that was reached. */
export async function page(
  tab: number,
  documents: readonly string[] | null,
  what: PageCall,
  call: Call,
  never: ReadonlySet<number>,
): Promise<FrameReply[]> {
  refuseWhileDialog(tab);
  const dialog = live(tab).dialogOpened.signal;
  const signal = AbortSignal.any([call.signal, dialog]);
  const stop = () => abortWaits(tab, documents, what);
  call.signal.addEventListener("abort", stop, { once: true });
  try {
    const replies = await until(
      documents ? inDocuments(tab, documents, what) : inAll(tab, what, never),
      signal,
    );
    if (what.op === "settle" && !attachment(tab)) await passRequests(tab);
    return replies;
  } finally {
    call.signal.removeEventListener("abort", stop);
  }
}

/** Who hears that a page is quiet must know what it waits for, and Chrome tells of that by itself. */
async function passRequests(tab: number): Promise<void> {
  // What Chrome told before it answers this is here then.
  await getFrames(tab);
  tellRequests();
}

async function inDocuments(
  tab: number,
  documents: readonly string[],
  what: PageCall,
): Promise<FrameReply[]> {
  const frames = getFrames(tab);
  const replies = await Promise.all(
    documents.map(async (document) => {
      const found = (await frames).find((frame) => frame.documentId === document);
      if (found && !mayTouch(found.url)) return protectedFrame(found.frameId, document);
      if (!found && !(await isShown(tab, document))) {
        return failed(-1, document, "REF_GONE", "the document is gone");
      }
      return callDocument(tab, document, found?.frameId ?? -1, what, found?.frameId === TOP);
    }),
  );
  return withParents(replies, await frames);
}

async function inAll(
  tab: number,
  what: PageCall,
  never: ReadonlySet<number>,
): Promise<FrameReply[]> {
  // Asking all frames at once finds kinds that `getAllFrames` leaves out (blob:, javascript:); the
  // listed ones do not wait for it.
  const found = within(presence(tab), SLOW_FRAME_MS, () => []).catch(() => []);
  const frames = await getFrames(tab);
  const calls = new Map<number, Promise<FrameReply>>();
  for (const { frameId, documentId, url } of frames) {
    if (never.has(frameId)) continue;
    calls.set(
      frameId,
      mayTouch(url)
        ? callDocument(tab, documentId, frameId, what, frameId === TOP)
        : Promise.resolve(protectedFrame(frameId, documentId)),
    );
  }
  for (const { frameId, documentId } of await found) {
    // Frames that Chrome does not list may be inside of one that is left out.
    if (calls.has(frameId) || never.size > 0) continue;
    calls.set(frameId, callDocument(tab, documentId, frameId, what, false));
  }
  return withParents(await Promise.all(calls.values()), frames);
}

/** Tokens of the tab's documents, for who looks for a frame's document. */
export async function tokensOf(
  tab: number,
  never: ReadonlySet<number>,
  call: Call,
): Promise<ReadonlyMap<string, string>> {
  const replies = await page(tab, null, { op: "hello" }, call, never);
  const found = new Map<string, string>();
  for (const { document, value } of replies) {
    const token = (value as { token?: unknown } | null | undefined)?.token;
    if (typeof token === "string") found.set(document, token);
  }
  return found;
}

async function presence(tab: number): Promise<{ frameId: number; documentId: string }[]> {
  return scripting.executeScript({
    target: { tabId: tab, allFrames: true },
    func: () => 1,
    injectImmediately: true,
  });
}

/**
 * Whether an unlisted document is in the page all the same. One that Chrome keeps for going back answers,
 * too, and must not: nobody sees it.
 */
async function isShown(tab: number, document: string): Promise<boolean> {
  const found = await within(presence(tab), SLOW_FRAME_MS, () => []).catch(() => []);
  return found.some(({ documentId }) => documentId === document);
}

async function callDocument(
  tab: number,
  document: string,
  frame: number,
  what: PageCall,
  top: boolean,
): Promise<FrameReply> {
  const limit = top ? PAGE_CALL_MS + waitOf(what) : SLOW_FRAME_MS + waitOf(what);
  try {
    const outcome = await within(callOrInject(tab, document, what), limit, () => {
      throw new Fault(
        top ? "TAB_WEDGED" : "TIMEOUT",
        `the ${top ? "page" : "frame"} did not answer within ${limit} ms`,
      );
    });
    const base = { frame: outcome.frame ?? frame, parent: -1, document };
    if ("error" in outcome.value) return { ...base, error: outcome.value.error };
    if ("ok" in outcome.value) return { ...base, value: outcome.value.ok };
    return failed(base.frame, document, "INTERNAL", "the page agent did not start");
  } catch (error) {
    if (error instanceof Fault) {
      if (top) throw error;
      return failed(frame, document, error.code, error.message);
    }
    return failed(frame, document, ...chromeRefusal(words(error)));
  }
}

interface Answer {
  frame: number | null;
  value: Outcome;
}

async function callOrInject(tab: number, document: string, what: PageCall): Promise<Answer> {
  if (what.op === "audit") await put(tab, document, AXE);
  const first = await callOnce(tab, document, what);
  if (!("missing" in first.value)) return first;
  await inject(tab, document);
  return callOnce(tab, document, what);
}

/** Puts the agent into a document, once however many calls find it missing. */
export function inject(tab: number, document: string): Promise<unknown> {
  let run = injecting.get(document);
  if (!run) {
    run = put(tab, document, AGENT).finally(() => injecting.delete(document));
    injecting.set(document, run);
  }
  return run;
}

function put(tab: number, document: string, file: string): Promise<unknown> {
  return scripting.executeScript({
    target: { tabId: tab, documentIds: [document] },
    files: [file],
    injectImmediately: true,
  });
}

async function callOnce(tab: number, document: string, what: PageCall): Promise<Answer> {
  const [result] = await scripting.executeScript({
    target: { tabId: tab, documentIds: [document] },
    func: callAgent,
    args: [what],
    injectImmediately: true,
  });
  const value = result?.result as Outcome | null | undefined;
  return {
    frame: result?.frameId ?? null,
    value: value ?? { error: { code: "INTERNAL", message: "the page agent gave no answer" } },
  };
}

/** Runs in the page's isolated world. */
function callAgent(what: PageCall): unknown {
  const world = globalThis as { __pillion?: { call(call: PageCall): Promise<unknown> } };
  return world.__pillion ? world.__pillion.call(what) : { missing: true };
}

/** Nobody waits any more: what runs in the page by its own clock is stopped. */
function abortWaits(tab: number, documents: readonly string[] | null, what: PageCall): void {
  if (waitOf(what) === 0 || what.op === "audit") return;
  const target = documents
    ? { tabId: tab, documentIds: [...documents] }
    : { tabId: tab, allFrames: true };
  // The page may be gone already; then nothing runs.
  scripting
    .executeScript({ target, func: callAgent, args: [{ op: "abort" }], injectImmediately: true })
    .catch(() => undefined);
}

/** How long the call itself may take by its own words. */
function waitOf(what: PageCall): number {
  switch (what.op) {
    case "wait":
      return what.timeoutMs;
    case "settle":
      return what.capMs;
    case "pdf":
      return what.from === 0 ? PDF_FETCH_MS : 0;
    case "audit":
      return AUDIT_MS;
    default:
      return 0;
  }
}

function withParents(
  replies: FrameReply[],
  frames: readonly chrome.webNavigation.GetAllFrameResultDetails[],
): FrameReply[] {
  const parents = new Map(frames.map((frame) => [frame.frameId, frame.parentFrameId]));
  return replies.map((reply) => ({ ...reply, parent: parents.get(reply.frame) ?? -1 }));
}

function protectedFrame(frame: number, document: string): FrameReply {
  return failed(frame, document, "PROTECTED_PAGE", "Chrome keeps extensions off this frame");
}

function chromeRefusal(why: string): ["NAVIGATION_FAILED" | "REF_GONE" | "PROTECTED_PAGE", string] {
  if (/error page|chrome-error/i.test(why)) {
    return ["NAVIGATION_FAILED", "the frame shows an error page"];
  }
  if (/no document|no frame|was removed|no tab/i.test(why)) {
    return ["REF_GONE", "the document is gone"];
  }
  return ["PROTECTED_PAGE", "Chrome keeps extensions off this page"];
}

function failed(
  frame: number,
  document: string,
  code: NonNullable<FrameReply["error"]>["code"],
  message: string,
): FrameReply {
  return { frame, parent: -1, document, error: { code, message } };
}
