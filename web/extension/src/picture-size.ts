//! How large a picture is to be, and how large it came out. Pure.

import type { Rect } from "../../wire/verb";

/** Part of a rectangle that is inside another; null when nothing is. */
export function intersect(a: Rect, b: Rect): Rect | null {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  const height = Math.min(a.y + a.height, b.y + b.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}

/** The smallest rectangle on whole px around it. */
export function wholePixels({ x, y, width, height }: Rect): Rect {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return {
    x: left,
    y: top,
    width: Math.ceil(x + width) - left,
    height: Math.ceil(y + height) - top,
  };
}

/** Factor that makes one CSS px at most `most` pixels and the longest side at most `maxSide`. */
export function scaleFor(
  width: number,
  height: number,
  ratio: number,
  maxSide: number,
  most = 1,
): number {
  return Math.min(most, maxSide / Math.max(width, height)) / ratio;
}

/** Pixels of a PNG, JPEG or WebP; null when the head is none of these. */
export function pixelsOf(base64: string): { width: number; height: number } | null {
  // Sizes stand near the beginning; a JPEG of Chrome has no large blocks before them.
  const head = atob(base64.slice(0, 4096 - (base64.length < 4096 ? base64.length % 4 : 0)));
  const bytes = Uint8Array.from(head, (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  if (head.startsWith("\x89PNG")) return { width: view.getUint32(16), height: view.getUint32(20) };
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return webp(head, view);
  if (head.startsWith("\xff\xd8")) return jpeg(view);
  return null;
}

function jpeg(view: DataView): { width: number; height: number } | null {
  let at = 2;
  while (at + 9 < view.byteLength) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

function webp(head: string, view: DataView): { width: number; height: number } | null {
  switch (head.slice(12, 16)) {
    case "VP8 ":
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8X": {
      const three = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
      return { width: three(24) + 1, height: three(27) + 1 };
    }
    default:
      return null;
  }
}
