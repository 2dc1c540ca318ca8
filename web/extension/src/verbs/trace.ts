//! The verb `trace`: Chrome traces while the debugger stays attached, and what is of the tab's own frames
//! is told at the end. Chrome itself remembers that it traces: a worker that ends meanwhile loses nothing.

import type { Traced, TracedNode } from "../../../wire/measuring";
import { attach, attachment, command, detachLater, editAttachment, using } from "../attachment";
import { sendCommand } from "../chrome";
import { Fault, words } from "../fault";
import { TRACE_END_MS, TRACE_MS, TRACE_NODES } from "../limits";
import { isNever, ruleOf, topOf } from "../places";
import type { Kept } from "../trace-keep";
import { takeTrace } from "../traces";
import { originOf } from "../url-rule";
import { until, within } from "../wait";
import type { Call } from "./context";

/** Nothing but what is read out of it; nothing else may be asked for. */
const CATEGORIES = [
  "blink.user_timing",
  "devtools.timeline",
  "disabled-by-default-devtools.timeline",
  "disabled-by-default-devtools.timeline.stack",
  "loading",
];

/** Begins. */
export function startTrace(tab: number, call: Call): Promise<null> {
  return using(tab, async () => {
    await attach(tab);
    if (attachment(tab)?.trace) throw new Fault("POLICY", "a trace of this tab runs already");
    const traceConfig = { includedCategories: CATEGORIES, excludedCategories: ["*"] };
    try {
      const params = { transferMode: "ReportEvents", traceConfig };
      await command(tab, "Tracing.start", params, undefined, call.signal);
    } catch (error) {
      call.signal.throwIfAborted();
      // Chrome has one trace at a time, whoever asked for it.
      throw new Fault("DEBUGGER_UNAVAILABLE", `Chrome does not trace now: ${words(error)}`);
    }
    await editAttachment(tab, (value) => {
      value.trace = { origin: originOf(topOf(tab)) };
    });
    setTimeout(() => void dropTrace(tab), TRACE_MS);
    return null;
  });
}

/** Ends, and gives what is the tab's; null when none ran. */
export function endTrace(tab: number, call: Call): Promise<Traced | null> {
  const trace = attachment(tab)?.trace;
  if (!trace) return Promise.resolve(null);
  return using(tab, async () => {
    const taking = takeTrace(tab);
    try {
      await forget(tab);
      await command(tab, "Tracing.end", {}, undefined, call.signal);
      const over = within(taking.over, TRACE_END_MS, () => true);
      const lost = await until(over, call.signal);
      const kept = taking.keep.end({
        frames: await framesNow(tab),
        isHidden: (url) => isHidden(url, trace.origin),
      });
      return { ...kept, lost, nodes: await nodesOf(tab, kept) };
    } finally {
      taking.stop();
    }
  });
}

/** Nobody wants it any more. */
export async function dropTrace(tab: number): Promise<void> {
  if (!attachment(tab)?.trace) return;
  await forget(tab);
  // The tab or the debugger may be gone; then the trace is, too.
  await sendCommand(tab, "Tracing.end").catch(() => undefined);
  detachLater(tab);
}

function forget(tab: number): Promise<void> {
  return editAttachment(tab, (value) => {
    delete value.trace;
  });
}

/** The yes was for one site: others count only where nobody minds. */
function isHidden(url: string, asked: string): boolean {
  if (isNever(url)) return true;
  const rule = ruleOf(url);
  return rule === "read" || (rule === "ask" && originOf(url) !== asked);
}

/** Names of the tab's frames, those of other processes among them. */
async function framesNow(tab: number): Promise<string[]> {
  const { frameTree } = await sendCommand(tab, "Page.getFrameTree");
  const found = Object.values(attachment(tab)?.sessions ?? {}).map(({ target }) => target);
  const open = [frameTree as Tree | undefined];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.frame?.id) found.push(at.frame.id);
    open.push(...(at.childFrames ?? []));
  }
  return found;
}

interface Tree {
  readonly frame?: { readonly id?: string };
  readonly childFrames?: readonly Tree[];
}

/** Elements that moved, in words as Chrome has them for painted ones. */
async function nodesOf(tab: number, { events }: Kept): Promise<TracedNode[]> {
  const ids = new Set<number>();
  for (const event of events) {
    const { name, args } = event as { name?: unknown; args?: { data?: unknown } };
    if (name !== "LayoutShift") continue;
    const { impacted_nodes: moved } = (args?.data ?? {}) as { impacted_nodes?: unknown };
    for (const one of Array.isArray(moved) ? moved : []) {
      const id = (one as { node_id?: unknown } | null)?.node_id;
      if (typeof id === "number" && ids.size < TRACE_NODES) ids.add(id);
    }
  }
  const found = [...ids].map(async (id): Promise<TracedNode[]> => {
    // It may be gone.
    const told = await sendCommand(tab, "DOM.describeNode", { backendNodeId: id }).catch(
      () => ({}),
    );
    const { node } = told as { node?: { nodeName?: string; attributes?: string[] } };
    return node?.nodeName ? [{ id, words: wordsOf(node.nodeName, node.attributes ?? []) }] : [];
  });
  return (await Promise.all(found)).flat();
}

function wordsOf(name: string, attributes: readonly string[]): string {
  const parts = [name];
  for (let at = 0; at + 1 < attributes.length; at += 2) {
    const attribute = attributes[at];
    if (attribute === "id" || attribute === "class") {
      parts.push(`${attribute}='${(attributes[at + 1] ?? "").slice(0, 60)}'`);
    }
  }
  return parts.join(" ");
}
