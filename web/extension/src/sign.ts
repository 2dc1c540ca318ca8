//! The picture and word that stand first in every prompt. No page knows them, so a page that draws a
//! prompt of its own is found out. Chosen at random at the first run; the user may choose others.

import { storage } from "./chrome";
import { Stored } from "./stored";

export const PICTURES = [
  "sun",
  "moon",
  "leaf",
  "boat",
  "key",
  "bell",
  "cup",
  "kite",
  "fish",
  "star",
  "tree",
  "house",
] as const;
export type Picture = (typeof PICTURES)[number];

export interface Sign {
  readonly picture: Picture;
  readonly word: string;
}

export const WORD_CHARS = 20;

const WORDS: readonly string[] = [
  "amber",
  "apricot",
  "autumn",
  "basil",
  "birch",
  "cedar",
  "cinnamon",
  "clover",
  "cobalt",
  "copper",
  "coral",
  "cotton",
  "dune",
  "ember",
  "fern",
  "flint",
  "ginger",
  "granite",
  "harbour",
  "hazel",
  "indigo",
  "ivory",
  "juniper",
  "lantern",
  "lavender",
  "linen",
  "maple",
  "marble",
  "meadow",
  "mint",
  "nutmeg",
  "oak",
  "olive",
  "opal",
  "orchard",
  "paprika",
  "pebble",
  "pepper",
  "pine",
  "plum",
  "poppy",
  "quartz",
  "quince",
  "raven",
  "river",
  "saffron",
  "sage",
  "sienna",
  "silver",
  "sparrow",
  "spruce",
  "thistle",
  "thyme",
  "timber",
  "topaz",
  "tulip",
  "umber",
  "velvet",
  "violet",
  "walnut",
  "willow",
  "winter",
  "yarrow",
  "zephyr",
];

const kept = new Stored<{ sign: Sign | null }>(storage.local, "sign", { sign: null });

/** Resolves when there is a sign. */
export const signReady: Promise<void> = kept.ready.then(() => {
  if (kept.value.sign === null) void changeSign(randomSign());
});

/** The profile's sign. */
export function sign(): Sign | null {
  return kept.value.sign;
}

/** Takes another one. */
export function changeSign(sign: Sign): Promise<void> {
  return kept.change((value) => {
    value.sign = sign;
  });
}

/** One of many, by chance. */
export function randomSign(): Sign {
  const [one = 0, two = 0] = crypto.getRandomValues(new Uint32Array(2));
  return {
    picture: PICTURES[one % PICTURES.length] ?? "sun",
    word: WORDS[two % WORDS.length] ?? "amber",
  };
}

/** What a page asked for, when it is a sign at all. */
export function readSign(value: { picture: unknown; word: unknown }): Sign | null {
  const picture = PICTURES.find((known) => known === value.picture);
  const word = String(value.word).trim().slice(0, WORD_CHARS);
  return picture && word !== "" ? { picture, word } : null;
}
