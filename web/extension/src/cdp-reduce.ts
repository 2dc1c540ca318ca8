//! Debugger events, reduced to the fields that a receipt or a log needs. Pure; `null` means that the
//! daemon is not told.

import type { JsonValue } from "../../wire/serde_json/JsonValue";
import { toldHeaderObject } from "./headers";
import { EVENT_URL_CHARS } from "./limits";

type Json = Record<string, unknown>;

/** What the daemon is told of an event. */
export function reduce(method: string, params: Json): JsonValue | null {
  switch (method) {
    case "Page.javascriptDialogOpening":
      return pick(params, ["url", "message", "type", "defaultPrompt", "hasBrowserHandler"]);
    case "Page.javascriptDialogClosed":
      return pick(params, ["result", "userInput"]);
    case "Page.downloadWillBegin":
      return pick(params, ["frameId", "guid", "url", "suggestedFilename"]);
    case "Page.downloadProgress":
      return pick(params, ["guid", "totalBytes", "receivedBytes", "state"]);
    case "Page.fileChooserOpened":
      return pick(params, ["frameId", "mode", "backendNodeId"]);
    case "Page.lifecycleEvent":
      return null;
    case "Network.requestWillBeSent":
      return request(params);
    case "Network.responseReceived":
      return {
        ...record(pick(params, ["requestId", "loaderId", "timestamp", "type", "frameId"])),
        response: response(params.response, talks(params.type)),
      };
    case "Network.dataReceived":
      return pick(params, ["requestId"]);
    case "Network.loadingFinished":
      return pick(params, ["requestId", "timestamp", "encodedDataLength"]);
    case "Network.loadingFailed":
      return pick(params, [
        "requestId",
        "timestamp",
        "type",
        "errorText",
        "canceled",
        "blockedReason",
      ]);
    case "Log.entryAdded":
    case "Input.dragIntercepted":
    case "Runtime.consoleAPICalled":
    case "Runtime.exceptionThrown":
    case "Fetch.requestPaused":
      return params as JsonValue;
    case "Inspector.targetCrashed":
      return {};
    default:
      return null;
  }
}

function request(params: Json): JsonValue {
  const inner = record(params.request);
  const initiator = record(params.initiator);
  return {
    ...record(
      pick(params, [
        "requestId",
        "loaderId",
        "timestamp",
        "wallTime",
        "type",
        "frameId",
        "hasUserGesture",
      ]),
    ),
    request: {
      ...record(pick(inner, ["method", "hasPostData"])),
      url: url(inner.url),
      ...(talks(params.type) && { headers: toldHeaderObject(inner.headers) }),
    },
    initiator: { ...record(pick(initiator, ["type"])), ...caller(initiator.stack) },
    ...(params.redirectResponse ? { redirectResponse: response(params.redirectResponse) } : {}),
  };
}

/** What a script asks for, and documents: their headers are told. */
function talks(type: unknown): boolean {
  return type === "XHR" || type === "Fetch" || type === "Document" || type === "WebSocket";
}

/** The innermost place that asked. */
function caller(stack: unknown): { [key: string]: JsonValue } {
  const frames = record(stack).callFrames;
  const first = Array.isArray(frames) ? record(frames[0]) : {};
  if (typeof first.url !== "string") return {};
  return {
    at: {
      ...record(pick(first, ["lineNumber", "columnNumber"])),
      function: String(first.functionName ?? "").slice(0, 80),
      url: url(first.url),
    },
  };
}

function response(value: unknown, headers = false): JsonValue {
  const inner = record(value);
  return {
    ...record(
      pick(inner, [
        "status",
        "statusText",
        "mimeType",
        "fromDiskCache",
        "fromServiceWorker",
        "encodedDataLength",
        "protocol",
      ]),
    ),
    url: url(inner.url),
    ...(headers && { headers: toldHeaderObject(inner.headers) }),
  };
}

function url(value: unknown): string {
  return typeof value === "string" ? value.slice(0, EVENT_URL_CHARS) : "";
}

function record(value: unknown): { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null ? (value as { [key: string]: JsonValue }) : {};
}

function pick(from: Json, names: readonly string[]): JsonValue {
  const out: { [key: string]: JsonValue } = {};
  for (const name of names) {
    if (from[name] !== undefined) {
      out[name] = name === "url" ? url(from[name]) : (from[name] as JsonValue);
    }
  }
  return out;
}
