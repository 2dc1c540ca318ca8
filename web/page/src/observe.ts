//! Counts DOM changes of the document and its shadow roots, and keeps the records of those since the
//! last baseline, up to a limit. Knows nothing of what they mean.

import { isOurChange } from "./ours.ts";
import { rootsOf } from "./roots.ts";

const KEPT = 20_000;
const OPTIONS: MutationObserverInit = {
  subtree: true,
  childList: true,
  attributes: true,
  attributeOldValue: true,
  characterData: true,
  characterDataOldValue: true,
};

let observer: MutationObserver | null = null;
let records: MutationRecord[] = [];
let count = 0;
let weighty = 0;
let repeated = new WeakMap<Node, number>();
let lost = false;

// What scripts write frame by frame while something moves.
const MOTION = new Set(
  "style d transform points x y x1 x2 y1 y2 cx cy r width height stroke-dashoffset".split(" "),
);
// A place that changes more often than this is a clock or an animation.
const REPEATS = 4;

/** Records changes from now on. Observes shadow roots that are there now. */
export function observeFromNow(): void {
  observer?.disconnect();
  records = [];
  count = 0;
  weighty = 0;
  repeated = new WeakMap();
  lost = false;
  observer = new MutationObserver(take);
  for (const root of rootsOf(document)) observer.observe(root, OPTIONS);
}

function take(all: MutationRecord[]): void {
  const list = all.filter((record) => !isOurChange(record));
  count += list.length;
  for (const record of list) if (isWeighty(record)) weighty += 1;
  if (records.length + list.length > KEPT) {
    lost = true;
    return;
  }
  for (const record of list) records.push(record);
}

function isWeighty(record: MutationRecord): boolean {
  if (record.type === "attributes" && MOTION.has(record.attributeName ?? "")) return false;
  // What only grows is still loading.
  if (record.type === "childList" && record.removedNodes.length === 0) return true;
  const times = (repeated.get(record.target) ?? 0) + 1;
  repeated.set(record.target, times);
  return times <= REPEATS;
}

function flush(): void {
  const pending = observer?.takeRecords();
  if (pending && pending.length > 0) take(pending);
}

/** Whether something observes. */
export function isObserving(): boolean {
  return observer !== null;
}

/** Changes counted since `observeFromNow`. */
export function changeCount(): number {
  flush();
  return count;
}

/** Changes that keep a page from being quiet: all but motion and what ticks in one place. */
export function weightyCount(): number {
  flush();
  return weighty;
}

/** The records since `observeFromNow`, and whether some were not kept. */
export function changeRecords(): { records: readonly MutationRecord[]; lost: boolean } {
  flush();
  return { records, lost };
}
