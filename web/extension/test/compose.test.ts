import { describe, expect, it } from "vitest";
import type { CdpCommand, Pointing, Verb } from "../../wire/verb";
import { composed, isKey, pointing } from "../src/compose";
import { commandGroup, paramOf } from "../src/levels";

const at = { x: 10, y: 20 };
const types = (commands: readonly CdpCommand[]) => commands.map((one) => paramOf(one, "type"));
const places = (commands: readonly CdpCommand[]) =>
  commands.map((one) => [paramOf(one, "x"), paramOf(one, "y")]);
const press = (count: number): Pointing => ({ is: "press", button: "right", count });

describe("the input of a semantic act", () => {
  it("comes, presses and releases as often as asked, all at one point", () => {
    const made = pointing(press(2), at, 8);
    expect(types(made)).toEqual([
      "mouseMoved",
      "mousePressed",
      "mouseReleased",
      "mousePressed",
      "mouseReleased",
    ]);
    expect(made.map((one) => paramOf(one, "clickCount"))).toEqual([undefined, 1, 1, 2, 2]);
    expect(new Set(made.map((one) => paramOf(one, "modifiers")))).toEqual(new Set([8]));
    for (const place of places(made)) expect(place).toEqual([10, 20]);
  });

  it.each([0, 4, -1, Number.NaN])("%s presses are none", (count) => {
    expect(() => pointing(press(count), at, 0)).toThrow();
  });

  it("of a drop ends at the point, whatever path came before", () => {
    const path = Array.from({ length: 90 }, (_, step) => ({ x: step, y: step }));
    const made = pointing({ is: "drop", path }, at, 0);
    expect(made.length).toBeLessThan(20);
    expect(places(made.slice(-2))).toEqual([
      [10, 20],
      [10, 20],
    ]);
    expect(types(made).at(-1)).toBe("mouseReleased");
    const dragged = pointing({ is: "drop", path, data: { items: [] } }, at, 0);
    expect(types(dragged)).toEqual(["dragEnter", "dragOver", "dragOver", "drop", "mouseReleased"]);
    for (const place of places(dragged)) expect(place).toEqual([10, 20]);
  });

  it("of a grab presses once and only moves after that", () => {
    const made = pointing({ is: "grab", path: [{ x: 1, y: 2 }] }, at, 0);
    expect(made.filter((one) => commandGroup(one) === "act")).toHaveLength(1);
    expect(places(made).at(-1)).toEqual([1, 2]);
  });

  it("takes the place that was found here, and the daemon's where nobody looked", () => {
    const verb: Verb = {
      ...{ verb: "press", tab: 1, document: "D", element: 3, modifiers: 0, exact: false },
      how: press(1),
      at: { x: 1, y: 1 },
    };
    const of = (found: typeof at | null) => {
      const made = composed(verb, found);
      return made.verb === "cdp" ? places(made.commands)[1] : null;
    };
    expect(of(at)).toEqual([10, 20]);
    expect(of(null)).toEqual([1, 1]);
  });
});

it("keys are keys and text, in the tab itself", () => {
  const key = (method: string, session?: string): CdpCommand => ({
    ...{ method, params: {}, noWait: false },
    ...(session && { session }),
  });
  expect(isKey(key("Input.dispatchKeyEvent"))).toBe(true);
  expect(isKey(key("Input.insertText"))).toBe(true);
  for (const other of ["Input.dispatchMouseEvent", "Runtime.evaluate", "Input.dispatchDragEvent"]) {
    expect(isKey(key(other))).toBe(false);
  }
  expect(isKey(key("Input.insertText", "S"))).toBe(false);
});
