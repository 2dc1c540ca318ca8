//! What the popup says first: where things stand, and the one thing to do. Pure.

import type { PopupView } from "./popup-wire";
import { strings, type Words } from "./strings";

/** How it looks. */
export type Mood = "good" | "ask" | "wait" | "bad" | "off";
/** What the user can do about it. */
export type Remedy = "allow" | "retry" | "renew" | "resume" | "unpause" | null;

export interface Status {
  readonly mood: Mood;
  readonly words: Words;
  readonly remedy: Remedy;
}

/** One glance. */
export function statusOf(
  view: Pick<PopupView, "link" | "settings" | "everything" | "agents">,
): Status {
  const { link, settings } = view;
  if (link.is === "connected" && !settings.consent) {
    return { mood: "ask", words: strings.waiting, remedy: "allow" };
  }
  switch (link.is) {
    case "connected":
      return whenConnected(view);
    case "searching":
      return { mood: "wait", words: strings.searching, remedy: null };
    case "no_helper":
      return { mood: "bad", words: strings.noHelper, remedy: "retry" };
    case "refused":
      return {
        mood: "bad",
        words: strings.refused[link.code],
        remedy: link.code === "copy" ? "renew" : "retry",
      };
  }
}

function whenConnected(view: Pick<PopupView, "settings" | "everything" | "agents">): Status {
  if (view.everything !== null) {
    return { mood: "off", words: strings.halted[view.everything], remedy: "resume" };
  }
  if (view.settings.sharing === "paused") {
    return { mood: "off", words: strings.paused, remedy: "unpause" };
  }
  const words = view.agents.length > 0 ? strings.connected : strings.connectedIdle;
  return { mood: "good", words, remedy: null };
}
