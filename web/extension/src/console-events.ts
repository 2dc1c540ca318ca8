//! The debugger's console events while somebody reads a console: taken by the reader, told to nobody
//! else. Only messages of the page's own worlds.

import { live } from "./attachment";
import { isNever } from "./places";

type Json = Record<string, unknown>;

/** One event as it came. */
export interface Told {
  readonly method: string;
  readonly params: Json;
}

interface Reader {
  readonly tab: number;
  readonly session: string | undefined;
  readonly most: number;
  readonly told: Told[];
  dropped: number;
}

const readers = new Set<Reader>();

/** Collects the events of one session; the oldest give way. */
export function readEvents(tab: number, session: string | undefined, most: number) {
  const reader: Reader = { tab, session, most, told: [], dropped: 0 };
  readers.add(reader);
  return { told: reader.told, dropped: () => reader.dropped, stop: () => readers.delete(reader) };
}

/** Takes an event that a reader waits for; false when none does. */
export function consoleEvent(
  tab: number,
  session: string | undefined,
  method: string,
  params: Json,
): boolean {
  if (!isConsole(method)) return false;
  let taken = false;
  for (const reader of readers) {
    if (reader.tab !== tab || reader.session !== session) continue;
    taken = true;
    if (!isOfPage(tab, session, params)) continue;
    reader.told.push({ method, params });
    if (reader.told.length <= reader.most) continue;
    reader.told.shift();
    reader.dropped += 1;
  }
  return taken;
}

function isConsole(method: string): boolean {
  return (
    method === "Runtime.consoleAPICalled" ||
    method === "Runtime.exceptionThrown" ||
    method === "Log.entryAdded"
  );
}

function isOfPage(tab: number, session: string | undefined, params: Json): boolean {
  const details = params.exceptionDetails as
    | { executionContextId?: number; url?: string }
    | undefined;
  const entry = params.entry as { url?: string } | undefined;
  if (isNever(details?.url ?? "") || isNever(entry?.url ?? "")) return false;
  const context = params.executionContextId ?? details?.executionContextId;
  return context === undefined || live(tab).contexts.has(`${session ?? ""}:${String(context)}`);
}
