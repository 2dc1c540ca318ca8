//! What one walk over a page knows and has spent, and the pieces that it finds on the way.

import type { Node as Line } from "../../wire/page.ts";
import { clip, squash } from "./dom.ts";
import { idOf } from "./registry.ts";

/** Items of a folded list that are shown. */
export const FOLD_SHOWN = 10;
/** Most characters of page words in one place; printing cuts further. */
export const WORDS_MOST = 200;

/** Text, a finished line, or a place where a new line begins. */
export type Piece =
  | { is: "text"; text: string; el: Element }
  | { is: "node"; node: Line }
  | { is: "break" };

export const BREAK: Piece = { is: "break" };

/** What holds for everything below an element. */
export type Around = {
  /** Inside a control: its words are the control's name already. */
  inControl: boolean;
  /** Words are not to be repeated, or cannot be seen. */
  mute: boolean;
  /** See-through: only controls are left, and are marked. */
  faint: boolean;
  /** Inside navigation, menus and toolbars, where folding would hide the way. */
  inNavigation: boolean;
  /** Inside an item of a folded list. */
  inFold: boolean;
  /** Inside an item or article, where links tell things apart. */
  inItem: boolean;
  /** The item of a folded list whose own line is being made. */
  item: Element | null;
  /** Lines above. */
  level: number;
};

export const OUTSIDE: Around = {
  inControl: false,
  mute: false,
  faint: false,
  inNavigation: false,
  inFold: false,
  inItem: false,
  item: null,
  level: 0,
};

export type WalkOptions = {
  fold: boolean;
  chars: number;
  depth: number;
  /** Elements looked at, at most. */
  most: number;
  /** Only what follows this element; with the flat ancestors that lead to it. */
  path: Set<Element> | null;
  after: Element | null;
  /** Only items that may hold what is searched for. */
  wanted: ((item: Element) => boolean) | null;
};

/** The state of one walk. */
export class Walk {
  readonly options: WalkOptions;
  /** Elements whose words another line told as its description. */
  readonly told = new Set<Element>();
  /** Hidden controls that were printed in place of their label. */
  readonly placed = new Set<Element>();
  /** A modal dialog is open: what is marked as hidden behind it is left out. */
  modal = false;
  stopped = false;
  isCut = false;
  looked = 0;
  lines = 0;
  acting = 0;
  words = 0;
  /** Area of canvases, px². */
  canvas = 0;
  /** Lines that folding saved, roughly. */
  folded = 0;

  constructor(options: WalkOptions) {
    this.options = options;
  }

  /** Counts one more element; false when the walk has to end. */
  goesOn(): boolean {
    if (this.stopped) return false;
    this.looked += 1;
    if (this.looked > this.options.most) this.stop();
    return !this.stopped;
  }

  stop(): void {
    this.stopped = true;
    this.isCut = true;
  }

  /** Counts a line. */
  spend(node: Line): Line {
    this.lines += 1;
    if (node.acts) this.acting += 1;
    this.words += (node.name ?? "").length;
    let chars = (node.name ?? "").length;
    for (const state of node.states ?? []) if ("v" in state) chars += String(state.v).length;
    this.options.chars -= chars + 2;
    if (this.options.chars < 0) this.stop();
    return node;
  }
}

const owners = new WeakMap<Line, Element>();

/** Remembers which element a line is about; text lines: the element that the text is in. */
export function own(node: Line, el: Element): Line {
  owners.set(node, el);
  return node;
}

/** A copy of a line is about the same element. */
export function follow(copy: Line, of: Line): Line {
  const el = owners.get(of);
  return el ? own(copy, el) : copy;
}

/** The element that a line is about. */
export function ownerOf(node: Line): Element | undefined {
  return owners.get(node);
}

/** A line about an element. */
export function lineOf(el: Element, role: string, name: string): Line {
  const node: Line = { role, id: idOf(el) };
  const words = clip(name, WORDS_MOST);
  if (words !== "") node.name = words;
  return own(node, el);
}

/** A line of plain text, or null when it is blank. */
export function textLine(el: Element, text: string): Line | null {
  const words = clip(squash(text.replace(/[\ue000-\uf8ff]/g, "")), WORDS_MOST);
  return words === "" ? null : own({ role: "text", name: words }, el);
}
