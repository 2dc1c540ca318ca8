//! Changes of large documents, from the mutation records: what was added, removed, shown, hidden,
//! reworded, ticked. Walks only what the records touch.

import type { Changed, Removed, State, Node as WireNode } from "../../wire/page.ts";
import { type Baseline, fieldKey, isShown } from "./baseline.ts";
import type { Found } from "./changes.ts";
import { rowNameOf, shownRole, wordsFor } from "./describe.ts";
import { childElementCount, isConnected, querySelectorAll, squash, textContent } from "./dom.ts";
import { isWithin } from "./hit.ts";
import { changeRecords } from "./observe.ts";
import { outlineOf } from "./outline.ts";
import { reading } from "./reading.ts";
import { idOf } from "./registry.ts";
import { statesOf } from "./state.ts";
import { isVisible } from "./visible.ts";

const TOLD = 200;
const HOVER_WALKED = 2_000;
const LOOKS = new Set(["class", "style", "hidden", "open", "inert", "popover"]);
// Attributes whose change is told as a state, and the state that each value stands for.
const STATED = new Set([
  "aria-expanded",
  "aria-checked",
  "aria-selected",
  "aria-pressed",
  "aria-current",
  "aria-disabled",
  "aria-invalid",
  "disabled",
  "readonly",
  "required",
  "aria-valuenow",
  "aria-valuetext",
  "aria-label",
]);

/** What changed, by the records since the baseline. */
export function coarseChanges(before: Baseline): Found {
  return reading(() => {
    const { records } = changeRecords();
    const seen = before.coarse?.seen ?? new WeakSet<Element>();
    const sets = gather(records, seen);
    if (before.act === "hover") addHovered(sets, seen);
    const added = topMost(sets.added).slice(0, TOLD);
    const removed = topMost(sets.removed).slice(0, TOLD);
    const spoken = spokenFirst(sets.changed);
    added.push(...spoken.filter((element) => !isInside(element, added)));
    const changed = changedOf(sets.changed, added);
    changed.push(...fieldChanges(before, added));
    return { added: added.flatMap(treeFor), removed: removed.map(removedFor), changed, more: 0 };
  });
}

type Sets = {
  added: Set<Element>;
  removed: Set<Element>;
  changed: Map<Element, { name: string | null; states: State[] | null }>;
};

function gather(records: readonly MutationRecord[], seen: WeakSet<Element>): Sets {
  const sets: Sets = { added: new Set(), removed: new Set(), changed: new Map() };
  for (const record of records) {
    if (record.type === "childList") takeChildren(record, sets, seen);
    else if (record.type === "characterData") {
      const parent = record.target.parentElement;
      if (parent) note(sets, parent, squash(record.oldValue ?? ""), null);
    } else if (record.target instanceof Element) takeAttribute(record, record.target, sets, seen);
  }
  return sets;
}

function takeChildren(record: MutationRecord, sets: Sets, seen: WeakSet<Element>): void {
  let hasElements = false;
  for (const node of record.addedNodes) {
    if (!(node instanceof Element)) continue;
    hasElements = true;
    if (isConnected(node) && !seen.has(node)) sets.added.add(node);
  }
  for (const node of record.removedNodes) {
    if (!(node instanceof Element)) continue;
    hasElements = true;
    if (!isConnected(node) && seen.has(node)) sets.removed.add(node);
  }
  if (hasElements || !(record.target instanceof Element)) return;
  const old = Array.from(record.removedNodes, (node) => node.nodeValue ?? "").join(" ");
  note(sets, record.target, squash(old), null);
}

function takeAttribute(
  record: MutationRecord,
  element: Element,
  sets: Sets,
  seen: WeakSet<Element>,
): void {
  if (!isConnected(element)) return;
  const name = record.attributeName ?? "";
  if (LOOKS.has(name)) {
    const was = seen.has(element);
    if (was !== isShown(element)) (was ? sets.removed : sets.added).add(element);
    else if (childElementCount(element) > 0 && name === "class") takeInside(element, sets, seen);
  }
  if (!STATED.has(name)) return;
  if (name === "aria-label") note(sets, element, record.oldValue ?? "", null);
  else note(sets, element, null, endedBy(name, record.oldValue));
}

/** A class on a wrapper may show or hide what is inside it. */
function takeInside(element: Element, sets: Sets, seen: WeakSet<Element>): void {
  let walked = 0;
  for (const inner of querySelectorAll(element, "*")) {
    if (walked++ > HOVER_WALKED) return;
    const was = seen.has(inner);
    if (was !== isShown(inner)) (was ? sets.removed : sets.added).add(inner);
  }
}

function addHovered(sets: Sets, seen: WeakSet<Element>): void {
  const chain = Array.from(document.querySelectorAll(":hover"));
  const inner = chain.findLast((element) => childElementCount(element) > 0);
  for (const element of chain.slice(-4)) {
    if (querySelectorAll(element, "*").length < HOVER_WALKED) takeInside(element, sets, seen);
  }
  if (inner?.nextElementSibling) takeInside(inner.nextElementSibling, sets, seen);
}

function note(sets: Sets, element: Element, name: string | null, states: State[] | null): void {
  const known = sets.changed.get(element);
  sets.changed.set(element, {
    name: known?.name ?? name,
    states: [...(known?.states ?? []), ...(states ?? [])],
  });
}

function endedBy(attribute: string, old: string | null): State[] {
  const isTrue = old !== null && old !== "false";
  switch (attribute) {
    case "aria-expanded":
      return old === null ? [] : [{ k: isTrue ? "expanded" : "collapsed" }];
    case "aria-checked":
      return isTrue ? [{ k: old === "mixed" ? "mixed" : "checked" }] : [];
    case "aria-selected":
      return isTrue ? [{ k: "selected" }] : [];
    case "aria-pressed":
      return isTrue ? [{ k: "pressed" }] : [];
    case "aria-current":
      return isTrue ? [{ k: "current" }] : [];
    case "disabled":
    case "aria-disabled":
      return isTrue ? [{ k: "disabled" }] : [];
    case "readonly":
      return isTrue ? [{ k: "readonly" }] : [];
    case "required":
      return isTrue ? [{ k: "required" }] : [];
    case "aria-invalid":
      return isTrue ? [{ k: "invalid", v: "" }] : [];
    default:
      return [];
  }
}

function topMost(elements: ReadonlySet<Element>): Element[] {
  return Array.from(elements).filter((element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (elements.has(at)) return false;
    }
    return true;
  });
}

function treeFor(element: Element): WireNode[] {
  return isConnected(element) && isVisible(element) ? outlineOf(element, { maxChars: 2_000 }) : [];
}

function removedFor(element: Element): Removed {
  const words = squash(wordsFor(element) || (textContent(element) ?? "")).slice(0, 120);
  return {
    element: {
      id: idOf(element),
      role: shownRole(element) || "text",
      name: words,
      states: [],
      row: null,
      rect: null,
      refound: false,
    },
    inside: querySelectorAll(element, "a,button,input,select,textarea,[role]").length,
  };
}

function isInside(element: Element, tops: readonly Element[]): boolean {
  return tops.some((top) => isWithin(element, top));
}

const LIVE = new Set(["status", "alert", "log"]);

/** A live region without words is in no outline: with its first ones it came. */
function spokenFirst(changed: Sets["changed"]): Element[] {
  return Array.from(changed)
    .filter(([element, was]) => was.name === "" && LIVE.has(shownRole(element)))
    .map(([element]) => element);
}

function changedOf(changed: Sets["changed"], added: readonly Element[]): Changed[] {
  const told: Changed[] = [];
  for (const [element, was] of changed) {
    if (told.length >= TOLD) break;
    if (!isConnected(element) || !isVisible(element)) continue;
    if (isInside(element, added)) continue;
    const change = changeFor(element, was.name, was.states ?? []);
    if (change) told.push(change);
  }
  return told;
}

function changeFor(element: Element, oldName: string | null, ended: State[]): Changed | null {
  const states = statesOf(element);
  const role = shownRole(element) || "text";
  const name = squash(wordsFor(element)).slice(0, 200);
  const keys = new Set(states.map((state) => JSON.stringify(state)));
  const over = ended.filter((state) => !keys.has(JSON.stringify(state)));
  const isRenamed = oldName !== null && oldName !== name;
  const begun = ended.length > 0 || oldName === null ? states : [];
  if (!isRenamed && over.length === 0 && begun.length === 0) return null;
  return {
    node: { role, name, id: idOf(element), states },
    oldName: isRenamed ? oldName : null,
    ended: over,
    begun: begun.filter((state) => TOGGLES.has(state.k)),
    row: rowNameOf(element) ?? null,
  };
}

const TOGGLES = new Set(
  "value,checked,mixed,disabled,readonly,invalid,expanded,collapsed,selected,pressed,current".split(
    ",",
  ),
);

function fieldChanges(before: Baseline, added: readonly Element[]): Changed[] {
  const told: Changed[] = [];
  for (const [field, key] of before.coarse?.fields ?? []) {
    if (!isConnected(field) || fieldKey(field) === key || !isVisible(field)) continue;
    const change = isInside(field, added) ? null : changeFor(field, null, []);
    if (change) told.push(change);
  }
  return told;
}
