//! Where a script runs: the debugger session and the page's default context of a document, and an
//! element of that document as an object there. Found through our own isolated world, which a mark
//! tells from all others; no other world is ever named.

import { attachment, command } from "../attachment";
import { getFrames, scripting } from "../chrome";
import { takeContexts } from "../contexts";
import { Fault } from "../fault";
import { runtimeTurn } from "../runtime-turn";
import { inject } from "./page";

/** Where a script runs. */
export interface Place {
  /** A child session; the tab's own when undefined. */
  readonly session: string | undefined;
  /** The context; the top frame's default one when null. */
  readonly context: number | null;
  /** Object id of the element. */
  readonly element: string | null;
}

/** The default context of the top frame. */
export const TOP_PLACE: Place = { session: undefined, context: null, element: null };

const TOP = 0;

/** Finds the place of a document, and of an element in it. */
export async function placeOf(
  tab: number,
  document: string | null,
  element: number | null,
  signal: AbortSignal,
): Promise<Place> {
  const frames = await getFrames(tab);
  const top = frames.find((frame) => frame.frameId === TOP)?.documentId;
  if (element === null && (document === null || document === top)) return TOP_PLACE;
  const where = document ?? top;
  if (where === undefined) throw new Fault("REF_GONE", "the document is gone");
  if (element !== null) await inject(tab, where);
  return inWorldOf(tab, where, signal, async ({ session, ours, main }) => ({
    session,
    context: main,
    element: element === null ? null : await elementIn(tab, session, ours, main, element, signal),
  }));
}

/** A document's worlds in the debugger. */
export interface Worlds {
  readonly session: string | undefined;
  /** Our own isolated world. */
  readonly ours: number;
  /** The page's. */
  readonly main: number;
}

/** Does something with the worlds of a document, while the debugger tells of them. */
export async function inWorldOf<T>(
  tab: number,
  document: string,
  signal: AbortSignal,
  use: (worlds: Worlds) => Promise<T>,
): Promise<T> {
  const mark = await markDocument(tab, document);
  return runtimeTurn(tab, async () => {
    const sessions = [undefined, ...Object.keys(attachment(tab)?.sessions ?? {})];
    for (const session of sessions) {
      const done = await inSession(tab, session, mark, signal, use);
      if (done) return done.value;
    }
    throw new Fault("REF_GONE", "the document was not found by the debugger");
  });
}

/** Leaves a random mark in our isolated world of the document. */
async function markDocument(tab: number, document: string): Promise<string> {
  const mark = crypto.randomUUID();
  const results = await scripting
    .executeScript({
      target: { tabId: tab, documentIds: [document] },
      func: (text: string) => {
        (globalThis as { __pillionMark?: string }).__pillionMark = text;
        return true;
      },
      args: [mark],
      injectImmediately: true,
    })
    .catch(() => []);
  if (results[0]?.result !== true) throw new Fault("REF_GONE", "the document is gone");
  return mark;
}

async function inSession<T>(
  tab: number,
  session: string | undefined,
  mark: string,
  signal: AbortSignal,
  use: (worlds: Worlds) => Promise<T>,
): Promise<{ value: T } | null> {
  const wanted = attachment(tab)?.runtime === true;
  const listed = takeContexts(tab, session);
  try {
    // Enabled anew, so that every context is told again.
    if (wanted) await command(tab, "Runtime.disable", {}, session, signal);
    await command(tab, "Runtime.enable", {}, session, signal);
    for (const ours of listed.found.filter((context) => context.isOurs)) {
      const seen = await command(
        tab,
        "Runtime.evaluate",
        { expression: "globalThis.__pillionMark", contextId: ours.id, returnByValue: true },
        session,
        signal,
      );
      if ((seen.result as { value?: unknown } | undefined)?.value !== mark) continue;
      const main = listed.found.find((c) => c.isDefault && c.frame === ours.frame);
      if (!main) return null;
      return { value: await use({ session, ours: ours.id, main: main.id }) };
    }
    return null;
  } finally {
    listed.stop();
    // Not waited for: commands of one session keep their order, and a dialog may have opened.
    if (!wanted) command(tab, "Runtime.disable", {}, session).catch(() => undefined);
  }
}

/** The same node as an object of the page's own world. */
async function elementIn(
  tab: number,
  session: string | undefined,
  isolated: number,
  main: number,
  element: number,
  signal: AbortSignal,
): Promise<string> {
  const found = await command(
    tab,
    "Runtime.evaluate",
    { expression: `globalThis.__pillion.element(${element})`, contextId: isolated },
    session,
    signal,
  );
  const handle = (found.result as { objectId?: string } | undefined)?.objectId;
  if (handle === undefined) throw new Fault("REF_GONE", "the element is gone");
  const described = await command(tab, "DOM.describeNode", { objectId: handle }, session, signal);
  const { backendNodeId } = (described.node ?? {}) as { backendNodeId?: number };
  const resolved = await command(
    tab,
    "DOM.resolveNode",
    { backendNodeId, executionContextId: main },
    session,
    signal,
  );
  const id = (resolved.object as { objectId?: string } | undefined)?.objectId;
  if (id === undefined) throw new Fault("REF_GONE", "the element is gone");
  return id;
}
