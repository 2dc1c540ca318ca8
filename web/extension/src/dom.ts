//! Makes elements for the extension's own pages. Text is always text, never markup.

import { shown } from "./text";

type Attributes = Readonly<Record<string, string | boolean | null>>;
type Child = Node | string | null;

const SVG = "http://www.w3.org/2000/svg";

/** An element; a `null` attribute or child is left out. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAll(made, attributes);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A button that does something. What it says is also the key by which it keeps focus. */
export function button(
  words: string,
  kind: "primary" | "plain" | "quiet" | "danger",
  act: () => void,
  label: string | null = null,
): HTMLButtonElement {
  const made = element(
    "button",
    { type: "button", class: kind, "data-key": label ?? words, "aria-label": label, title: label },
    words,
  );
  made.addEventListener("click", act);
  return made;
}

/** A button with a picture; its words are for the screen reader and the pointer that rests. */
export function iconButton(path: string, label: string, act: () => void): HTMLButtonElement {
  const made = element(
    "button",
    { type: "button", class: "icon", "data-key": label, "aria-label": label, title: label },
    drawing(path),
  );
  made.addEventListener("click", act);
  return made;
}

/** A line drawing on a field of 24 × 24. */
export function drawing(path: string): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** Words of a page or an agent: one line, cut, and of no effect on the direction of ours. */
export function said(text: string, most?: number): HTMLElement {
  return element("bdi", {}, shown(text, most));
}

/** A choice among a few. */
export function choice<T extends string>(
  attributes: Attributes,
  values: readonly T[],
  words: Readonly<Record<T, string>>,
  now: T,
  act: (value: T) => void,
): HTMLSelectElement {
  const options = values.map((value) =>
    element("option", { value, selected: value === now }, words[value]),
  );
  const made = element("select", attributes, ...options);
  made.addEventListener("change", () => {
    const chosen = values.find((value) => value === made.value);
    if (chosen !== undefined) act(chosen);
  });
  return made;
}

/** A part of a page: made anew only when what it shows changed. */
export interface Piece {
  /** Unique in its place. */
  readonly key: string;
  /** All that it shows. */
  readonly of: unknown;
  make(): HTMLElement;
}

const shows = new WeakMap<Element, string>();

/**
 * Puts pieces into a place, in order. One that shows what it did stays the very element that it was,
 * with its focus, its pressed button and its open parts; another one gets its predecessor's focus.
 */
export function put(place: HTMLElement, wanted: readonly (Piece | null)[]): void {
  const had = new Map<string, Element>();
  for (const child of place.children) {
    if (child instanceof HTMLElement) had.set(child.dataset.piece ?? "", child);
  }
  const focused = focusKey(place);
  let at: Element | null = place.firstElementChild;
  for (const piece of wanted) {
    if (!piece) continue;
    const before = had.get(piece.key);
    had.delete(piece.key);
    const now = JSON.stringify(piece.of) ?? "";
    if (before && shows.get(before) === now) {
      if (before === at) at = before.nextElementSibling;
      else place.insertBefore(before, at);
      continue;
    }
    if (before && before === at) at = before.nextElementSibling;
    before?.remove();
    place.insertBefore(made(piece, now), at);
  }
  for (const left of had.values()) left.remove();
  if (focused !== null && !place.contains(document.activeElement)) refocus(place, focused);
}

function made(piece: Piece, now: string): HTMLElement {
  const element = piece.make();
  element.dataset.piece = piece.key;
  shows.set(element, now);
  return element;
}

function focusKey(place: HTMLElement): string | null {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && place.contains(activeElement)
    ? (activeElement.dataset.key ?? null)
    : null;
}

function refocus(place: HTMLElement, key: string): void {
  const all = [...place.querySelectorAll<HTMLElement>("[data-key]")];
  all.find((candidate) => candidate.dataset.key === key)?.focus();
}

function setAll(made: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    made.setAttribute(name, value === true ? "" : value);
  }
}
