//! The verbs `cdp`, `attach`, `detach` and `dialog`. Every command of a batch is looked up in the
//! guard's table before the first one is sent.

import type { JsonValue } from "../../../wire/serde_json/JsonValue";
import type { CdpCommand, CdpReply } from "../../../wire/verb";
import {
  attachment,
  command,
  detach,
  dialogClosed,
  EARLY_DIALOG,
  editAttachment,
  live,
  using,
} from "../attachment";
import { mayReadBody } from "../bodies";
import { commandRefusal, objectIds } from "../cdp-guard";
import { getTab, sendCommand } from "../chrome";
import { Fault, words } from "../fault";
import type { Pass } from "../gate";
import { COMMAND_MS, PURE_SCRIPT_MS } from "../limits";
import { isNever } from "../places";
import { mayTouch } from "../url-rule";
import { within } from "../wait";
import { attachVerb } from "./attach";
import type { Call } from "./context";
import { domBatch, isDomBatch } from "./dom";
import { mayGoTo } from "./tabs";

/** Detaches, unless a dialog is open. */
export async function detachVerb(tab: number): Promise<null> {
  await detach(tab);
  return null;
}

/** A batch of commands, in order; stops at the first that fails. */
export function cdp(
  tab: number,
  given: readonly CdpCommand[],
  call: Call,
  { pure, names }: Pick<Pass, "pure" | "names">,
): Promise<CdpReply> {
  const commands = pure ? given.map(withoutEffects) : given;
  return using(tab, async () => {
    const { epoch, dom } = await attachVerb(tab);
    await check(tab, commands);
    if (dom) {
      if (!isDomBatch(commands)) throw new Fault("DEBUGGER_UNAVAILABLE", dom);
      return { results: await domBatch(tab, commands, call), epoch };
    }
    const url = (await getTab(tab))?.url ?? "";
    const results: JsonValue[] = [];
    const loose: Promise<JsonValue>[] = [];
    let error: string | null = null;
    for (const item of commands.map((command) => filled(tab, command, url))) {
      const running = one(tab, item, call.signal).then((result) =>
        names && item.method === "Network.getCookies" ? withoutValues(result) : result,
      );
      if (item.noWait) {
        // Its failure is told with the batch, not as an unhandled one.
        running.catch(() => undefined);
        loose.push(running);
        results.push(null);
        continue;
      }
      try {
        results.push(await running);
      } catch (failure) {
        if (FOREIGN.test(words(failure))) await shutOut(tab);
        error = reason(failure);
        break;
      }
    }
    for (const running of loose) {
      if (error !== null) break;
      await running.catch((failure) => {
        error = reason(failure);
      });
    }
    return error === null ? { results, epoch } : { results, error, epoch };
  });
}

/** How Chrome says that another extension's frame came into the page of an attached tab. */
const FOREIGN = /chrome-extension:\/\/ url of different extension/i;

/** The attachment is of no use any more: given up, so that the next act goes another way. */
async function shutOut(tab: number): Promise<never> {
  await detach(tab);
  throw new Fault(
    "DEBUGGER_UNAVAILABLE",
    "another extension's frame came into the page, and Chrome shuts the debugger out. Make the same call again: it goes through the page",
  );
}

/** A script that may only look: the engine ends it at its first side effect. */
function withoutEffects(item: CdpCommand): CdpCommand {
  if (item.method !== "Runtime.evaluate") return item;
  const params = asObject(item.params) as { [key: string]: JsonValue };
  const { timeout } = params;
  return {
    ...item,
    params: {
      ...params,
      ...PURE,
      timeout: typeof timeout === "number" ? Math.min(timeout, PURE_SCRIPT_MS) : PURE_SCRIPT_MS,
    },
  };
}

/** What makes an evaluation one without side effects. */
const PURE = {
  throwOnSideEffect: true,
  awaitPromise: false,
  replMode: false,
  userGesture: false,
  includeCommandLineAPI: false,
};

/** Cookies by name and size. */
function withoutValues(result: JsonValue): JsonValue {
  const { cookies } = asObject(result) as { cookies?: unknown };
  if (!Array.isArray(cookies)) return { cookies: [] };
  return { cookies: cookies.map((cookie) => ({ ...asObject(cookie), value: "" })) };
}

function reason(failure: unknown): string {
  const code = failure instanceof Fault ? `${failure.code}: ` : "";
  return `${code}${words(failure)}`;
}

async function check(tab: number, commands: readonly CdpCommand[]): Promise<void> {
  const now = live(tab);
  const facts = {
    hasSession: (session: string) => attachment(tab)?.sessions[session] !== undefined,
    hasObject: (object: string) => now.objects.has(object),
    hasRequest: (request: string) => now.requests.has(request) && mayReadBody(tab, request),
  };
  for (const item of commands) {
    const refused = commandRefusal(item, facts);
    if (refused !== null) throw new Fault("POLICY", refused);
    const child = item.session ? attachment(tab)?.sessions[item.session] : undefined;
    if (child && !mayTouch(child.url)) {
      throw new Fault("PROTECTED_PAGE", "that frame's page may not be touched");
    }
    if (item.method === "Page.navigateToHistoryEntry") {
      const { entryId } = item.params as { entryId?: unknown };
      if (!(await mayGoTo(tab, entryId))) {
        throw new Fault("URL_NOT_ALLOWED", "that history entry is not an http or https page");
      }
    }
  }
}

/** Cookies are those of the addressed document, whatever the daemon would like. */
function filled(tab: number, item: CdpCommand, url: string): CdpCommand {
  const own = item.session ? (attachment(tab)?.sessions[item.session]?.url ?? "") : url;
  const params = asObject(item.params) as { [key: string]: JsonValue };
  switch (item.method) {
    case "Network.getCookies":
      return { ...item, params: { urls: [own] } };
    case "Network.setCookie":
    case "Network.deleteCookies":
      return { ...item, params: { ...params, url: own } };
    default:
      return item;
  }
}

async function one(tab: number, item: CdpCommand, signal: AbortSignal): Promise<JsonValue> {
  const session = item.session ?? undefined;
  if (item.method === "Page.handleJavaScriptDialog") {
    // The dialog's own closing is what ends the wait for it.
    return (await sendCommand(tab, item.method, asObject(item.params), session)) as JsonValue;
  }
  if (item.method === "Runtime.enable" || item.method === "Runtime.disable") {
    await editAttachment(tab, (value) => {
      value.runtime = item.method === "Runtime.enable";
    });
  }
  const result = await command(tab, item.method, asObject(item.params), session, signal);
  if (item.method !== "DOMDebugger.getEventListeners") {
    // Listeners' handlers may be of other worlds: those are shown and never issued.
    for (const id of objectIds(result)) live(tab).objects.add(id);
  }
  return (item.method === "Page.getFrameTree" ? visibleTree(result) : result) as JsonValue;
}

/** Without frames that agents may not know of. */
function visibleTree(result: Record<string, unknown>): Record<string, unknown> {
  interface Tree {
    frame: { url: string };
    childFrames?: Tree[];
  }
  const prune = (tree: Tree): Tree => ({
    ...tree,
    ...(tree.childFrames && {
      childFrames: tree.childFrames
        .filter((child) => mayTouch(child.frame.url) && !isNever(child.frame.url))
        .map(prune),
    }),
  });
  return { frameTree: prune(result.frameTree as Tree) };
}

function asObject(params: JsonValue): object {
  return params !== null && typeof params === "object" ? params : {};
}

/** Answers the open dialog. */
export function dialog(tab: number, accept: boolean, text: string | null): Promise<null> {
  return using(tab, async () => {
    const known = attachment(tab);
    if (!known) throw new Fault("NO_DIALOG", "no dialog is known to be open");
    try {
      const answer = text === null ? { accept } : { accept, promptText: text };
      await within(sendCommand(tab, "Page.handleJavaScriptDialog", answer), COMMAND_MS, () => {
        throw new Fault("TIMEOUT", "the dialog did not close");
      });
    } catch (error) {
      if (/no dialog/i.test(words(error))) {
        if (attachment(tab)?.dialog === EARLY_DIALOG) {
          throw new Fault(
            "NO_DIALOG",
            "the dialog opened before the debugger came: only a navigation that ends in 204 dismisses it",
          );
        }
        await dialogClosed(tab);
        throw new Fault("NO_DIALOG", "no dialog is open");
      }
      // Accepting a beforeunload dialog of a tab that closes takes the tab with it.
      if (!(await getTab(tab))) return null;
      throw error;
    }
    await dialogClosed(tab);
    return null;
  });
}
