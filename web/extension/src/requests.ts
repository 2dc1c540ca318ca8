//! The passive list of requests: what `webRequest` tells of own and shared tabs, told on in batches.
//! Keeps nothing of a request: whatever step comes first after a worker's death is enough for the
//! daemon. Listens only while agents may know of a tab, so that it wakes the worker for nobody else.

import type { NetStep, Step } from "../../wire/looking";
import { whenAlive } from "./alive";
import { attachment, live } from "./attachment";
import { entries } from "./book";
import { webRequest } from "./chrome";
import { type Header, headerOf, mimeOf, toldHeaders, toldUrl } from "./headers";
import { EVENT_URL_CHARS, REQUESTS_TOLD_MS, REQUESTS_WAITING } from "./limits";
import { emitFor, isOpening, isTold } from "./outbox";
import { isTellable } from "./request-rule";
import { siteRules } from "./rules-store";
import { settings } from "./settings";

interface Details {
  readonly requestId: string;
  readonly url: string;
  readonly method: string;
  readonly type: string;
  readonly tabId: number;
  readonly frameId: number;
  readonly timeStamp: number;
  readonly initiator?: string | undefined;
  readonly statusCode?: number | undefined;
  readonly fromCache?: boolean | undefined;
  readonly error?: string | undefined;
  readonly requestHeaders?: readonly Header[] | undefined;
  readonly responseHeaders?: readonly Header[] | undefined;
}

interface Waiting {
  steps: NetStep[];
  dropped: number;
  blocked: number;
}

const waiting = new Map<number, Waiting>();
let isDue = false;
let listening = false;

const ALL = { urls: ["<all_urls>"] };
/** Kinds whose headers are worth telling. */
const TALKS = new Set(["main_frame", "sub_frame", "xmlhttprequest", "websocket", "ping", "other"]);
const STREAMS = /^(text\/event-stream|multipart\/x-mixed-replace|application\/x-ndjson)$/;

/** Listens while agents may know of some tab. Called at once on each wake, and when tabs change. */
export function watchRequests(on: boolean): void {
  if (on === listening) return;
  listening = on;
  if (on) {
    webRequest.onBeforeRequest.addListener(begun, ALL);
    webRequest.onSendHeaders.addListener(sent, ALL, ["requestHeaders"]);
    webRequest.onBeforeRedirect.addListener(redirected, ALL, ["responseHeaders"]);
    webRequest.onResponseStarted.addListener(opened, ALL, ["responseHeaders"]);
    webRequest.onCompleted.addListener(ended, ALL, ["responseHeaders"]);
    webRequest.onErrorOccurred.addListener(ended, ALL);
  } else {
    webRequest.onBeforeRequest.removeListener(begun);
    webRequest.onSendHeaders.removeListener(sent);
    webRequest.onBeforeRedirect.removeListener(redirected);
    webRequest.onResponseStarted.removeListener(opened);
    webRequest.onCompleted.removeListener(ended);
    webRequest.onErrorOccurred.removeListener(ended);
  }
}

/** As the book of tabs demands. */
export function watchRequestsAsNeeded(): void {
  const some = entries().some(([, entry]) => entry.own || entry.shared);
  watchRequests(some || isOpening() || settings.value.sharing === "every");
}

function begun(details: object): undefined {
  take(details, "begun");
}

function sent(details: object): void {
  const { type, requestHeaders } = details as Details;
  // Only what it adds: the headers.
  if (TALKS.has(type) && requestHeaders?.length) take(details, "begun");
}

function redirected(details: object): void {
  take(details, "redirected");
}

function opened(details: object): void {
  const { type, responseHeaders } = details as Details;
  if (type === "websocket" || STREAMS.test(mimeOf(responseHeaders) ?? "")) take(details, "open");
}

function ended(details: object): void {
  take(details, "ended");
}

function take(given: object, step: Step): void {
  const details = given as Details;
  if (details.tabId < 0) return;
  whenAlive(() => queue(details, step));
}

function queue(details: Details, step: Step): void {
  const tab = details.tabId;
  if (!isTold(tab)) return;
  let box = waiting.get(tab);
  if (!box) {
    box = { steps: [], dropped: 0, blocked: 0 };
    waiting.set(tab, box);
  }
  if (!isTellable(details.url, details.initiator, siteRules())) {
    if (step === "ended") box.blocked += 1;
    if (box.blocked === 0) return;
  } else if (box.steps.length >= REQUESTS_WAITING) box.dropped += 1;
  else box.steps.push(stepOf(details, step));
  if (isDue) return;
  isDue = true;
  setTimeout(tell, REQUESTS_TOLD_MS);
}

function stepOf(details: Details, step: Step): NetStep {
  const { type, statusCode, responseHeaders, requestHeaders } = details;
  const talks = TALKS.has(type) || (statusCode ?? 0) >= 400;
  const size = Number(headerOf(responseHeaders, "content-length") ?? Number.NaN);
  const mime = mimeOf(responseHeaders);
  return {
    id: details.requestId,
    url: toldUrl(details.url, EVENT_URL_CHARS),
    method: details.method.slice(0, 12),
    kind: type,
    frame: details.frameId,
    at: details.timeStamp,
    step,
    ...(details.initiator !== undefined && { initiator: details.initiator.slice(0, 200) }),
    ...(statusCode !== undefined && statusCode > 0 && { status: statusCode }),
    ...(details.error !== undefined && { error: details.error.slice(0, 100) }),
    ...(Number.isFinite(size) && { size }),
    ...(mime !== undefined && { mime }),
    ...(details.fromCache === true && { cached: true }),
    ...(talks && requestHeaders && { requestHeaders: toldHeaders(requestHeaders) }),
    ...(talks && responseHeaders && { responseHeaders: toldHeaders(responseHeaders) }),
  };
}

/** Tells at once what waits: who hears that a page is quiet must know what it still waits for. */
export function tellRequests(): void {
  if (waiting.size > 0) tell();
}

function tell(): void {
  isDue = false;
  const due = [...waiting];
  waiting.clear();
  for (const [tab, box] of due) emitFor(tab, { event: "requests", told: { tab, ...box } });
}

/** The debugger told of a request: its body may be asked for when the page itself may read it. */
export function noteRequest(tab: number, params: Record<string, unknown>): void {
  const request = params.request as { url?: unknown } | undefined;
  const now = live(tab);
  const id = String(params.requestId);
  now.requests.add(id);
  if (attachment(tab)) {
    now.bodies.add(id, {
      url: String(request?.url ?? ""),
      page: String(params.documentURL ?? ""),
      document: params.type === "Document",
      talks: ["Document", "XHR", "Fetch"].includes(String(params.type)),
    });
  }
}
