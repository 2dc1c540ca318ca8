//! The only door to chrome.*: everything that the extension asks of Chrome goes through here.

import { NATIVE_HOST } from "./limits";

export const {
  action,
  alarms,
  debugger: debuggerApi,
  declarativeNetRequest,
  downloads,
  permissions,
  runtime,
  scripting,
  sidePanel,
  storage,
  tabGroups,
  tabs,
  webNavigation,
  webRequest,
  windows,
} = chrome;

/** There only once the user allowed them: Chrome warns of them at install otherwise. */
export function notifications(): typeof chrome.notifications | undefined {
  return chrome.notifications;
}

/** Asks the user, within a click of theirs, for what makes {@link notifications} be there. */
export function requestNotifications(): Promise<boolean> {
  return permissions.request({ permissions: ["notifications"] });
}

/** Chrome's own object for a tab. */
export type Tab = chrome.tabs.Tab;

/** `chrome-extension://ID/` */
export const OWN_ORIGIN = runtime.getURL("");

/** Whether this build was loaded from a folder: such builds have no update address. */
export function isUnpacked(): boolean {
  return !("update_url" in runtime.getManifest());
}

/** Starts the helper. Its failure comes as a disconnect. */
export function connectNative(): chrome.runtime.Port {
  return runtime.connectNative(NATIVE_HOST);
}

/** Why the last callback failed. */
export function lastError(): string | undefined {
  return runtime.lastError?.message;
}

/** The tab, or null when there is none of that id. */
export async function getTab(tab: number): Promise<Tab | null> {
  try {
    return await tabs.get(tab);
  } catch {
    return null;
  }
}

/** The frames that Chrome lists; not all kinds are listed. */
export async function getFrames(
  tab: number,
): Promise<chrome.webNavigation.GetAllFrameResultDetails[]> {
  try {
    return (await webNavigation.getAllFrames({ tabId: tab })) ?? [];
  } catch {
    return [];
  }
}

/** A debugger command. Rejects with Chrome's own words. */
export async function sendCommand(
  tab: number,
  method: string,
  params: object = {},
  session?: string,
): Promise<Record<string, unknown>> {
  const target = session === undefined ? { tabId: tab } : { tabId: tab, sessionId: session };
  try {
    const result = await debuggerApi.sendCommand(target, method, { ...params });
    return (result ?? {}) as Record<string, unknown>;
  } catch (error) {
    throw new Error(protocolMessage(error));
  }
}

/** Protocol failures arrive as JSON inside an error's message. */
function protocolMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  try {
    const inner = JSON.parse(text) as { message?: unknown };
    return typeof inner.message === "string" ? inner.message : text;
  } catch {
    return text;
  }
}
