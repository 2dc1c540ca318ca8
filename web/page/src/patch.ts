//! Changes that are tried on the live page and can be taken back in any order. Each property, attribute,
//! class or text of an element is a slot: what it was, and what each patch laid over it; the last one is
//! what shows. What the page itself changed meanwhile is left as it is.

import type { Patch, PatchChange, Patched, Spot } from "../../wire/trying.ts";
import { layerOf } from "./cover.ts";
import { clip, getBoundingClientRect, isConnected, localName, squash } from "./dom.ts";
import { Fault, gone } from "./fault.ts";
import { deepAt, lands } from "./hit.ts";
import { attribute } from "./inspect.ts";
import { IMPORTANT, KINDS, type Kind, type Kinds, textBase } from "./patch-kinds.ts";
import { elementOf } from "./registry.ts";
import { selectorOf } from "./selector.ts";
import { described } from "./target.ts";
import { nextTask } from "./time.ts";
import { isMasked } from "./value.ts";

const VALUE_CHARS = 200;
const PATCHES_MOST = 200;
const CHANGES_MOST = 60;
const FIELDS = new Set(["input", "textarea", "select"]);

interface Layer {
  readonly number: number;
  readonly value: string | null;
}

/** One property, attribute or class of one element, or its text. */
interface Slot {
  readonly element: Element;
  readonly kind: Kind;
  readonly name: string;
  readonly base: string | null;
  layers: Layer[];
  /** What was read right after it was written last. */
  shown: string | null;
}

/** One thing that an agent asked for. A shorthand is several slots. */
interface Part {
  readonly element: Element;
  readonly kind: Kinds;
  readonly name: string;
  readonly slots: readonly Slot[];
  readonly change: PatchChange;
}

interface Kept {
  readonly told: Patched;
  readonly element: Element;
  readonly parts: Part[];
}

const kept = new Map<number, Kept>();
const slots = new WeakMap<Element, Map<string, Slot>>();

/** Tries a change; what did not come about is an error, and nothing of the patch stays. */
export async function patch(number: number, id: number, wish: Patch): Promise<Patched> {
  const element = elementOf(id);
  if (!element) throw gone();
  const wanted = wishes(wish);
  if (wanted.length === 0) throw new Fault("INVALID_ARGUMENT", "the patch changes nothing");
  if (wanted.length > CHANGES_MOST || kept.size >= PATCHES_MOST || kept.has(number)) {
    throw new Fault("INVALID_ARGUMENT", "that are too many patches or changes");
  }
  if (wanted.some(({ kind }) => kind === "text") && FIELDS.has(localName(element))) {
    throw new Fault("INVALID_ARGUMENT", "what a field holds is set with browser_fill");
  }
  const masked = isMasked(element);
  const before = spotOf(element);
  const selector = selectorOf(element);
  const description = described(element);
  const parts: Part[] = [];
  const told: Patched = { number, element: description, selector, changes: [], before };
  const names = wanted.map(({ name }) => name);
  try {
    still(element, names, () => {
      for (const one of wanted) parts.push(lay(number, element, one));
    });
    await nextTask();
    for (const { slots: own, name } of parts) for (const slot of own) verify(slot, name);
    if (masked && !isMasked(element)) {
      throw new Fault("POLICY", "a field that is masked stays masked");
    }
  } catch (error) {
    still(element, names, () => liftAll(parts, number));
    throw error;
  }
  told.changes = parts.map(({ change }) => change);
  told.after = spotOf(element);
  kept.set(number, { told, element, parts });
  return told;
}

/** The patches that are there, with what is true now. */
export function patches(): Patched[] {
  return [...kept.values()].map(({ told, element, parts }) => ({
    ...bare(told),
    changes: parts.map(now),
    ...spot("after", element),
  }));
}

/** Takes patches back, or lets them be for good. */
export function unpatch(numbers: readonly number[] | null, keep: boolean): Patched[] {
  // The newest first: so each one shows what was before it.
  const meant = [...kept.keys()].filter((number) => !numbers || numbers.includes(number)).reverse();
  return meant.flatMap((number) => {
    const found = kept.get(number);
    if (!found) return [];
    kept.delete(number);
    const { told, element, parts } = found;
    const before = spot("before", element);
    const left = new Set<Part>();
    still(
      element,
      parts.map(({ name }) => name),
      () => {
        if (keep)
          for (const { slots: own } of parts) for (const slot of own) settleFor(slot, number);
        else for (const part of liftAll(parts, number)) left.add(part);
      },
    );
    const changes = parts.map((part) => ({ ...now(part), left: left.has(part) }));
    return [{ ...bare(told), changes, ...before, ...spot("after", element) }];
  });
}

function bare({ before: _, after: __, ...told }: Patched): Patched {
  return told;
}

function spot(when: "before" | "after", element: Element): { before?: Spot; after?: Spot } {
  return isConnected(element) ? { [when]: spotOf(element) } : {};
}

/** Parts that the page changed meanwhile. */
function liftAll(parts: readonly Part[], number: number): Part[] {
  return parts.filter(({ slots: own }) => {
    const lifted = own.map((slot) => lift(slot, number));
    return lifted.includes(false);
  });
}

interface Wanted {
  readonly kind: Kinds;
  readonly name: string;
  readonly value: string | null;
}

function wishes(wish: Patch): Wanted[] {
  const text = wish.text;
  return [
    ...wish.styles.map(([name, value]) => ({ kind: "style", name, value }) as const),
    ...(typeof text === "string" ? [{ kind: "text", name: "", value: text } as const] : []),
    ...wish.attributes.map(([name, value]) => ({ kind: "attribute", name, value }) as const),
    ...wish.bare.map((name) => ({ kind: "attribute", name, value: null }) as const),
    ...wish.add.map((name) => ({ kind: "class", name, value: "" }) as const),
    ...wish.remove.map((name) => ({ kind: "class", name, value: null }) as const),
  ];
}

function slotOf(element: Element, kind: Kinds, name: string): Slot {
  let own = slots.get(element);
  if (!own) {
    own = new Map();
    slots.set(element, own);
  }
  const key = `${kind} ${name}`;
  const known = own.get(key);
  if (known) return known;
  const made = kind === "text" ? textBase(element) : KINDS[kind];
  const base = made.read(element, name);
  const slot: Slot = { element, kind: made, name, base, layers: [], shown: base };
  own.set(key, slot);
  return slot;
}

/** Lays one value over its slots and reads it back. */
function lay(number: number, element: Element, { kind, name, value }: Wanted): Part {
  const isStyle = kind === "style" && value !== null;
  const pairs = isStyle ? longhands(name, value) : [[name, value] as const];
  const own = pairs.map(([key]) => slotOf(element, kind, key));
  const at = { element, kind, name, slots: own };
  const before = words(at);
  const put = (mark: string) =>
    own.forEach((slot, nth) => {
      const wanted = pairs[nth]?.[1] ?? null;
      const written = wanted === null ? null : `${wanted}${mark}`;
      slot.layers = slot.layers.filter((layer) => layer.number !== number);
      slot.layers.push({ number, value: written });
      write(slot, written);
    });
  put("");
  let important = isStyle && IMPORTANT.test(value);
  if (isStyle && !important) {
    const mild = words(at);
    put(" !important");
    important = words(at) !== mild;
    if (!important) put("");
  }
  const after = words(at);
  const change: PatchChange = { kind, name, wanted: value ?? "", important, left: false };
  return {
    ...at,
    change: { ...change, ...(before !== null && { before }), ...(after !== null && { after }) },
  };
}

/** What a declaration sets, in Chrome's own words. */
function longhands(name: string, value: string): (readonly [string, string])[] {
  const mark = IMPORTANT.test(value) ? " !important" : "";
  const { style } = document.createElement("span");
  style.setProperty(name, value.replace(IMPORTANT, ""));
  if (style.length === 0) {
    throw new Fault("VALUE_NOT_SET", `Chrome takes that for no value of ${plain(name)}`);
  }
  const pairs = [...style].map((key) => [key, `${style.getPropertyValue(key)}${mark}`] as const);
  // A shorthand with var() has no longhands yet.
  const known = pairs.every(([key]) => style.getPropertyValue(key) !== "");
  return known ? pairs : [[name, value]];
}

function write(slot: Slot, value: string | null): void {
  slot.kind.write(slot.element, slot.name, value);
  slot.shown = slot.kind.read(slot.element, slot.name);
}

/** The page had a moment to undo it. */
function verify(slot: Slot, name: string): void {
  if (slot.kind.read(slot.element, slot.name) === slot.shown && isConnected(slot.element)) return;
  throw new Fault("VALUE_NOT_SET", `the page changed ${plain(name) || "its text"} back at once`);
}

/** Takes a patch's layer away. False when the page changed the slot meanwhile: it stays as it is. */
function lift(slot: Slot, number: number): boolean {
  const top = slot.layers.at(-1);
  const own = slot.layers.some((layer) => layer.number === number);
  slot.layers = slot.layers.filter((layer) => layer.number !== number);
  const isOurs = slot.kind.read(slot.element, slot.name) === slot.shown;
  const shows = own && top?.number === number;
  if (shows && isOurs) write(slot, slot.layers.at(-1)?.value ?? baseOf(slot));
  if (slot.layers.length === 0) forget(slot);
  return isOurs || !shows;
}

/** An empty list of layers means the base; a layer may itself mean "not there". */
function baseOf(slot: Slot): string | null {
  return slot.layers.length > 0 ? null : slot.base;
}

/** The patch's value becomes what was there before all patches that follow. */
function settleFor(slot: Slot, number: number): void {
  const at = slot.layers.findIndex((layer) => layer.number === number);
  if (at < 0) return;
  const rest = slot.layers.slice(at + 1);
  const value = slot.layers[at]?.value ?? null;
  forget(slot);
  if (rest.length === 0) {
    slot.layers = [];
    return;
  }
  const own = slots.get(slot.element);
  Object.assign(slot, { base: value, layers: rest });
  own?.set(`${slot.kind.name} ${slot.name}`, slot);
}

function forget(slot: Slot): void {
  slots.get(slot.element)?.delete(`${slot.kind.name} ${slot.name}`);
}

/** What a reader should know of it: a style as computed, secrets masked. */
function words({ element, kind, name, slots: own }: Omit<Part, "change">): string | null {
  if (kind === "style") {
    return clip(getComputedStyle(element).getPropertyValue(name), VALUE_CHARS);
  }
  const value = own[0]?.kind.read(element, name) ?? null;
  if (value === null) return null;
  if (kind === "attribute") return clip(attribute(element, name), VALUE_CHARS);
  return kind === "text" ? clip(squash(value), VALUE_CHARS) : value;
}

function now(part: Part): PatchChange {
  const { after: _, ...rest } = part.change;
  const after = isConnected(part.element) ? words(part) : null;
  return after === null ? rest : { ...rest, after };
}

/** Without transitions: a style that is on its way reads as it was. */
function still(element: Element, names: readonly string[], work: () => void): void {
  if (names.some((name) => name.startsWith("transition"))) {
    work();
    return;
  }
  const { style } = KINDS;
  const own = style.read(element, "transition-property");
  style.write(element, "transition-property", "none !important");
  try {
    work();
    // Computed once without transitions, it does not begin one when they are back.
    void getComputedStyle(element).opacity;
  } finally {
    style.write(element, "transition-property", own);
  }
}

function spotOf(element: Element): Spot {
  const box = getBoundingClientRect(element);
  const x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  const inView = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  const rendered = element.getClientRects().length > 0;
  const hit = rendered && inView ? deepAt(x, y) : null;
  const cover = hit && !lands(element, hit) ? layerOf(hit, element) : null;
  return {
    ...(rendered && { rect: { x: box.left, y: box.top, width: box.width, height: box.height } }),
    ...(cover && { cover: described(cover) }),
  };
}

/** A name that the agent gave, harmless in a message. */
function plain(name: string): string {
  return name.replaceAll(/[^\w:.-]/g, "").slice(0, 60);
}
