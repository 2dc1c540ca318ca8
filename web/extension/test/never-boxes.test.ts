import { expect, it } from "vitest";
import { installChrome } from "./fake-chrome";

installChrome();
const { boxOf, neverIn, through } = await import("../src/never-boxes");
const { pixels } = await import("../src/paint");

const never = (url: string) => url.includes("never.example");
const frame = (id: string, url: string, ...childFrames: object[]) =>
  ({ frame: { id, url }, childFrames }) as Parameters<typeof neverIn>[0];

it("frames of never-sites are found, with what has no address of its own in them", () => {
  const tree = frame(
    "top",
    "https://a.example/",
    frame(
      "n",
      "https://never.example/",
      frame("blank", "about:blank"),
      frame("b", "https://b.example/"),
    ),
    frame("own", "about:srcdoc", frame("deep", "https://x.never.example/")),
    frame("made", "data:text/html,x"),
  );
  expect(neverIn(tree, "", never)).toEqual(["n", "blank", "deep"]);
});

it("a box in a frame lies behind the frame's border, scaled as it is drawn", () => {
  const model = {
    ...{ width: 100, height: 50 },
    border: [10, 20, 210, 20, 210, 120, 10, 120],
    content: [14, 24, 206, 24, 206, 116, 14, 116],
  };
  expect(through([0, 0, 10, 0, 10, 10, 0, 10], model)).toEqual([14, 24, 34, 24, 34, 44, 14, 44]);
});

it("a turned frame turns what is in it, and its box is around all of it", () => {
  // A quarter turn: right is down, down is left.
  const model = {
    ...{ width: 100, height: 50 },
    border: [100, 0, 100, 100, 50, 100, 50, 0],
    content: [100, 0, 100, 100, 50, 100, 50, 0],
  };
  expect(boxOf(through([10, 5, 30, 5, 30, 15, 10, 15], model))).toEqual([85, 10, 95, 30]);
});

it("a box becomes whole pixels of the picture, and a little more", () => {
  const picture = { left: 100, top: 50, cssPerPixel: 2 };
  expect(pixels([120, 60, 141, 81], picture)).toEqual([9, 4, 22, 17]);
});
