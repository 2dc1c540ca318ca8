//! What of Chrome's trace may be told: events of known names, of known fields, of the tab's own frames.
//! A process may be home to other tabs, and Chrome's own processes are in the trace, too: whatever cannot
//! be told to be the tab's is left out. Pure.

import type { JsonValue } from "../../wire/serde_json/JsonValue";
import { LONG_TASK_US, TRACE_CHARS, TRACE_SEEN, TRACE_TOLD, TRACED_US } from "./limits";

type Json = Record<string, unknown>;

/** Fields of `args.data` and `args.beginData` that are told, by the event's name. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  navigationStart: ["documentLoaderURL", "isOutermostMainFrame", "navigationId"],
  firstContentfulPaint: ["navigationId"],
  "largestContentfulPaint::Candidate": [
    "candidateIndex",
    "imageDiscoveryTime",
    "imageLoadEnd",
    "imageLoadStart",
    "isOutermostMainFrame",
    "navigationId",
    "nodeId",
    "nodeName",
    "size",
    "type",
  ],
  "LargestImagePaint::Candidate": ["DOMNodeId", "imageUrl", "isOutermostMainFrame"],
  LayoutShift: ["had_recent_input", "impacted_nodes", "is_main_frame", "weighted_score_delta"],
  EventTiming: [
    "duration",
    "interactionId",
    "nodeId",
    "processingEnd",
    "processingStart",
    "timeStamp",
    "type",
  ],
  ResourceSendRequest: [
    "priority",
    "renderBlocking",
    "requestId",
    "requestMethod",
    "resourceType",
    "url",
  ],
  ResourceReceiveResponse: [
    "encodedDataLength",
    "fromCache",
    "fromServiceWorker",
    "mimeType",
    "requestId",
    "statusCode",
    "timing",
  ],
  ResourceFinish: ["decodedBodyLength", "didFail", "encodedDataLength", "finishTime", "requestId"],
  FunctionCall: ["columnNumber", "functionName", "lineNumber", "url"],
  EvaluateScript: ["columnNumber", "lineNumber", "url"],
  Layout: ["dirtyObjects", "stackTrace", "totalObjects"],
  UpdateLayoutTree: ["stackTrace"],
  MarkDOMContent: ["isOutermostMainFrame"],
  MarkLoad: ["isOutermostMainFrame"],
  RunTask: [],
};

/** Events that last and are told only when they last long enough, or have a stack. */
const LASTING: ReadonlySet<string> = new Set([
  "FunctionCall",
  "EvaluateScript",
  "Layout",
  "UpdateLayoutTree",
]);

/** What the tab's own frames are known by. */
export interface Own {
  /** Frames of the tab when the trace ended, by Chrome's names. */
  readonly frames: readonly string[];
  /** Addresses that agents may not be told of. */
  readonly isHidden: (url: string) => boolean;
}

/** What is told of a trace. */
export interface Kept {
  readonly events: JsonValue[];
  readonly dropped: number;
  readonly hidden: number;
}

/** Takes events as they come; what is of the tab is known only at the end. */
export class TraceKeep {
  readonly #events: Json[] = [];
  /** What the browser told of frames. */
  readonly #browser: Json[] = [];
  #dropped = 0;

  add(events: readonly unknown[]): void {
    for (const event of events) {
      if (!isRecord(event)) continue;
      const { name } = event;
      if (name === "TracingStartedInBrowser" || name === "FrameCommittedInBrowser") {
        if (this.#browser.length < TRACE_TOLD) this.#browser.push(record(record(event.args).data));
      } else if (isWanted(event)) {
        if (this.#events.length < TRACE_SEEN) this.#events.push(event);
        else this.#dropped += 1;
      }
    }
  }

  /** The tab's part of it. */
  end(own: Own): Kept {
    const { frames, processes, hidden } = framesOf(this.#browser, own);
    const isOwn = (event: Json) => processes.has(Number(event.pid)) && frames.has(frameOf(event));
    const requests = new Set<string>();
    const threads = new Set<string>();
    const foreign = new Map<string, number[]>();
    for (const event of this.#events) {
      const frame = frameOf(event);
      if (frame === "") continue;
      const thread = threadOf(event);
      if (!isOwn(event)) {
        const times = foreign.get(thread) ?? [];
        times.push(Number(event.ts));
        foreign.set(thread, times);
        continue;
      }
      threads.add(thread);
      const { requestId } = record(record(event.args).data);
      if (typeof requestId === "string") requests.add(`${event.pid} ${requestId}`);
    }
    const kept = this.#events.filter((event) => {
      if (event.name === "RunTask") {
        const thread = threadOf(event);
        return threads.has(thread) && !holdsOne(event, foreign.get(thread) ?? []);
      }
      if (event.name === "ResourceFinish") {
        return requests.has(`${event.pid} ${record(record(event.args).data).requestId}`);
      }
      return isOwn(event);
    });
    const told = kept.slice(0, TRACE_TOLD).map(reduced);
    const dropped = this.#dropped + kept.length - told.length;
    return { events: told, dropped, hidden };
  }
}

function isWanted(event: Json): boolean {
  const name = String(event.name);
  if (!Object.hasOwn(KNOWN, name)) return false;
  const lasted = Number(event.dur ?? 0);
  if (name === "RunTask") return event.ph === "X" && lasted >= LONG_TASK_US;
  if (name === "EventTiming") {
    return event.ph === "b" && Number(record(record(event.args).data).interactionId) > 0;
  }
  return !LASTING.has(name) || lasted >= TRACED_US || stackOf(event).length > 0;
}

/** The tab's frames and processes. A frame that showed what agents may not see is none of them. */
function framesOf(told: readonly Json[], own: Own) {
  const frames = new Set<string>(own.frames);
  const processes = new Set<number>();
  const hidden = new Set<string>();
  const take = (frame: Json) => {
    const id = String(frame.frame);
    const parent = typeof frame.parent === "string" ? frame.parent : "";
    // Chrome tells of this tab's only; who has neither a known name nor a known parent is not believed.
    if (!frames.has(id) && !frames.has(parent)) return;
    frames.add(id);
    if (hidden.has(parent) || own.isHidden(String(frame.url ?? ""))) hidden.add(id);
    else if (typeof frame.processId === "number") processes.add(frame.processId);
  };
  for (const data of told) {
    if (Array.isArray(data.frames)) data.frames.filter(isRecord).forEach(take);
    else take(data);
  }
  for (const id of hidden) frames.delete(id);
  return { frames, processes, hidden: hidden.size };
}

function frameOf(event: Json): string {
  const args = record(event.args);
  const frame = args.frame ?? record(args.data).frame ?? record(args.beginData).frame;
  return typeof frame === "string" ? frame : "";
}

function threadOf({ pid, tid }: Json): string {
  return `${pid} ${tid}`;
}

/** Whether one of the times is within the event. */
function holdsOne({ ts, dur }: Json, times: readonly number[]): boolean {
  const begun = Number(ts);
  return times.some((time) => time >= begun && time <= begun + Number(dur));
}

function stackOf(event: Json): readonly unknown[] {
  const stack = record(record(event.args).beginData).stackTrace;
  return Array.isArray(stack) ? stack : [];
}

/** The event with known fields only, as Chrome's own trace files have it. */
function reduced(event: Json): JsonValue {
  const args = record(event.args);
  const names = KNOWN[String(event.name)] ?? [];
  const out: Json = {};
  const frame = frameOf(event);
  if (frame !== "") out.frame = frame;
  for (const part of ["data", "beginData"]) {
    if (isRecord(args[part])) out[part] = picked(record(args[part]), names);
  }
  const { cat, dur, name, ph, pid, tid, ts } = event;
  return plain({ name, cat, ph, pid, tid, ts, ...(dur !== undefined && { dur }), args: out }, 0);
}

function picked(from: Json, names: readonly string[]): Json {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]),
  );
}

const DEEPEST = 6;
const LONGEST_LIST = 20;

/** Bounded in depth, length and text. */
function plain(value: unknown, depth: number): JsonValue {
  if (typeof value === "string") return value.slice(0, TRACE_CHARS);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (depth >= DEEPEST || typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) return value.slice(0, LONGEST_LIST).map((one) => plain(one, depth + 1));
  const entries = Object.entries(value).map(([name, one]) => [name, plain(one, depth + 1)]);
  return Object.fromEntries(entries) as JsonValue;
}

function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
