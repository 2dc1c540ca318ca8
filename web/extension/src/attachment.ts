//! The debugger's attachments: one a tab, with its child sessions, its open dialog and the ids that
//! the guard may trust. Attachments outlive the worker: the record is kept, and a new worker probes
//! before it believes it. Never re-attaches blindly.

import type { Emulation, MockRule } from "../../wire/trying";
import type { Attached } from "../../wire/verb";
import { debuggerApi, getFrames, OWN_ORIGIN, scripting, sendCommand, storage } from "./chrome";
import { Fault, words } from "./fault";
import { Ledger, Notes } from "./ledger";
import {
  COMMAND_MS,
  DEBUGGER_IDLE_MS,
  ENABLE_MS,
  NETWORK_BUFFER_BYTES,
  NETWORK_RESOURCE_BYTES,
  OBJECTS_ISSUED,
  REQUESTS_SEEN,
} from "./limits";
import { emitFor, sessionsFrom } from "./outbox";
import type { Asked } from "./request-rule";
import { settings } from "./settings";
import { Stored } from "./stored";
import { strings } from "./strings";
import { until, within } from "./wait";

/** A child frame of another process. */
export interface Child {
  target: string;
  url: string;
}

/** What is kept of an attached tab. */
export interface Attachment {
  epoch: number;
  sessions: Record<string, Child>;
  /** The kind of the open dialog. */
  dialog: string | null;
  /** The daemon asked for the Runtime domain's events. */
  runtime: boolean;
  /** Bodies are kept: the debugger stays. */
  capture?: boolean;
  /** What the tab is made to believe: the debugger stays. */
  emulation?: Emulation;
  /** Requests that are answered here: the debugger stays. */
  mocks?: Mocks;
  /** What its frames do is traced, for the site that it was asked for: the debugger stays. */
  trace?: { readonly origin: string };
}

/** Answers in a server's place. */
export interface Mocks {
  readonly rules: readonly MockRule[];
  /** By the rule's number. */
  readonly hits: Record<string, number>;
  /** Sites for which it was asked. */
  readonly asked: readonly string[];
  /** Sites whose requests are looked at now. */
  readonly hosts: readonly string[];
  /** Requests that wait for their answer. */
  readonly held: readonly Held[];
}

/** A request that Chrome holds. */
export interface Held {
  readonly request: string;
  readonly session: string | null;
  /** The number of the rule that answers it. */
  readonly rule: number;
}

/** Whether the debugger has to stay, used or not. */
function stays({ capture, emulation, mocks, trace }: Attachment): boolean {
  return capture === true || [emulation, mocks, trace].some((one) => one !== undefined);
}

/** The kind of a dialog that opened before the debugger came: it can only be dismissed. */
export const EARLY_DIALOG = "unknown";

interface Record_ {
  tabs: Record<string, Attachment>;
  epochs: Record<string, number>;
}

const record = new Stored<Record_>(storage.session, "debugger", { tabs: {}, epochs: {} });

sessionsFrom((tab, session) => attachment(tab)?.sessions[session]?.url ?? "");

/** Resolves when the record of the last life was read. */
export const attachmentsReady: Promise<void> = record.ready;

/** What a life of the worker knows of a tab beyond the record. */
interface Live {
  readonly requests: Ledger;
  /** Whose bodies may be asked for. */
  readonly bodies: Notes<Asked>;
  readonly objects: Ledger;
  /** Default contexts, by session and id. */
  readonly contexts: Set<string>;
  dialogOpened: AbortController;
  idle: ReturnType<typeof setTimeout> | null;
  /** When the coming of a body was told last. */
  dataTold: number;
  uses: number;
  lastUse: number;
  proven: boolean;
}

const lives = new Map<number, Live>();
const attaching = new Map<number, Promise<Attached>>();

/** The record of an attached tab. */
export function attachment(tab: number): Attachment | null {
  return record.value.tabs[tab] ?? null;
}

/** Every attached tab. */
export function attachments(): [number, Attachment][] {
  return Object.entries(record.value.tabs).map(([tab, value]) => [Number(tab), value]);
}

/** Changes the record of an attached tab; nothing happens when it is not attached. */
export function editAttachment(tab: number, change: (value: Attachment) => void): Promise<void> {
  return record.change((value) => {
    const found = value.tabs[tab];
    if (found) change(found);
  });
}

export function live(tab: number): Live {
  let found = lives.get(tab);
  if (!found) {
    found = {
      requests: new Ledger(REQUESTS_SEEN),
      bodies: new Notes(REQUESTS_SEEN),
      objects: new Ledger(OBJECTS_ISSUED),
      contexts: new Set(),
      dialogOpened: new AbortController(),
      idle: null,
      dataTold: 0,
      uses: 0,
      lastUse: 0,
      proven: false,
    };
    lives.set(tab, found);
  }
  return found;
}

/** Attaches unless it is so already. */
export function attach(tab: number): Promise<Attached> {
  const running = attaching.get(tab);
  if (running) return running;
  const run = attachOnce(tab).finally(() => attaching.delete(tab));
  attaching.set(tab, run);
  return run;
}

async function attachOnce(tab: number): Promise<Attached> {
  const before = attachment(tab);
  if (before && (await isStillOurs(tab))) return { epoch: before.epoch, fresh: false };
  if (settings.value.quiet) throw new Fault("DEBUGGER_UNAVAILABLE", strings.quietMode);
  if (before && stays(before)) emitFor(tab, { event: "detached", tab, reason: "lost" });
  try {
    await debuggerApi.attach({ tabId: tab }, "1.3");
  } catch (error) {
    await refusedAttach(tab, words(error));
  }
  const epoch = (record.value.epochs[tab] ?? 0) + 1;
  await record.change((value) => {
    value.epochs[tab] = epoch;
    value.tabs[tab] = { epoch, sessions: {}, dialog: null, runtime: false };
  });
  live(tab).proven = true;
  const enabled = enable(tab);
  const late = await within(
    enabled.then(() => false),
    ENABLE_MS,
    () => true,
  );
  if (late) await heldByEarlyDialog(tab, enabled);
  return { epoch, fresh: true };
}

/** Page.enable answers only once a dialog that opened before the debugger came is gone. */
async function heldByEarlyDialog(tab: number, enabled: Promise<void>): Promise<never> {
  await dialogOpened(tab, EARLY_DIALOG, () =>
    emitDialog(tab, "Page.javascriptDialogOpening", { type: EARLY_DIALOG, message: "" }),
  );
  const over = async () => {
    if (attachment(tab)?.dialog !== EARLY_DIALOG) return;
    await dialogClosed(tab);
    emitDialog(tab, "Page.javascriptDialogClosed", { result: false });
  };
  // Detached in between: then the record is gone as well.
  enabled.then(over, over).catch(() => undefined);
  throw new Fault("DIALOG_OPEN", "a dialog that opened before the debugger came holds the page");
}

function emitDialog(
  tab: number,
  method: string,
  params: { [key: string]: string | boolean },
): void {
  emitFor(tab, { event: "cdp", tab, method, params });
}

/** A new worker believes the record only after the tab answered it. */
async function isStillOurs(tab: number): Promise<boolean> {
  const now = live(tab);
  if (now.proven) return true;
  try {
    // Answers even while a dialog is open.
    await within(sendCommand(tab, "Page.getNavigationHistory"), COMMAND_MS, () => null);
    now.proven = true;
    return true;
  } catch {
    return false;
  }
}

/**
 * What the debugger upheld ends without a word when Chrome loads the extension anew. A daemon that comes
 * is told which of these tabs have no debugger.
 */
export async function tellLost(tabs: readonly number[]): Promise<void> {
  for (const tab of tabs) {
    if (attachment(tab) && (await isStillOurs(tab))) continue;
    await forgetAttachment(tab);
    emitFor(tab, { event: "detached", tab, reason: "lost" });
  }
}

/** Returns when the attachment is ours all the same; throws otherwise. */
async function refusedAttach(tab: number, why: string): Promise<void> {
  if (/already attached/i.test(why)) {
    try {
      await sendCommand(tab, "Page.getNavigationHistory");
      // Ours, from a life whose record is lost: child sessions must be told anew.
      await sendCommand(tab, "Target.setAutoAttach", autoAttach(false));
      return;
    } catch {
      throw new Fault("DEBUGGER_UNAVAILABLE", "another debugger is attached to this tab");
    }
  }
  const other = await embeddedExtension(tab).catch(() => null);
  if (other) {
    throw new Fault(
      "DEBUGGER_UNAVAILABLE",
      `Chrome refuses the debugger here: extension ${other} has a frame in this page`,
    );
  }
  throw new Fault("DEBUGGER_UNAVAILABLE", `Chrome refuses the debugger here: ${why}`);
}

/** The extension that has a frame in the page. Chrome does not always list such frames. */
async function embeddedExtension(tab: number): Promise<string | null> {
  const urls = (await getFrames(tab)).map(({ url }) => url);
  const found = await scripting.executeScript({
    target: { tabId: tab, allFrames: true },
    func: () => [...document.querySelectorAll("iframe")].map(({ src }) => src),
    injectImmediately: true,
  });
  urls.push(...found.flatMap(({ result }) => result ?? []));
  const other = urls.find(
    (url) => url.startsWith("chrome-extension://") && !url.startsWith(OWN_ORIGIN),
  );
  return other?.split("/")[2] ?? null;
}

async function enable(tab: number): Promise<void> {
  await Promise.all([
    sendCommand(tab, "Emulation.setFocusEmulationEnabled", { enabled: true }),
    sendCommand(tab, "Page.enable"),
    sendCommand(tab, "Network.enable", networkBuffers),
    sendCommand(tab, "Log.enable"),
    sendCommand(tab, "Target.setAutoAttach", autoAttach(true)),
    sendCommand(tab, "Page.startScreencast", framesRunning),
  ]);
}

/**
 * A screencast that never sends a picture. Focus emulation makes the frames and timers of a
 * background tab run, but only until its second press: then they fall to one a second (measured on
 * Chromium 156). While a screencast is on they keep running, and pictures can be taken.
 */
const framesRunning = {
  format: "jpeg",
  quality: 1,
  maxWidth: 16,
  maxHeight: 16,
  everyNthFrame: 100_000,
};

/** Frames that have stopped all the same, as on a busy machine, run again. */
export async function runFrames(tab: number): Promise<void> {
  await sendCommand(tab, "Page.stopScreencast");
  await sendCommand(tab, "Page.startScreencast", framesRunning);
}

const networkBuffers = {
  maxTotalBufferSize: NETWORK_BUFFER_BYTES,
  maxResourceBufferSize: NETWORK_RESOURCE_BYTES,
};

function autoAttach(on: boolean): object {
  return {
    autoAttach: on,
    waitForDebuggerOnStart: false,
    flatten: true,
    filter: [{ type: "iframe" }, { exclude: true }],
  };
}

/** A child frame came: it gets the same domains, and its own children are attached as well. */
export async function addChild(tab: number, session: string, child: Child): Promise<void> {
  await editAttachment(tab, (value) => {
    value.sessions[session] = child;
  });
  const runtime = attachment(tab)?.runtime === true;
  const commands: [string, object][] = [
    ["Target.setAutoAttach", autoAttach(true)],
    ["Page.enable", {}],
    ["Network.enable", networkBuffers],
    ["Log.enable", {}],
    ["Emulation.setFocusEmulationEnabled", { enabled: true }],
    ...(runtime ? [["Runtime.enable", {}] satisfies [string, object]] : []),
  ];
  // A frame may be gone before its domains are enabled; nothing is lost then.
  await Promise.allSettled(
    commands.map(([method, params]) => sendCommand(tab, method, params, session)),
  );
  // Its first navigation may have been over before Page was enabled.
  const tree = await sendCommand(tab, "Page.getFrameTree", {}, session).catch(() => ({}));
  const { frame } = ((tree as { frameTree?: unknown }).frameTree ?? {}) as {
    frame?: { url?: string };
  };
  await editAttachment(tab, (value) => {
    const known = value.sessions[session];
    if (known && frame?.url) known.url = frame.url;
  });
}

/** A command whose waiting ends with the deadline, the signal, or an opening dialog. */
export async function command(
  tab: number,
  method: string,
  params: object = {},
  session?: string,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const dialog = live(tab).dialogOpened.signal;
  const any = signal ? AbortSignal.any([signal, dialog]) : dialog;
  return until(sendCommand(tab, method, params, session), any);
}

/** Counts as a use: the idle detach waits until it is over and some time longer. */
export async function using<T>(tab: number, work: () => Promise<T>): Promise<T> {
  const now = live(tab);
  now.uses += 1;
  if (now.idle !== null) clearTimeout(now.idle);
  now.idle = null;
  try {
    return await work();
  } finally {
    now.uses -= 1;
    now.lastUse = Date.now();
    detachLater(tab);
  }
}

/** Whether an agent is at work in the tab, or was within so many milliseconds. */
export function usedWithin(tab: number, ms: number): boolean {
  const now = lives.get(tab);
  return now !== undefined && (now.uses > 0 || Date.now() - now.lastUse < ms);
}

/** Starts the idle clock of a tab that nobody uses. */
export function detachLater(tab: number): void {
  const now = live(tab);
  const value = attachment(tab);
  if (now.uses > 0 || !value || stays(value)) return;
  if (now.idle !== null) clearTimeout(now.idle);
  now.idle = setTimeout(() => {
    now.idle = null;
    if (now.uses > 0) return;
    // A dialog that is open when the debugger leaves can never be answered.
    if (attachment(tab)?.dialog) detachLater(tab);
    else void detach(tab);
  }, DEBUGGER_IDLE_MS);
}

/** Detaches, unless a dialog is open. */
export async function detach(tab: number): Promise<void> {
  const value = attachment(tab);
  if (!value || value.dialog) return;
  try {
    await debuggerApi.detach({ tabId: tab });
  } catch {
    // It was detached already.
  }
  await forgetAttachment(tab);
  // Chrome tells only of detachments that are not our own doing.
  emitFor(tab, { event: "detached", tab, reason: "released" });
}

/** The attachment is over. */
export async function forgetAttachment(tab: number): Promise<void> {
  const now = lives.get(tab);
  if (now?.idle) clearTimeout(now.idle);
  lives.delete(tab);
  await record.change((value) => {
    delete value.tabs[tab];
  });
}

/** A dialog opened: it is written down first, then told, then whoever waits for the page is let go. */
export async function dialogOpened(tab: number, kind: string, tell: () => void): Promise<void> {
  await editAttachment(tab, (value) => {
    value.dialog = kind;
  });
  tell();
  const now = live(tab);
  const fire = now.dialogOpened;
  now.dialogOpened = new AbortController();
  fire.abort(new Fault("DIALOG_OPEN", `a JavaScript dialog (${kind}) opened`));
}

/** The dialog is gone. */
export function dialogClosed(tab: number): Promise<void> {
  return editAttachment(tab, (value) => {
    value.dialog = null;
  });
}

/** Throws while a dialog blocks the page. */
export function refuseWhileDialog(tab: number): void {
  const kind = attachment(tab)?.dialog;
  if (kind) throw new Fault("DIALOG_OPEN", `a JavaScript dialog (${kind}) is open`);
}
