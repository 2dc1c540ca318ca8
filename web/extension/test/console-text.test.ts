import { expect, it } from "vitest";
import type { Told } from "../src/console-events";
import { entriesOf, objectWords } from "../src/console-text";

function said(type: string, ...args: object[]): Told {
  return {
    method: "Runtime.consoleAPICalled",
    params: { type, args, timestamp: 1, stackTrace: { callFrames: [] } },
  };
}

const text = (value: string) => ({ type: "string", value });

it("equal neighbours are one entry, others are not", () => {
  const told = [said("warning", text("a")), said("warning", text("a")), said("log", text("a"))];
  const entries = entriesOf(told, new Map());
  expect(entries.map(({ level, times }) => [level, times])).toEqual([
    ["warning", 2],
    ["log", 1],
  ]);
});

it("groups are depth, and their ends are no messages", () => {
  const told = [
    said("startGroup", text("g")),
    said("log", text("in")),
    said("endGroup"),
    said("endGroup"),
    said("log", text("out")),
  ];
  expect(entriesOf(told, new Map()).map(({ text, depth }) => [text, depth])).toEqual([
    ["g", 0],
    ["in", 1],
    ["out", 0],
  ]);
});

it("marks of the first text take the arguments after it", () => {
  const told = [
    said(
      "log",
      text("%s has %d %c%%"),
      text("Ann"),
      { type: "number", value: 3 },
      text("color:red"),
      text("x"),
    ),
  ];
  expect(entriesOf(told, new Map())[0]?.text).toBe("Ann has 3 % x");
});

it("an uncaught error is its first lines and its place", () => {
  const params = {
    timestamp: 5,
    exceptionDetails: {
      text: "Uncaught",
      url: "https://a.example/app.js",
      lineNumber: 4,
      columnNumber: 2,
      exception: {
        type: "object",
        subtype: "error",
        description: "TypeError: x is null\n    at f (https://a.example/app.js:5:3)",
      },
    },
  };
  const [entry] = entriesOf([{ method: "Runtime.exceptionThrown", params }], new Map());
  expect(entry).toMatchObject({
    level: "error",
    text: "Uncaught TypeError: x is null",
    stack: [{ url: "https://a.example/app.js", line: 5, column: 3 }],
  });
});

it("objects are told by own properties, getters by their kind only", () => {
  const number = { type: "number", value: 1 };
  const words = objectWords({ type: "object", className: "Object" }, [
    { name: "a", enumerable: true, value: number },
    { name: "b", enumerable: true, get: { type: "function" } },
    { name: "hidden", enumerable: false, value: number },
  ]);
  expect(words).toBe("{a: 1, b: (getter)}");
  const list = { type: "object", subtype: "array", className: "Array" };
  expect(objectWords(list, [{ name: "0", enumerable: true, value: text("x") }])).toBe('["x"]');
});

it("a text of any length is cut", () => {
  const [entry] = entriesOf([said("log", text("x".repeat(100_000)))], new Map());
  expect(entry?.text.length).toBeLessThan(5_000);
});
