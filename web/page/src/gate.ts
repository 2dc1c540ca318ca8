//! Tells the agent's input from the user's. What the agent sends is announced here first and ticked
//! off as it comes; every other trusted press and key is the user's, and is told, never with what it
//! was. While an act is under way, the user's input is held off if the extension says so. Touches
//! nothing in a tab that no agent holds.

import { listen } from "./listen.ts";
import { world } from "./world.ts";

/**
 * One thing that the agent sends, as the event that it makes: `keydown` with a key's name, or without
 * one `pointerdown`, `pointermove` or `wheel` at a place of the tab's viewport in CSS px.
 */
export type Expected = readonly [type: string, key: string, x: number, y: number];

/** From the extension. */
export type Orders = {
  /** Whether the tab is an agent's. */
  on?: boolean;
  /** An act begins with this input; null: it is over. */
  x?: readonly Expected[] | null;
  /** What the user does meanwhile does not reach the page. */
  hold?: boolean;
};

/** To the extension: the user pressed, typed, or pressed Escape three times. */
export type Told = "p" | "k" | "s";

/** What the keeper asks of it. */
export type Gate = { install: () => void; hear: (orders: Orders) => void };

// The extension's word may come just behind the input that it is about.
const LATE_MS = 80;
const TOLD_EVERY_MS = 250;
const ESCAPES_MS = 1_000;
// A press that was held off may be released after the act.
const RELEASE_MS = 1_000;
// Where something is to be pressed is whole and fractional pixels.
const NEAR_PX = 3;
const ALWAYS = "pointerdown keydown click";
// A wheel and a touch that may be stopped make scrolling wait for the page: only during acts.
const ACTING =
  "pointermove wheel pointerup mousedown mousemove mouseup auxclick dblclick contextmenu touchstart touchend keyup";
const JUDGED = /^(pointer(down|move)|keydown|wheel)$/;

/** Makes the document's gate. `tell` takes what the user did. */
export function makeGate(tell: (what: Told) => void): Gate {
  let isOn: boolean | undefined;
  let holds: boolean | undefined;
  let expected: readonly Expected[] = [];
  // What seems to be the user's, and is not told yet.
  let late: Expected[] = [];
  let timer = 0;
  // When Escape was pressed last, and the time before.
  let last = -ESCAPES_MS;
  let before = last;
  // What follows a press, a move or a key goes the way that it went.
  let held: Record<string, boolean | undefined> = {};

  function isExpected([type, key, x, y]: Expected): boolean {
    const found = expected.find(
      (one) =>
        one[0] === type &&
        one[1] === key &&
        // A child frame has another origin, and a pinched page another scale.
        (key ||
          parent !== window ||
          visualViewport?.scale !== 1 ||
          Math.hypot(one[2] - x, one[3] - y) < NEAR_PX),
    );
    expected = expected.filter((one) => one !== found);
    return !!found;
  }

  function report(): void {
    const came = late.pop();
    late = [];
    timer = came ? setTimeout(report, TOLD_EVERY_MS) : 0;
    if (came) tell(came[1] ? "k" : "p");
  }

  function isUsers(came: Expected, at: number): boolean {
    const [type, key] = came;
    if (isExpected(came)) return false;
    if (/down/.test(type) && !/^(Contr|Shift|Alt|Meta)/.test(key)) {
      late.push(came);
      if (timer === 0) timer = setTimeout(report, LATE_MS);
    }
    if (key === "Escape") {
      if (at - before < ESCAPES_MS) tell("s");
      before = last;
      last = at;
    }
    return true;
  }

  function see(event: Event): void {
    const { type, key = "", clientX, clientY, detail } = event as KeyboardEvent & MouseEvent;
    if (!isOn || !event.isTrusted) return;
    const shield = world().__pillionShield;
    let stops = shield && event.target === shield.host;
    if (stops) {
      // Ahead of the page, which could keep it from its button.
      if (type === "click") shield?.take();
    } else {
      const of = key || (/move|wheel/.exec(type)?.[0] ?? "press");
      if (JUDGED.test(type)) {
        held[of] = isUsers([type, key, clientX, clientY], event.timeStamp) && holds;
      }
      // A click by a key has no press before it.
      stops = held[of] && (type !== "click" || detail > 0);
    }
    if (!stops) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  function rest(): void {
    if (holds) return;
    held = {};
    listen(ACTING, see, false, removeEventListener);
  }

  return {
    install: () => listen(ALWAYS, see, false),
    hear: ({ on, x, hold }) => {
      isOn = on ?? isOn;
      if (x === undefined) return;
      holds = !!x && hold;
      expected = x ?? [];
      late = late.filter((came) => !isExpected(came));
      if (holds) {
        held = {};
        listen(ACTING, see, false);
      } else setTimeout(rest, RELEASE_MS);
    },
  };
}
