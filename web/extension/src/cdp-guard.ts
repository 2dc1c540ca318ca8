//! Looks up one debugger command in the table. Pure; `null` means that it may be sent.

import type { CdpCommand } from "../../wire/verb";
import { ALLOWED, type Params, REQUIRED, type Rule } from "./cdp-table";

/** What the guard knows of the tab that a command is for. */
export interface CdpFacts {
  hasSession(session: string): boolean;
  hasObject(object: string): boolean;
  hasRequest(request: string): boolean;
}

/** Editing commands that a key may carry; what reads the clipboard is not among them. */
const EDITING = /^(move|select|delete|insert|undo|redo|scroll|center|unselect)[A-Za-z:]*$/;

/** Why the command may not be sent. */
export function commandRefusal(command: CdpCommand, facts: CdpFacts): string | null {
  const allowed = ALLOWED.get(command.method);
  if (!allowed) return `\`${printable(command.method)}\` is not allowed`;
  const session = command.session ?? null;
  if (session !== null && !facts.hasSession(session)) return "that session is not of this tab";
  const params = command.params ?? {};
  if (!isRecord(params)) return "parameters must be an object";
  return (
    paramsRefusal(command.method, params, allowed, facts) ?? missing(command.method, params) ?? null
  );
}

function paramsRefusal(
  method: string,
  params: Record<string, unknown>,
  allowed: Params,
  facts: CdpFacts,
): string | null {
  for (const [name, value] of Object.entries(params)) {
    const rule = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (rule === undefined || !fits(value, rule, facts)) {
      return `\`${printable(name)}\` of \`${method}\` is not allowed`;
    }
  }
  return null;
}

function missing(method: string, params: Record<string, unknown>): string | null {
  const name = REQUIRED[method]?.find((required) => !Object.hasOwn(params, required));
  return name === undefined ? null : `\`${method}\` needs \`${name}\``;
}

function fits(value: unknown, rule: Rule, facts: CdpFacts): boolean {
  if (typeof rule === "object") return rule.only.some((allowed) => allowed === value);
  switch (rule) {
    case "number":
    case "string":
    case "boolean":
      // The rule is one of typeof's own words.
      return typeof value === rule;
    case "json":
      return true;
    case "object":
      return typeof value === "string" && facts.hasObject(value);
    case "request":
      return typeof value === "string" && facts.hasRequest(value);
    case "arguments":
      return Array.isArray(value) && value.every((item) => isArgument(item, facts));
    case "drag":
      return isDrag(value);
    case "commands":
      return Array.isArray(value) && value.every((c) => typeof c === "string" && EDITING.test(c));
  }
}

function isArgument(item: unknown, facts: CdpFacts): boolean {
  if (!isRecord(item) || !only(item, ["value", "unserializableValue", "objectId"])) return false;
  const object = item.objectId;
  return object === undefined || (typeof object === "string" && facts.hasObject(object));
}

/** Dragged data without `files`: those would be read from the disk. */
function isDrag(value: unknown): boolean {
  if (!isRecord(value) || !only(value, ["items", "dragOperationsMask"])) return false;
  if (!Array.isArray(value.items)) return false;
  return value.items.every(
    (item) => isRecord(item) && only(item, ["mimeType", "data", "title", "baseURL"]),
  );
}

/** Ids of objects in a result, for the ledger of what was issued. */
export function objectIds(result: unknown, into: string[] = []): string[] {
  if (Array.isArray(result)) for (const item of result) objectIds(item, into);
  else if (isRecord(result)) {
    for (const [key, value] of Object.entries(result)) {
      if (key === "objectId" && typeof value === "string") into.push(value);
      else objectIds(value, into);
    }
  }
  return into;
}

function only(record: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.keys(record).every((key) => names.includes(key));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The daemon's own words, made harmless for a message. */
function printable(text: string): string {
  return text.replaceAll(/[^\w.]/g, "").slice(0, 60);
}
