//! The verb `console`: what Chrome remembers of a page's console, in all frames. The Runtime domain is
//! on for that moment only: its replay holds everything since the page loaded.

import type { ConsoleEntry, ConsoleReply } from "../../../wire/looking";
import { attach, attachment, command, refuseWhileDialog, using } from "../attachment";
import { readEvents, type Told } from "../console-events";
import { entriesOf, isSame, objectWords, type Property, type Remote } from "../console-text";
import { Fault } from "../fault";
import {
  COMMAND_MS,
  CONSOLE_KEPT_BY_CHROME,
  CONSOLE_MOST,
  CONSOLE_OBJECTS,
  SLOW_FRAME_MS,
} from "../limits";
import { isNever } from "../places";
import { runtimeTurn } from "../runtime-turn";
import { mayTouch } from "../url-rule";
import { within } from "../wait";
import type { Call } from "./context";

/** Reads it. */
export function readConsole(tab: number, call: Call): Promise<ConsoleReply> {
  return using(tab, async () => {
    refuseWhileDialog(tab);
    await attach(tab);
    return runtimeTurn(tab, () => readAll(tab, call));
  });
}

async function readAll(tab: number, call: Call): Promise<ConsoleReply> {
  const children = Object.entries(attachment(tab)?.sessions ?? {})
    .filter(([, child]) => mayTouch(child.url) && !isNever(child.url))
    .map(([session]) => session);
  const reply: ConsoleReply = { entries: [], dropped: 0, full: false, silent: 0 };
  const top = within(readOne(tab, undefined, call.signal), COMMAND_MS, () => {
    throw new Fault("TAB_WEDGED", "the page did not answer: a script in it runs for ever");
  });
  const others = children.map((session) =>
    within(readOne(tab, session, call.signal), SLOW_FRAME_MS, () => null).catch(() => null),
  );
  for (const read of await Promise.all([top, ...others])) {
    if (!read) reply.silent += 1;
    else {
      reply.entries.push(...read.entries);
      reply.dropped += read.dropped;
      reply.full ||= read.full;
    }
  }
  reply.entries.sort((one, other) => one.at - other.at);
  reply.entries = together(reply.entries);
  return reply;
}

function together(entries: readonly ConsoleEntry[]): ConsoleEntry[] {
  const out: ConsoleEntry[] = [];
  for (const entry of entries) {
    const last = out.at(-1);
    if (last && isSame(last, entry)) last.times += entry.times;
    else out.push(entry);
  }
  return out;
}

interface Read {
  readonly entries: ConsoleEntry[];
  readonly dropped: number;
  readonly full: boolean;
}

async function readOne(
  tab: number,
  session: string | undefined,
  signal: AbortSignal,
): Promise<Read> {
  const reader = readEvents(tab, session, CONSOLE_MOST * 2);
  const wanted = attachment(tab)?.runtime === true;
  try {
    // What is enabled already replays nothing.
    if (wanted) await command(tab, "Runtime.disable", {}, session, signal);
    await command(tab, "Log.disable", {}, session, signal);
    await command(tab, "Log.enable", {}, session, signal);
    await command(tab, "Runtime.enable", {}, session, signal);
    reader.stop();
    const told = reader.told.slice(-CONSOLE_MOST);
    const looked = await lookInto(tab, session, told, signal);
    return {
      entries: entriesOf(told, looked),
      dropped: reader.dropped() + reader.told.length - told.length,
      full: told.length >= CONSOLE_KEPT_BY_CHROME,
    };
  } finally {
    reader.stop();
    // Not waited for: commands of one session keep their order, and a dialog may have opened.
    if (!wanted) command(tab, "Runtime.disable", {}, session).catch(() => undefined);
  }
}

/** Replayed objects come without their contents: own properties are read, getters are not run. */
async function lookInto(
  tab: number,
  session: string | undefined,
  told: readonly Told[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const objects = told
    .filter(({ method }) => method === "Runtime.consoleAPICalled")
    .flatMap(({ params }) => (Array.isArray(params.args) ? (params.args as Remote[]) : []))
    .filter(isPlain)
    .slice(-CONSOLE_OBJECTS);
  const looked = new Map<string, string>();
  await Promise.all(
    objects.map(async (object) => {
      const params = { objectId: object.objectId, ownProperties: true };
      const got = await command(tab, "Runtime.getProperties", params, session, signal)
        // Collected meanwhile, or its page went away: its class must do.
        .catch(() => null);
      if (!got || object.objectId === undefined) return;
      looked.set(object.objectId, objectWords(object, (got.result ?? []) as Property[]));
    }),
  );
  return looked;
}

function isPlain(value: Remote): boolean {
  const listed = value.subtype === undefined || value.subtype === "array";
  return value.type === "object" && value.objectId !== undefined && listed;
}
