//! How words are compared: without case, with spaces collapsed, equal before starts-with before
//! contains, whole words before parts of words. And how near two wordings are to each other.

import type { Fit } from "../../wire/page.ts";

/** How well something fits; lower is better. `null` is no match. */
export type Rank = 0 | 1 | 2 | 3 | 4;

const FITS: readonly Fit[] = ["equal", "starts", "contains", "contains", "contains"];

/** The wire's class of a rank. */
export function fitOf(rank: Rank): Fit {
  return FITS[rank] ?? "contains";
}

/** Lower case, spaces collapsed, zero-width characters gone. */
export function plain(text: string): string {
  return text
    .replace(/[\u200b\u00ad\ufeff\u2060]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

const CUT_LEAST = 40;

/** What was asked for, made ready to compare with many texts. */
export class Wanted {
  /** The words as compared. */
  readonly text: string;
  private readonly raw: RegExp;
  private readonly whole: RegExp;
  private readonly words: string[];
  private readonly isCut: boolean;

  constructor(asked: string) {
    // Long names are printed cut: their beginning is all that can be asked for.
    const cut = /(?:…|\.\.\.)\s*$/.exec(asked);
    this.isCut = cut !== null && cut.index > CUT_LEAST;
    this.text = plain(this.isCut ? asked.slice(0, cut?.index) : asked);
    this.words = this.text.split(" ").filter((word) => word !== "");
    const pattern = this.words.map(escapeForRegExp).join("[\\s\\u200b\\u00ad\\ufeff\\u2060]+");
    this.raw = new RegExp(pattern, "iu");
    this.whole = new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "iu");
  }

  /** Nothing was asked for: everything fits. */
  get isEmpty(): boolean {
    return this.text === "";
  }

  /** Whether the raw text could fit at all; cheap, makes no copy. */
  mayBeIn(rawText: string): boolean {
    return this.raw.test(rawText);
  }

  /** Whether each word is somewhere in the text. */
  allWordsIn(text: string): boolean {
    const plainText = plain(text);
    return this.words.every((word) => plainText.includes(word));
  }

  /** How well a text fits. */
  rank(text: string): Rank | null {
    if (this.isEmpty) return 0;
    const plainText = plain(text);
    if (plainText === this.text) return 0;
    if (!plainText.includes(this.text)) return null;
    if (plainText.startsWith(this.text)) return this.isCut ? 0 : 1;
    return this.whole.test(plainText) ? 2 : 3;
  }
}

function escapeForRegExp(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** The better of two ranks. */
export function best(one: Rank | null, other: Rank | null): Rank | null {
  if (one === null) return other;
  if (other === null) return one;
  return one < other ? one : other;
}

const DISTANCE_CHARS = 60;

/** How alike two wordings are: 0 is nothing in common, 1 is the same. */
export function likeness(asked: string, text: string): number {
  const one = plain(asked).slice(0, DISTANCE_CHARS);
  const other = plain(text).slice(0, DISTANCE_CHARS);
  if (one === "" || other === "") return 0;
  if (one === other) return 1;
  const spelling = 1 - distance(one, other) / Math.max(one.length, other.length);
  const words = sharedWords(one, other);
  const inside = one.includes(other) && other.length > 2 ? 0.7 : 0;
  return Math.max(spelling, words, inside);
}

function sharedWords(one: string, other: string): number {
  const left = new Set(one.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1));
  const right = new Set(other.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1));
  if (left.size === 0 || right.size === 0) return 0;
  let shared = 0;
  for (const word of left) if (right.has(word)) shared++;
  return (0.95 * shared) / Math.max(left.size, right.size);
}

// Levenshtein's distance, row by row.
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const change = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(change, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
