//! Whether words that are on the page can be told from what is behind them: not in the background's
//! own colour, not without colour, not smaller than any letter.
//!
//! A colour is judged only where what is behind is known for certain; with a picture or another box
//! in between the words count as readable.

import { getBoundingClientRect, isElement, localName, querySelectorAll } from "./dom.ts";
import { perWalk, styleOf } from "./reading.ts";
import { flatParent } from "./shadow.ts";

/** Letters at most this high are a line of dots. */
const LEAST_FONT_PX = 2;
/** Colours as close as this in each channel (of 255) are one colour to the eye. */
const CLOSE = 6;
/** A background with more elements in it than this is not searched for what may lie between. */
const SEARCHED = 3_000;
const PAINTED = new Set(["img", "picture", "video", "canvas", "svg", "iframe", "object", "embed"]);

interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

/** `rgb(1, 2, 3)` and `rgba(1, 2, 3, 0.5)`, as computed; other forms are not judged. */
function colourOf(text: string): Colour | null {
  const found = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
  if (!found) return null;
  const [red = 0, green = 0, blue = 0] = found.slice(1, 4).map(Number);
  return { red, green, blue, alpha: found[4] === undefined ? 1 : Number(found[4]) };
}

function isSame(one: Colour, other: Colour): boolean {
  return (
    Math.abs(one.red - other.red) <= CLOSE &&
    Math.abs(one.green - other.green) <= CLOSE &&
    Math.abs(one.blue - other.blue) <= CLOSE
  );
}

interface Ground {
  readonly of: Element;
  readonly colour: Colour;
}

/** The nearest opaque background; null where a picture or a see-through layer comes first. */
const groundOf = perWalk((el: Element): Ground | null => {
  const { backgroundColor, backgroundImage, backdropFilter, mixBlendMode } = styleOf(el);
  if (backgroundImage !== "none" || mixBlendMode !== "normal") return null;
  if (backdropFilter && backdropFilter !== "none") return null;
  const colour = colourOf(backgroundColor);
  if (!colour) return null;
  if (colour.alpha === 1) return { of: el, colour };
  const parent = colour.alpha === 0 ? flatParent(el) : null;
  return parent && groundOf(parent);
});

/** Boxes on a background that paint something of their own. */
const paintedOn = perWalk((ground: Element): DOMRect[] | null => {
  const inside = querySelectorAll(ground, "*");
  if (inside.length > SEARCHED) return null;
  const found: DOMRect[] = [];
  for (const el of inside) if (paints(el)) found.push(getBoundingClientRect(el));
  return found;
});

function paints(el: Element): boolean {
  if (PAINTED.has(localName(el))) return true;
  const { backgroundColor, backgroundImage } = styleOf(el);
  return backgroundImage !== "none" || colourOf(backgroundColor)?.alpha !== 0;
}

function isCrossed(el: Element, ground: Element): boolean {
  const painted = paintedOn(ground);
  if (!painted) return true;
  const own = getBoundingClientRect(el);
  return painted.some(
    (box) =>
      box.width > 0 &&
      box.height > 0 &&
      box.left < own.right &&
      box.right > own.left &&
      box.top < own.bottom &&
      box.bottom > own.top,
  );
}

/** Whether a person could read words that stand directly in the element. */
export const isReadable = perWalk((el: Element): boolean => {
  const style = styleOf(el);
  if (Number.parseFloat(style.fontSize) < LEAST_FONT_PX) return false;
  if (style.textShadow !== "none" || style.backgroundClip === "text") return true;
  const stroke = Number.parseFloat(style.webkitTextStrokeWidth);
  if (stroke > 0) return true;
  const colour = colourOf(style.webkitTextFillColor) ?? colourOf(style.color);
  if (!colour) return true;
  if (colour.alpha === 0) return false;
  const ground = groundOf(el);
  if (!ground || !isElement(ground.of) || !isSame(colour, ground.colour)) return true;
  return isCrossed(el, ground.of);
});
