//! The input that the extension makes of a semantic act: what was shown to the user is what is pressed,
//! so its place comes from here and not from the daemon. Pure.

import type { Point } from "../../wire/page";
import type { JsonValue } from "../../wire/serde_json/JsonValue";
import type { CdpCommand, PointerButton, Pointing, Verb } from "../../wire/verb";
import { Fault } from "./fault";

const BITS: Readonly<Record<PointerButton, number>> = { left: 1, right: 2, middle: 4 };
/** As a finger on a button; without it pages can tell the press from a hand's. */
const FORCE = 0.5;
const MOST_PRESSES = 3;
const MOST_STEPS = 16;

/** A verb that is no semantic act. */
export type Plain = Exclude<Verb, { verb: "press" | "keys" }>;

/** The batch that a semantic act is; all other verbs as they are. `point`: where the gate found it. */
export function composed(verb: Verb, point: Point | null): Plain {
  switch (verb.verb) {
    case "press":
      return batch(verb.tab, pointing(verb.how, point ?? verb.at, verb.modifiers));
    case "keys":
      return batch(verb.tab, verb.commands);
    default:
      return verb;
  }
}

function batch(tab: number, commands: readonly CdpCommand[]): Plain {
  return { verb: "cdp", tab, commands: [...commands] };
}

/** Whether a command is a key or text, and for the tab itself. */
export function isKey({ method, session }: CdpCommand): boolean {
  return !session && KEYS.has(method);
}

const KEYS: ReadonlySet<string> = new Set([
  "Input.dispatchKeyEvent",
  "Input.insertText",
  "Input.imeSetComposition",
]);

/** The commands of a press, a grab or a drop at a point. */
export function pointing(how: Pointing, at: Point, modifiers: number): CdpCommand[] {
  switch (how.is) {
    case "press": {
      if (!(how.count >= 1 && how.count <= MOST_PRESSES)) throw new Fault("POLICY", "1 to 3 times");
      const button = BITS[how.button];
      const out = [mouse("mouseMoved", at, { modifiers, button: "none", buttons: 0 })];
      for (let nth = 1; nth <= how.count; nth += 1) {
        const common = { button: how.button, clickCount: nth, modifiers };
        out.push(mouse("mousePressed", at, { ...common, buttons: button, force: FORCE }));
        out.push(mouse("mouseReleased", at, { ...common, buttons: 0, force: 0 }));
      }
      return out;
    }
    case "grab":
      return [
        mouse("mouseMoved", at, { modifiers, button: "none", buttons: 0 }),
        mouse("mousePressed", at, {
          ...{ modifiers, button: "left", buttons: BITS.left, clickCount: 1, force: FORCE },
        }),
        ...held(how.path, modifiers),
      ];
    case "drop":
      return how.data == null
        ? [...held([...how.path, at], modifiers), released(at, modifiers)]
        : [...dropped(at, how.data, modifiers), released(at, modifiers)];
  }
}

function held(path: readonly Point[], modifiers: number): CdpCommand[] {
  return path
    .slice(-MOST_STEPS)
    .map((step) => mouse("mouseMoved", step, { modifiers, button: "left", buttons: BITS.left }));
}

function released(at: Point, modifiers: number): CdpCommand {
  return mouse("mouseReleased", at, { modifiers, button: "left", buttons: 0, clickCount: 1 });
}

function dropped({ x, y }: Point, data: JsonValue, modifiers: number): CdpCommand[] {
  return ["dragEnter", "dragOver", "dragOver", "drop"].map((type) => ({
    method: "Input.dispatchDragEvent",
    params: { type, x, y, data, modifiers },
    noWait: false,
  }));
}

function mouse(type: string, { x, y }: Point, more: Record<string, JsonValue>): CdpCommand {
  return { method: "Input.dispatchMouseEvent", params: { type, x, y, ...more }, noWait: false };
}
