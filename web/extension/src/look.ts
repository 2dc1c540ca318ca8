//! Lets the user point at an element: the page agent of every frame shows a frame under the pointer and
//! remembers what was clicked; this asks for it. What the agent remembers outlives the worker.

import type { AskEnding } from "../../wire/ask";
import type { Looked } from "../../wire/page";
import type { FrameReply } from "../../wire/verb";
import { getTab } from "./chrome";
import { LOOK_CALL_MS, LOOK_EVERY_MS } from "./limits";
import { placesOf } from "./places";
import { strings } from "./strings";
import { page } from "./verbs/page";
import { sleep } from "./wait";

const running = new Set<string>();

/** What the user pointed at or that they gave up; null when it ended meanwhile. */
export async function pointIn(
  tab: number,
  id: string,
  isOpen: () => boolean,
): Promise<AskEnding | null> {
  if (running.has(id)) return null;
  running.add(id);
  try {
    while (isOpen()) {
      const found = (await replies(tab, id)).map(endingOf).find((ending) => ending !== null);
      if (found) return found;
      await sleep(LOOK_EVERY_MS);
    }
    return null;
  } finally {
    running.delete(id);
  }
}

/** Takes everything of it out of the page. */
export async function endLook(tab: number): Promise<void> {
  // A page that went away took it along.
  await page(tab, null, { op: "look_end" }, call(), new Set()).catch(() => []);
}

/** A page that is just going away answers nothing: its successor is asked. */
async function replies(tab: number, id: string): Promise<FrameReply[]> {
  const what = { op: "look", ask: id, words: strings.pointHint } as const;
  const { never } = await placesOf(tab, (await getTab(tab))?.url ?? "");
  return page(tab, null, what, call(), never).catch(() => []);
}

function endingOf({ document, value }: FrameReply): AskEnding | null {
  const looked = value as Looked | null | undefined;
  if (looked?.element) return { how: "pointed", document, element: looked.element };
  return looked?.cancelled ? { how: "denied" } : null;
}

function call() {
  const end = Date.now() + LOOK_CALL_MS;
  return {
    signal: AbortSignal.timeout(LOOK_CALL_MS),
    remaining: () => Math.max(0, end - Date.now()),
  };
}
