//! Frames that are too large for one native message travel in parts. Pure.

import type { FromExtension } from "../../wire/link";
import { FRAME_BYTES } from "./limits";

type Part = Extract<FromExtension, { t: "part" }>;

/** The frame itself when it is small, else its parts. */
export function split(text: string, of: number, limit: number): string[] {
  // A character takes up to three bytes in UTF-8 and up to six when JSON quotes it again.
  const size = Math.floor(limit / 3);
  if (text.length <= size) return [text];
  const count = Math.ceil(text.length / size);
  return Array.from({ length: count }, (_, index) => {
    const piece = text.slice(index * size, (index + 1) * size);
    const part: Part = { t: "part", of, index, last: index === count - 1, text: piece };
    return JSON.stringify(part);
  });
}

/** Puts parts together again; anything out of order is dropped. */
export class Assembler {
  readonly #open = new Map<number, { next: number; text: string }>();

  /** The whole text when this part was the last one. */
  take(part: Part): string | null {
    const sofar = this.#open.get(part.of) ?? { next: 0, text: "" };
    if (part.index !== sofar.next || sofar.text.length + part.text.length > FRAME_BYTES) {
      this.#open.delete(part.of);
      return null;
    }
    const text = sofar.text + part.text;
    if (part.last) {
      this.#open.delete(part.of);
      return text;
    }
    this.#open.set(part.of, { next: part.index + 1, text });
    return null;
  }
}
