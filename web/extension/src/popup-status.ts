//! What the popup says first: where things stand, and the one thing to do. Pure.

import type { PopupView } from "./popup-wire";
import { strings, type Words } from "./strings";

/** How it looks. */
export type Mood = "good" | "ask" | "wait" | "bad" | "off";
/** What the user can do about it. */
export type Remedy = "allow" | "retry" | "renew" | null;

export interface Status {
  readonly mood: Mood;
  readonly words: Words;
  readonly remedy: Remedy;
}

/** One glance. */
export function statusOf(view: PopupView): Status {
  const { link, settings } = view;
  if (link.is === "connected" && !settings.consent) {
    return { mood: "ask", words: strings.waiting, remedy: "allow" };
  }
  switch (link.is) {
    case "connected":
      return settings.sharing === "paused"
        ? { mood: "off", words: strings.paused, remedy: null }
        : { mood: "good", words: strings.connected, remedy: null };
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
