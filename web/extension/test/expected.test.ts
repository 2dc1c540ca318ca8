import { expect, it } from "vitest";
import { expectedOf, pointedBy } from "../src/expected";

const mouse = (type: string, x = 5, y = 6) => ({
  method: "Input.dispatchMouseEvent",
  params: { type, x, y },
  noWait: false,
});
const key = (type: string, name: string) => ({
  method: "Input.dispatchKeyEvent",
  params: { type, key: name },
  noWait: true,
});
const other = { method: "Page.enable", params: {}, noWait: false };

it("a press is a move and one press", () => {
  const batch = [mouse("mouseMoved"), mouse("mousePressed"), mouse("mouseReleased")];
  const list = expectedOf(batch);
  expect(list?.filter(([type]) => type === "pointerdown")).toEqual([["pointerdown", "", 5, 6]]);
  expect(pointedBy(batch)).toEqual([5, 6, true]);
});

it("keys are expected as often as they go down, by their names", () => {
  const batch = [key("rawKeyDown", "Escape"), key("keyUp", "Escape"), key("keyDown", "a")];
  expect(expectedOf(batch)).toEqual([
    ["keydown", "Escape", 0, 0],
    ["keydown", "a", 0, 0],
  ]);
  expect(pointedBy(batch)).toBeNull();
});

it("what holds no input is no act, and inserted text expects nothing", () => {
  expect(expectedOf([other])).toBeNull();
  expect(
    expectedOf([{ method: "Input.insertText", params: { text: "x" }, noWait: false }]),
  ).toEqual([]);
});

it("parameters of any shape are no reason to fail", () => {
  expect(expectedOf([{ method: "Input.dispatchMouseEvent", params: null, noWait: false }])).toEqual(
    [],
  );
});
