//! The verb `fill_secret`: the only one that carries a secret. The value goes to the page agent of one
//! document, in its isolated world, and nothing of it comes back.

import type { Verb } from "../../../wire/verb";
import { refuseWhileDialog } from "../attachment";
import { getFrames, scripting } from "../chrome";
import { Fault } from "../fault";
import { placeRefusal } from "../secret-guard";
import { noteFirst } from "../secret-leave";
import type { SecretPlace } from "../secret-place";
import { type Filled, showsSecret, whileFilling } from "../secret-store";
import { until } from "../wait";
import type { Call } from "./context";
import { inject } from "./page";

type Request = Extract<Verb, { verb: "fill_secret" }>;

/** Fills it in, if that is where it may go. */
export async function fillSecret(
  request: Request,
  call: Call,
  place: SecretPlace | null,
): Promise<null> {
  const { tab, document, element, name, value } = request;
  refuseWhileDialog(tab);
  if (!place) throw new Fault("POLICY", "nobody looked where it goes");
  const refused = placeRefusal(request, await getFrames(tab));
  if (refused) throw new Fault(refused.code, refused.message);
  await inject(tab, document).catch(() => {
    throw new Fault("REF_GONE", "the document is gone");
  });
  const { error } = await whileFilling(tab, document, async () => {
    const run = scripting.executeScript({
      target: { tabId: tab, documentIds: [document] },
      func: giveSecret,
      // What the user let it go to, and not all that the daemon says it is bound to.
      args: [element, value, [...place.sites], place.odd],
      injectImmediately: true,
    });
    const [result] = await until(run, call.signal);
    return (result?.result as Filled | null | undefined) ?? LOST;
  });
  if (error) throw new Fault(error.code, error.message);
  const [first] = place.sites;
  if (first && place.sites.length === 1) await noteFirst(name, first);
  return null;
}

/** The document went away meanwhile, or something broke in it. */
const LOST: Filled = {
  heard: true,
  error: { code: "REF_GONE", message: "the document went away meanwhile", others: [] },
};

/** Runs in the page's isolated world. */
function giveSecret(
  element: number,
  value: string,
  origins: readonly string[],
  any: boolean,
): unknown {
  const world = globalThis as {
    __pillion?: { fillSecret?(...given: unknown[]): unknown };
  };
  return world.__pillion?.fillSecret?.(element, value, origins, any) ?? null;
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
