//! What became of the input that was expected: whether it arrived, and where it landed.

import type { Act, InputSeen } from "../../wire/page.ts";
import { isWithin } from "./hit.ts";
import { InputWatch, type Seen } from "./input.ts";
import { actingAround } from "./owner.ts";
import { shadowOf } from "./shadow.ts";
import { described } from "./target.ts";
import { world } from "./world.ts";

const ownWatch = new InputWatch();
// A keeper may come while a press is under way: what was armed is what is asked.
let armed: InputWatch | null = null;
const PRESSES = ["pointerdown", "mousedown", "click"] as const;
const MOVES = ["mousemove", "pointermove"] as const;

function watch(): InputWatch {
  return world().__pillionKeeper?.input ?? ownWatch;
}

/** Sees input from now on. Listens itself where no keeper does. */
export function expectInput(): void {
  armed?.disarm();
  armed = watch();
  armed.install();
  armed.arm();
}

/** Sees nothing any more. */
export function expectNothing(): void {
  armed?.disarm();
  armed = null;
}

/** An event that we sent ourselves: not trusted, so it is not seen by itself. */
export function noteSent(event: Event, target: EventTarget): void {
  const path: EventTarget[] = [];
  for (let at: Node | null = target as Node; at; at = at.parentNode ?? hostOf(at)) path.push(at);
  armed?.see(event, path);
}

function hostOf(node: Node): Element | null {
  return node instanceof ShadowRoot ? node.host : null;
}

/** Listens early, so that the page's own listeners come later. */
export function listenForInput(): void {
  watch().install();
}

/** What was seen since `expectInput`. */
export function inputSeen(act: Act | null, target: Element | null, hit: Element | null): InputSeen {
  const seen = armed?.seen() ?? [];
  const arrived = countFor(act, seen);
  const last = lastPress(seen, act === "hover" ? MOVES : PRESSES);
  if (!target || !last) return { arrived, onTarget: false, landed: null };
  const isOn = (event: Seen) =>
    hasLandedOn(target, event) || (hit !== null && event.path.includes(hit));
  // What a pointer opens may lie under it when it comes to rest.
  const onTarget = act === "hover" ? seen.filter(isMove).some(isOn) : isOn(last);
  const landed = onTarget ? null : firstElement(last);
  return { arrived, onTarget, landed: landed ? described(actingAround(landed)) : null };
}

function isMove(event: Seen): boolean {
  return (MOVES as readonly string[]).includes(event.type);
}

function countFor(act: Act | null, seen: readonly Seen[]): number {
  // One press is several events, and a label's press makes a second click: the first kind that
  // arrived at all is the one to count.
  const count = (types: readonly string[]): number => {
    for (const type of types) {
      const number = seen.filter((event) => event.type === type).length;
      if (number > 0) return number;
    }
    return 0;
  };
  switch (act) {
    case "click":
    case "drag":
    case "drop":
      return count(PRESSES);
    case "hover":
      return count(MOVES);
    case "wheel":
      return count(["wheel"]);
    case "view":
    case null:
      return count(PRESSES) + count(["keydown"]) + count(["input"]);
  }
}

function lastPress(seen: readonly Seen[], types: readonly string[]): Seen | null {
  for (const type of types) {
    const press = seen.findLast((event) => event.type === type);
    if (press) return press;
  }
  return null;
}

function firstElement(event: Seen): Element | null {
  const [first] = event.path;
  return first instanceof Element ? first : null;
}

/** The way of the event is the one at its time; what was under it may be gone by now. */
function hasLandedOn(target: Element, event: Seen): boolean {
  for (const at of event.path) {
    if (at === target) return true;
    if (at instanceof HTMLLabelElement && at.control === target) return true;
  }
  const landed = firstElement(event);
  if (!landed) return false;
  // From outside, an event in a closed shadow root seems to happen on the host.
  if (shadowOf(landed) && isWithin(target, landed)) return true;
  return isWithin(target, landed) && getComputedStyle(target).pointerEvents === "none";
}
