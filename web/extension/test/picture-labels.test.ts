// Where refs are drawn on a picture.

import { expect, test } from "vitest";
import { placedIn } from "../src/picture-labels";

const frame = { left: 0, top: 100, cssPerPixel: 2 };

test("boxes follow the picture's place and scale", () => {
  const placed = placedIn({ x: 20, y: 160, width: 40, height: 20 }, frame, 400, 300);
  expect(placed).toEqual({ box: { x: 10, y: 30, width: 20, height: 10 }, tag: { x: 10, y: 14 } });
});

test("a tag stays in the picture", () => {
  const placed = placedIn({ x: -10, y: 104, width: 40, height: 20 }, frame, 400, 300);
  expect(placed?.tag).toEqual({ x: 0, y: 2 });
});

test("what is not in the picture is not drawn", () => {
  expect(placedIn({ x: 0, y: 0, width: 40, height: 20 }, frame, 400, 300)).toBeNull();
  expect(placedIn({ x: 900, y: 160, width: 40, height: 20 }, frame, 400, 300)).toBeNull();
});
