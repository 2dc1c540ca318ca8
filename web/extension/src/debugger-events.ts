//! What the debugger tells: child frames, dialogs, ids that were seen; the rest goes on to the
//! daemon, reduced.

import type { JsonValue } from "../../wire/serde_json/JsonValue";
import {
  addChild,
  attachment,
  attachments,
  dialogClosed,
  dialogOpened,
  editAttachment,
  forgetAttachment,
  live,
} from "./attachment";
import { keepBody } from "./bodies";
import { reduce } from "./cdp-reduce";
import { sendCommand } from "./chrome";
import { consoleEvent } from "./console-events";
import { contextCreated } from "./contexts";
import { noteDownload } from "./downloads";
import { DATA_TOLD_MS } from "./limits";
import { onPaused, rearm } from "./mock";
import { emit, emitFor } from "./outbox";
import { isNever } from "./places";
import { noteRequest } from "./requests";
import { scriptParsed } from "./scripts";
import { sheetAdded } from "./sheets";
import { traceData, traceOver } from "./traces";
import { emulateIn } from "./verbs/emulate";

type Json = Record<string, unknown>;

/** Takes one event of an attached tab. */
export async function onDebuggerEvent(
  tab: number,
  session: string | undefined,
  method: string,
  params: Json,
): Promise<void> {
  // Every session of a tab tells of its dialogs; the tab's own is the one that counts.
  if (session !== undefined && method.startsWith("Page.javascriptDialog")) return;
  switch (method) {
    case "Target.attachedToTarget":
      return childAttached(tab, params);
    case "Target.detachedFromTarget":
      return childDetached(tab, params);
    case "Page.screencastFrame":
      // Unanswered frames stop the cast. The tab may be gone by now.
      await sendCommand(
        tab,
        "Page.screencastFrameAck",
        { sessionId: params.sessionId },
        session,
      ).catch(() => undefined);
      return;
    case "Runtime.executionContextCreated": {
      const context = contextCreated(tab, session, params);
      if (context.isDefault && !isNever(context.origin))
        live(tab).contexts.add(`${session ?? ""}:${context.id}`);
      return;
    }
    case "Page.javascriptDialogOpening":
      return dialogOpened(tab, String(params.type ?? "dialog"), () =>
        emitCdp(tab, session, method, reduce(method, params)),
      );
    case "Page.javascriptDialogClosed":
      await dialogClosed(tab);
      break;
    case "Debugger.scriptParsed":
      return scriptParsed(tab, session, params);
    case "CSS.styleSheetAdded":
      return sheetAdded(tab, session, params);
    case "Network.requestWillBeSent":
      noteRequest(tab, params);
      break;
    case "Network.dataReceived":
      if (!isNews(tab)) return;
      break;
    case "Network.loadingFinished":
      void keepBody(tab, session, String(params.requestId));
      break;
    case "Page.downloadWillBegin":
      noteDownload(tab, String(params.url));
      break;
    case "Page.frameNavigated":
      await childMoved(tab, session, params);
      await rearm(tab);
      break;
    case "Tracing.dataCollected":
      return traceData(tab, params);
    case "Tracing.tracingComplete":
      return traceOver(tab, params);
    case "Fetch.requestPaused":
      return onPaused(tab, session, params);
  }
  if (consoleEvent(tab, session, method, params)) return;
  if (isSilent(tab, session, method, params)) return;
  const told = reduce(method, params);
  if (told !== null) emitCdp(tab, session, method, told);
}

/** A body that comes is told now and then: it says no more than that it comes. */
function isNews(tab: number): boolean {
  const now = Date.now();
  if (now - live(tab).dataTold < DATA_TOLD_MS) return false;
  live(tab).dataTold = now;
  return true;
}

/** Events of Runtime count only when the daemon asked for them, and only of the page's own world. */
function isSilent(tab: number, session: string | undefined, method: string, params: Json): boolean {
  if (!method.startsWith("Runtime.")) return false;
  if (attachment(tab)?.runtime !== true) return true;
  const details = params.exceptionDetails as { executionContextId?: number } | undefined;
  const context = params.executionContextId ?? details?.executionContextId;
  return context !== undefined && !live(tab).contexts.has(`${session ?? ""}:${String(context)}`);
}

function emitCdp(
  tab: number,
  session: string | undefined,
  method: string,
  params: JsonValue,
): void {
  emitFor(tab, { event: "cdp", tab, ...(session !== undefined && { session }), method, params });
}

async function childAttached(tab: number, params: Json): Promise<void> {
  const id = String(params.sessionId);
  const info = (params.targetInfo ?? {}) as { targetId?: string; url?: string; type?: string };
  await addChild(tab, id, { target: info.targetId ?? "", url: info.url ?? "" });
  await Promise.all([emulateIn(tab, id), rearm(tab)]);
  tellChild(tab, id);
}

async function childDetached(tab: number, params: Json): Promise<void> {
  const id = String(params.sessionId);
  await editAttachment(tab, (value) => {
    delete value.sessions[id];
  });
  emitCdp(tab, undefined, "Target.detachedFromTarget", { sessionId: id });
}

/** The guard judges a child session by the address of its own frame. */
async function childMoved(tab: number, session: string | undefined, params: Json): Promise<void> {
  if (session === undefined) return;
  const frame = (params.frame ?? {}) as { id?: string; url?: string };
  await editAttachment(tab, (value) => {
    const child = value.sessions[session];
    if (child && child.target === frame.id) child.url = frame.url ?? "";
  });
}

function tellChild(tab: number, session: string): void {
  const child = attachment(tab)?.sessions[session];
  if (!child) return;
  emitCdp(tab, undefined, "Target.attachedToTarget", {
    sessionId: session,
    targetInfo: { targetId: child.target, type: "iframe", url: child.url },
  });
}

/** A new daemon is told what it cannot ask for: child sessions and open dialogs. */
export function retellAttachments(): void {
  for (const [tab, value] of attachments()) {
    for (const session of Object.keys(value.sessions)) tellChild(tab, session);
    if (value.dialog) {
      emitCdp(tab, undefined, "Page.javascriptDialogOpening", { type: value.dialog, message: "" });
    }
  }
}

/** Chrome ended an attachment. */
export async function onDebuggerDetach(tab: number, reason: string): Promise<void> {
  if (!attachment(tab)) return;
  await forgetAttachment(tab);
  emit({ event: "detached", tab, reason });
}
