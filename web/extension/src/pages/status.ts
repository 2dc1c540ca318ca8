//! One glance: where things stand, and the one button that mends it.

import { button, element, type Piece } from "../dom";
import { type Remedy, statusOf } from "../popup-status";
import type { PopupView } from "../popup-wire";
import { strings } from "../strings";
import type { Tell } from "./port";

/** The card at the top of popup and panel. */
export function statusSection(view: PopupView, tell: Tell): Piece {
  const status = statusOf(view);
  const { mood, words, remedy } = status;
  return {
    key: "status",
    of: status,
    make: () =>
      element(
        "section",
        { class: "card status", "data-mood": mood, role: "status" },
        element("span", { class: "dot" }),
        element(
          "div",
          { class: "words" },
          element("p", { class: "title" }, words.title),
          element("p", { class: "hint" }, words.hint),
        ),
        remedyOf(remedy, tell),
      ),
  };
}

/** The line after the daemon was set up anew. */
export function repinnedSection(view: PopupView, tell: Tell): Piece | null {
  if (!view.settings.repinned) return null;
  return {
    key: "repinned",
    of: true,
    make: () =>
      element(
        "section",
        { class: "card status", "data-mood": "ask", role: "status" },
        element("span", { class: "dot" }),
        element("p", { class: "words" }, strings.repinned),
        button(strings.dismiss, "plain", () => tell({ ask: "seen_repinned" })),
      ),
  };
}

function remedyOf(remedy: Remedy, tell: Tell): HTMLElement | null {
  switch (remedy) {
    case "allow":
      return element(
        "div",
        { class: "wide" },
        button(strings.allow, "primary", () => tell({ ask: "consent", granted: true })),
        element("p", { class: "note" }, strings.allowNote),
      );
    case "retry":
      return button(strings.retry, "plain", () => tell({ ask: "retry" }));
    case "renew":
      return button(strings.renew, "plain", () => tell({ ask: "renew" }));
    case "resume":
      return button(strings.resumeAll, "plain", () => tell({ ask: "halt_all", halt: null }));
    case "unpause":
      return button(strings.resumeAll, "plain", () => tell({ ask: "sharing", sharing: "chosen" }));
    case null:
      return null;
  }
}
