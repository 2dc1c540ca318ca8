//! The verb `fill_secret`: the only one that carries a secret. The value goes to the page agent of one
//! document, in its isolated world, and nothing of it comes back.

import type { PageError } from "../../../wire/page";
import type { Verb } from "../../../wire/verb";
import { refuseWhileDialog } from "../attachment";
import { getFrames, scripting } from "../chrome";
import { Fault } from "../fault";
import { placeRefusal } from "../secret-guard";
import { showsSecret, whileFilling } from "../secret-store";
import { until } from "../wait";
import type { Call } from "./context";
import { inject } from "./page";

type Request = Extract<Verb, { verb: "fill_secret" }>;

/** Fills it in, if that is where it may go. */
export async function fillSecret(request: Request, call: Call): Promise<null> {
  const { tab, document, element, value, origins } = request;
  refuseWhileDialog(tab);
  const refused = placeRefusal(request, await getFrames(tab));
  if (refused) throw new Fault(refused.code, refused.message);
  return whileFilling(tab, document, async () => {
    await inject(tab, document).catch(() => {
      throw new Fault("REF_GONE", "the document is gone");
    });
    const run = scripting.executeScript({
      target: { tabId: tab, documentIds: [document] },
      func: giveSecret,
      args: [element, value, origins],
      injectImmediately: true,
    });
    const [result] = await until(run, call.signal);
    const outcome = result?.result as { error?: PageError; done?: boolean } | null | undefined;
    if (outcome?.error) throw new Fault(outcome.error.code, outcome.error.message);
    if (outcome?.done !== true) throw new Fault("REF_GONE", "the document went away meanwhile");
    return null;
  });
}

/** Runs in the page's isolated world. */
function giveSecret(element: number, value: string, origins: readonly string[]): unknown {
  const world = globalThis as {
    __pillion?: { fillSecret?(id: number, value: string, origins: readonly string[]): unknown };
  };
  if (!world.__pillion?.fillSecret) {
    return { error: { code: "INTERNAL", message: "the page agent takes no secrets" } };
  }
  try {
    world.__pillion.fillSecret(element, value, origins);
    return { done: true };
  } catch (failure) {
    const { wire } = failure as { wire?: () => unknown };
    const unknown = { code: "INTERNAL", message: "the page agent failed" };
    return { error: wire ? wire.call(failure) : unknown };
  }
}

/** Takes a picture while secrets are drawn as dots in every frame of the tab. */
export async function veiled<T>(tab: number, take: () => Promise<T>): Promise<T> {
  if (!(await showsSecret(tab))) return take();
  await veil(tab, true);
  try {
    return await take();
  } finally {
    // A page that is gone meanwhile has nothing to show again.
    await veil(tab, false).catch(() => undefined);
  }
}

async function veil(tab: number, on: boolean): Promise<void> {
  await scripting.executeScript({
    target: { tabId: tab, allFrames: true },
    func: (hide: boolean) => {
      const world = globalThis as { __pillion?: { veilSecrets?(on: boolean): void } };
      world.__pillion?.veilSecrets?.(hide);
    },
    args: [on],
    injectImmediately: true,
  });
}
