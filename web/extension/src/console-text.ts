//! Console events as entries: level, words, place. Pure.

import type { CallFrame, ConsoleEntry } from "../../wire/looking";
import type { Told } from "./console-events";
import { CONSOLE_CHARS, EVENT_URL_CHARS, STACK_MOST } from "./limits";

/** `Runtime.RemoteObject`, as far as it is read. */
export interface Remote {
  readonly type: string;
  readonly subtype?: string;
  readonly className?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly description?: string;
  readonly objectId?: string;
}

/** The words of objects that were looked into, by id. */
export type Looked = ReadonlyMap<string, string>;

const LEVELS: Readonly<Record<string, string>> = {
  error: "error",
  assert: "error",
  warning: "warning",
  info: "info",
  debug: "debug",
  verbose: "debug",
};
const GROUPS = new Set(["startGroup", "startGroupCollapsed"]);

/** Entries of one session's events, in order; equal neighbours are one entry. */
export function entriesOf(told: readonly Told[], looked: Looked): ConsoleEntry[] {
  const out: ConsoleEntry[] = [];
  let depth = 0;
  for (const { method, params } of told) {
    const type = String(params.type ?? "");
    // What Chrome advises the page's maker of.
    if ((params.entry as { level?: unknown } | undefined)?.level === "verbose") continue;
    if (method === "Runtime.consoleAPICalled" && type === "endGroup") {
      depth = Math.max(0, depth - 1);
      continue;
    }
    const entry = { ...entryOf(method, params, looked), depth };
    if (GROUPS.has(type)) depth += 1;
    const last = out.at(-1);
    if (last && isSame(last, entry)) last.times += 1;
    else out.push(entry);
  }
  return out;
}

/** Whether two entries say the same at the same place. */
export function isSame(one: ConsoleEntry, other: ConsoleEntry): boolean {
  const at = (entry: ConsoleEntry) => JSON.stringify([entry.stack[0] ?? null, entry.depth]);
  return (
    one.text === other.text &&
    one.level === other.level &&
    one.source === other.source &&
    at(one) === at(other)
  );
}

function entryOf(method: string, params: Record<string, unknown>, looked: Looked): ConsoleEntry {
  if (method === "Runtime.exceptionThrown") return thrown(params);
  if (method === "Log.entryAdded") return logged(params);
  const type = String(params.type ?? "log");
  const args = (Array.isArray(params.args) ? params.args : []) as Remote[];
  const words = type === "clear" ? "(the console was cleared)" : formatted(args, looked);
  return {
    at: Number(params.timestamp ?? 0),
    level: LEVELS[type] ?? "log",
    text: cut(type === "assert" && words === "" ? "assertion failed" : words),
    times: 1,
    depth: 0,
    stack:
      type === "log" && !isError(args[0])
        ? stackOf(params.stackTrace).slice(0, 1)
        : stackOf(params.stackTrace),
    source: "console",
  };
}

function isError(value: Remote | undefined): boolean {
  return value?.subtype === "error";
}

function thrown(params: Record<string, unknown>): ConsoleEntry {
  const details = (params.exceptionDetails ?? {}) as Record<string, unknown>;
  const exception = details.exception as Remote | undefined;
  const what = exception ? words(exception, new Map()).split("\n    at ")[0] : "";
  const told = stackOf(details.stackTrace);
  // Of a rejection Chrome tells the innermost place only; the error's own words have them all.
  const own = stackInWords(exception?.description ?? "");
  const stack = own.length > told.length ? own : told;
  const place = frameOf(details);
  return {
    at: Number(params.timestamp ?? 0),
    level: "error",
    text: cut(`${String(details.text ?? "Uncaught")}${what ? ` ${what}` : ""}`),
    times: 1,
    depth: 0,
    stack: stack.length > 0 || !place.url ? stack : [place],
    source: "exception",
  };
}

function logged(params: Record<string, unknown>): ConsoleEntry {
  const entry = (params.entry ?? {}) as Record<string, unknown>;
  const level = String(entry.level ?? "info");
  const stack = stackOf(entry.stackTrace);
  const url = String(entry.url ?? "").slice(0, EVENT_URL_CHARS);
  const place = { function: "", url, line: Number(entry.lineNumber ?? -1) + 1, column: 0 };
  return {
    at: Number(entry.timestamp ?? 0),
    level: LEVELS[level] ?? "info",
    text: cut(String(entry.text ?? "")),
    times: 1,
    depth: 0,
    stack: stack.length > 0 || url === "" ? stack : [place],
    source: String(entry.source ?? "other").slice(0, 20),
  };
}

/** The arguments as the console shows them: the first may hold `%s` and its like. */
function formatted(args: readonly Remote[], looked: Looked): string {
  const [first, ...rest] = args;
  if (first?.type !== "string" || !/%[sdifoOc]/.test(String(first.value))) {
    return args.map((arg) => words(arg, looked)).join(" ");
  }
  const text = String(first.value).replaceAll(/%[sdifoOc%]/g, (mark) => {
    if (mark === "%%") return "%";
    const arg = rest.shift();
    if (!arg) return mark;
    return mark === "%c" ? "" : words(arg, looked);
  });
  return [text, ...rest.map((arg) => words(arg, looked))].join(" ");
}

/** A value in words. */
export function words(value: Remote, looked: Looked): string {
  if (value.type === "string") return String(value.value ?? "").slice(0, CONSOLE_CHARS);
  if (value.unserializableValue !== undefined) return value.unserializableValue;
  if (value.type === "undefined") return "undefined";
  if (value.subtype === "null") return "null";
  if (value.objectId !== undefined) {
    const known = looked.get(value.objectId);
    if (known !== undefined) return known;
  }
  if (value.description !== undefined) return value.description.slice(0, CONSOLE_CHARS);
  return value.value === undefined ? value.type : JSON.stringify(value.value);
}

/** One property as `Runtime.getProperties` gives it. */
export interface Property {
  readonly name: string;
  readonly enumerable: boolean;
  readonly value?: Remote;
  readonly get?: Remote;
}

const PROPERTIES_SHOWN = 12;
const VALUE_CHARS = 80;

/** `{a: 1, b: Array(2)}` without running a getter. */
export function objectWords(value: Remote, properties: readonly Property[]): string {
  const isList = value.subtype === "array" || value.subtype === "typedarray";
  const shown = properties.filter((property) => property.enumerable);
  const parts = shown.slice(0, PROPERTIES_SHOWN).map((property) => {
    const inner = property.value ? inside(property.value) : "(getter)";
    return isList ? inner : `${property.name}: ${inner}`;
  });
  if (shown.length > PROPERTIES_SHOWN) parts.push(`… ${shown.length - PROPERTIES_SHOWN} more`);
  const name = value.className && !["Object", "Array"].includes(value.className);
  const head = name ? `${value.description ?? value.className} ` : "";
  return `${head}${isList ? "[" : "{"}${parts.join(", ")}${isList ? "]" : "}"}`;
}

function inside(value: Remote): string {
  const plain = words(value, new Map()).split("\n")[0] ?? "";
  const short = plain.length > VALUE_CHARS ? `${plain.slice(0, VALUE_CHARS)}…` : plain;
  return value.type === "string" ? JSON.stringify(short) : short;
}

function stackOf(trace: unknown): CallFrame[] {
  const frames = (trace as { callFrames?: unknown } | undefined)?.callFrames;
  return Array.isArray(frames) ? frames.slice(0, STACK_MOST).map(frameOf) : [];
}

/** `    at load (https://a.example/app.js:7:3)`, as V8 writes an error's stack. */
function stackInWords(description: string): CallFrame[] {
  const lines = description.slice(0, CONSOLE_CHARS).matchAll(STACK_LINE);
  return [...lines].slice(0, STACK_MOST).map(([, name = "", url = "", line, column]) => ({
    function: name.trim().slice(0, 80),
    url: url.slice(0, EVENT_URL_CHARS),
    line: Number(line),
    column: Number(column),
  }));
}

const STACK_LINE = /^ {4}at (?:(.*?) \()?(\S*?):(\d+):(\d+)\)?$/gm;

function frameOf(given: unknown): CallFrame {
  const frame = given as Record<string, unknown>;
  return {
    function: String(frame.functionName ?? "").slice(0, 80),
    url: String(frame.url ?? "").slice(0, EVENT_URL_CHARS),
    line: Number(frame.lineNumber ?? -1) + 1,
    column: Number(frame.columnNumber ?? -1) + 1,
  };
}

function cut(text: string): string {
  return text.length > CONSOLE_CHARS ? `${text.slice(0, CONSOLE_CHARS)}…` : text;
}
