//! Which elements fit a target? Finds them by role and name, text, label or CSS, through open and
//! closed shadow roots. Only visible ones count; the others are counted apart. Never acts.

import type { Matches, Step, Element as WireElement } from "../../wire/page.ts";
import { describe } from "./describe.ts";
import { Fault, gone, unreachable } from "./fault.ts";
import { isWithin } from "./hit.ts";
import { nearTo } from "./near.ts";
import { proxyOf } from "./proxy.ts";
import { reading } from "./reading.ts";
import { elementOf, wasRefound } from "./registry.ts";
import { type Root, rootsOf } from "./roots.ts";
import { byLabel } from "./target-label.ts";
import { byRole } from "./target-role.ts";
import { byText } from "./target-text.ts";
import { isVisible } from "./visible.ts";
import { fitOf, type Rank } from "./words.ts";

/** An element that fits, and how well. */
export type Match = { element: Element; rank: Rank };

/** Where to look: the document or one element's subtree. */
export type Scope = Root | Element;

const NEAR_SHOWN = 3;

/** The scope of a `within`. */
export function scopeOf(within: number | null | undefined): Scope {
  if (within === null || within === undefined) return document;
  const element = elementOf(within);
  if (!element) throw gone();
  return element;
}

/** An element's words, with the news whether it was found again. */
export function described(element: Element): WireElement {
  const wire = describe(element);
  return { ...wire, refound: wasRefound(wire.id) };
}

/** Answers `resolve`. */
export function resolve(step: Step, within: number | null | undefined, limit: number): Matches {
  const scope = scopeOf(within);
  const found = visibleMatches(step, scope);
  if (found.visible.length > 0) {
    return {
      fit: fitOf(found.rank),
      candidates: found.visible.slice(0, limit).map(described),
      total: found.visible.length,
      hidden: found.hidden.length,
      firstHidden: null,
      timedOut: false,
    };
  }
  const [firstHidden] = found.hidden;
  const near = nearTo(step, scope).slice(0, Math.min(limit, NEAR_SHOWN));
  return {
    fit: "near",
    candidates: near.map(described),
    total: 0,
    hidden: found.hidden.length,
    firstHidden: firstHidden ? described(firstHidden) : null,
    timedOut: false,
  };
}

/** Whether anything visible fits; the first of it. */
export function firstVisible(step: Step, scope: Scope): Element | null {
  return reading(() => visibleMatches(step, scope).visible[0] ?? null);
}

type Found = { rank: Rank; visible: Element[]; hidden: Element[] };

function visibleMatches(step: Step, scope: Scope): Found {
  const matches = allMatches(step, scope);
  const hidden: Element[] = [];
  for (const rank of [0, 1, 2, 3, 4] as const) {
    const visible: Element[] = [];
    for (const match of matches) {
      if (match.rank !== rank) continue;
      if (canBeSeen(match.element)) visible.push(match.element);
      else hidden.push(match.element);
    }
    if (visible.length > 0) return { rank, visible: inFront(visible), hidden };
  }
  return { rank: 0, visible: [], hidden };
}

/** What a modal dialog covers is not meant while the same is in the dialog. */
function inFront(elements: Element[]): Element[] {
  if (elements.length < 2) return elements;
  const modals = Array.from(document.querySelectorAll("dialog[open],[aria-modal=true]"));
  const modal = modals.findLast(
    (layer) => (layer.matches(":modal") || layer.matches("[aria-modal=true]")) && isVisible(layer),
  );
  if (!modal) return elements;
  const inside = elements.filter((element) => isWithin(element, modal));
  return inside.length > 0 ? inside : elements;
}

/** Visible itself, or shown by something that stands for it: the label of a hidden checkbox. */
export function canBeSeen(element: Element): boolean {
  return isVisible(element) || proxyOf(element) !== null;
}

function allMatches(step: Step, scope: Scope): Match[] {
  switch (step.by) {
    case "role":
      // Plain words have no role; who writes one means their text.
      if (step.role.trim().toLowerCase() === "text") return byText(step.name, scope);
      return byRole(step.role, step.name, scope);
    case "text":
      return byText(step.text, scope);
    case "label":
      return byLabel(step.text, scope);
    case "css":
      return byCss(step.selector, scope);
    default:
      return unreachable(step);
  }
}

function byCss(selector: string, scope: Scope): Match[] {
  const matches: Match[] = [];
  for (const root of rootsOf(scope)) {
    let list: NodeListOf<Element>;
    try {
      list = root.querySelectorAll(selector);
    } catch {
      throw new Fault("INVALID_ARGUMENT", "the CSS selector cannot be parsed");
    }
    for (const element of list) matches.push({ element, rank: 0 });
  }
  return matches;
}
