import { expect, it } from "vitest";
import type { CdpCommand, Verb } from "../../wire/verb";
import type { Target } from "../src/aim";
import { installChrome } from "./fake-chrome";

installChrome();
const { pointsOf } = await import("../src/aim");
const { describeWish } = await import("../src/wish");

const target = (more: Partial<Target["element"]> = {}, form: string | null = null): Target => ({
  place: { frame: 0, parent: -1, document: "D", url: "https://a.example/x", rule: "ask" },
  element: { id: 1, role: "button", name: "Pay", refound: false, ...more },
  form,
});
const command = (method: string, params: object): CdpCommand => ({
  method,
  params: { ...params },
  noWait: false,
});
const batch = (...commands: CdpCommand[]): Verb => ({ verb: "cdp", tab: 1, commands });
const mouse = (type: string, x: number, y: number) =>
  command("Input.dispatchMouseEvent", { type, x, y, button: "left" });
const press = (x: number, y: number) =>
  batch(mouse("mouseMoved", x, y), mouse("mousePressed", x, y), mouse("mouseReleased", x, y));

it("a press is the same wherever its element went, and another with another button", () => {
  const first = describeWish(press(1, 2), ["act"], [target()]);
  expect(first).toMatchObject({ kind: "act", verb: "press" });
  expect(describeWish(press(9, 9), ["act"], [target()]).arguments).toBe(first.arguments);
  const right = command("Input.dispatchMouseEvent", { type: "mousePressed", button: "right" });
  expect(describeWish(batch(right), ["act"], [target()]).arguments).not.toBe(first.arguments);
});

it("a form that goes to another site is named", () => {
  const line = (form: string | null) =>
    describeWish(press(1, 2), ["act"], [target({}, form)]).lines;
  expect(line("https://a.example/send").join()).not.toContain("form");
  expect(line("https://b.example/send?card=1").join()).toContain("https://b.example");
  expect(line("https://b.example/send?card=1").join()).not.toContain("card");
});

it("typed words are shown, but not those of a masked field", () => {
  const type = batch(command("Input.insertText", { text: "hunter2" }));
  const shown = describeWish(type, ["act"], [target({ role: "textbox" })]);
  expect(shown.lines.join()).toContain("hunter2");
  const masked = target({ role: "textbox", states: [{ k: "masked", v: 0 }] });
  const hidden = describeWish(type, ["act"], [masked]);
  expect(hidden.lines.join()).toContain("7 characters");
  expect(hidden.lines.join()).not.toContain("hunter2");
});

it("a script in a batch is code, whatever else is in it", () => {
  const script = command("Runtime.evaluate", { expression: "steal()" });
  const wish = describeWish(batch(script, mouse("mousePressed", 1, 1)), ["script", "act"], []);
  expect(wish.kind).toBe("code");
  expect(wish.lines.join()).toContain("steal()");
});

it("what is looked at are the places of presses and the focus of keys, each once", () => {
  const key = command("Input.dispatchKeyEvent", { type: "keyDown", key: "a", text: "a" });
  const commands = [mouse("mousePressed", 1, 2), mouse("mouseReleased", 1, 2), key, key];
  expect(pointsOf(commands)).toEqual([{ x: 1, y: 2 }, null]);
});
