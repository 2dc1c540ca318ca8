//! The verb `inspect`: which style rules match an element, and which listeners it has. Looks only;
//! every domain that it needs is on for that moment. Walks from our isolated world, where the page
//! can change nothing.

import type { Inspected, Listener, StyleRule } from "../../../wire/looking";
import type { Verb } from "../../../wire/verb";
import { attach, command, refuseWhileDialog, using } from "../attachment";
import { Fault } from "../fault";
import { EVENT_URL_CHARS, LISTENER_ANCESTORS, LISTENERS_MOST, RULES_MOST } from "../limits";
import { takeScripts } from "../scripts";
import { takeSheets } from "../sheets";
import { type Matched, rulesOf } from "../style-rules";
import type { Call } from "./context";
import { inject } from "./page";
import { inWorldOf } from "./place";

type Request = Extract<Verb, { verb: "inspect" }>;
type Send = (method: string, params?: object) => Promise<Record<string, unknown>>;

/** One session of the debugger, and the page's own world there. */
interface Asked {
  readonly send: Send;
  readonly tab: number;
  readonly session: string | undefined;
  readonly main: number;
}

/** Reads rules and listeners. */
export function inspect(request: Request, call: Call): Promise<Inspected> {
  const { tab, document, element } = request;
  return using(tab, async () => {
    refuseWhileDialog(tab);
    await attach(tab);
    await inject(tab, document);
    return inWorldOf(tab, document, call.signal, async ({ session, ours, main }) => {
      const send: Send = (method, params = {}) =>
        command(tab, method, params, session, call.signal);
      const object = objectOf(
        await send("Runtime.evaluate", {
          expression: `globalThis.__pillion.element(${element})`,
          contextId: ours,
          objectGroup: GROUP,
        }),
      );
      if (object === null) throw new Fault("REF_GONE", "the element is gone");
      try {
        const rules = request.rules ? await rulesFor(send, tab, session, object) : [];
        const listeners = request.listeners
          ? await listenersFor({ send, tab, session, main }, object)
          : [];
        return {
          rules: rules.slice(-RULES_MOST),
          listeners: listeners.slice(0, LISTENERS_MOST),
          moreRules: Math.max(0, rules.length - RULES_MOST),
          moreListeners: Math.max(0, listeners.length - LISTENERS_MOST),
        };
      } finally {
        // Nobody waits for it: a page that is gone has nothing to release.
        send("Runtime.releaseObjectGroup", { objectGroup: GROUP }).catch(() => undefined);
      }
    });
  });
}

const GROUP = "pillion-inspect";

function objectOf(answer: Record<string, unknown>): string | null {
  return (answer.result as { objectId?: string } | undefined)?.objectId ?? null;
}

async function rulesFor(
  send: Send,
  tab: number,
  session: string | undefined,
  object: string,
): Promise<StyleRule[]> {
  const sheets = takeSheets(tab, session);
  try {
    await send("DOM.enable");
    // Enabled anew, so that every sheet is told again.
    await send("CSS.disable");
    await send("CSS.enable");
    await send("DOM.getDocument", { depth: 0 });
    const { nodeId } = await send("DOM.requestNode", { objectId: object });
    const matched = await send("CSS.getMatchedStylesForNode", { nodeId });
    return rulesOf(matched as Matched, sheets.found);
  } finally {
    sheets.stop();
    send("CSS.disable").catch(() => undefined);
    send("DOM.disable").catch(() => undefined);
  }
}

interface RawListener {
  readonly type: string;
  readonly useCapture: boolean;
  readonly passive: boolean;
  readonly once: boolean;
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

async function listenersFor(asked: Asked, object: string): Promise<Listener[]> {
  const { send, main } = asked;
  const raw: { on: string; listener: RawListener }[] = [];
  let at: string | null = object;
  for (let up = 0; at !== null && up <= LISTENER_ANCESTORS; up += 1) {
    const there = await inPage(asked, at);
    const got = there ? await send("DOMDebugger.getEventListeners", { objectId: there }) : {};
    const listeners = (got.listeners ?? []) as RawListener[];
    const on = up === 0 || listeners.length === 0 ? "" : await ask(send, at, NAME);
    for (const listener of listeners) raw.push({ on, listener });
    const params = { objectId: at, functionDeclaration: PARENT, objectGroup: GROUP };
    at = objectOf(await send("Runtime.callFunctionOn", params));
  }
  // No page can replace its `window`.
  const window = { expression: "window", contextId: main, objectGroup: GROUP };
  const whole = objectOf(await send("Runtime.evaluate", window));
  const got = whole ? await send("DOMDebugger.getEventListeners", { objectId: whole }) : {};
  for (const listener of (got.listeners ?? []) as RawListener[]) {
    raw.push({ on: "window", listener });
  }
  const scripts = raw.length > 0 ? await scriptsOf(asked) : new Map<string, string>();
  return raw
    .map(({ on, listener }) => told(on, listener, scripts))
    .filter((listener) => !listener.place.url.startsWith("chrome-extension:"));
}

/** The same node in the page's own world: listeners are told by worlds. */
async function inPage({ send, main }: Asked, object: string): Promise<string | null> {
  const { node } = await send("DOM.describeNode", { objectId: object });
  const { backendNodeId } = (node ?? {}) as { backendNodeId?: number };
  const params = { backendNodeId, executionContextId: main, objectGroup: GROUP };
  const got = await send("DOM.resolveNode", params);
  return (got.object as { objectId?: string } | undefined)?.objectId ?? null;
}

async function ask(send: Send, object: string, functionDeclaration: string): Promise<string> {
  const params = { objectId: object, functionDeclaration, returnByValue: true };
  const got = await send("Runtime.callFunctionOn", params);
  return String((got.result as { value?: unknown } | undefined)?.value ?? "");
}

function told(on: string, raw: RawListener, scripts: ReadonlyMap<string, string>): Listener {
  const flags = [
    raw.useCapture ? "capture" : "",
    raw.passive ? "passive" : "",
    raw.once ? "once" : "",
  ];
  return {
    event: raw.type.slice(0, 60),
    on,
    flags: flags.filter((flag) => flag !== ""),
    place: {
      function: "",
      url: (scripts.get(raw.scriptId) ?? "").slice(0, EVENT_URL_CHARS),
      line: raw.lineNumber + 1,
      column: raw.columnNumber + 1,
    },
  };
}

/**
 * Addresses of scripts by id: only the Debugger domain tells them. Its pauses are switched off before it
 * is on, so that no `debugger` statement of the page stops anything.
 */
async function scriptsOf({ send, tab, session }: Asked): Promise<ReadonlyMap<string, string>> {
  const scripts = takeScripts(tab, session);
  try {
    await send("Debugger.setSkipAllPauses", { skip: true });
    await send("Debugger.enable");
    return scripts.found;
  } finally {
    scripts.stop();
    send("Debugger.disable").catch(() => undefined);
  }
}

const PARENT = `function () {
  const parent = this.parentNode;
  return parent && parent.nodeType === 11 ? parent.host : parent;
}`;
const NAME = `function () {
  if (this.nodeType === 9) return "document";
  const id = Element.prototype.getAttribute.call(this, "id");
  return this.localName + (id ? "#" + id.slice(0, 40) : "");
}`;
