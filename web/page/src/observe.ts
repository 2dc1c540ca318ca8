//! Counts DOM changes of the document and its shadow roots, and keeps the records of those since the
//! last baseline, up to a limit. Knows nothing of what they mean.

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
let lost = false;

/** Records changes from now on. Observes shadow roots that are there now. */
export function observeFromNow(): void {
  observer?.disconnect();
  records = [];
  count = 0;
  lost = false;
  observer = new MutationObserver(take);
  for (const root of rootsOf(document)) observer.observe(root, OPTIONS);
}

function take(list: MutationRecord[]): void {
  count += list.length;
  if (records.length + list.length > KEPT) {
    lost = true;
    return;
  }
  for (const record of list) records.push(record);
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

/** The records since `observeFromNow`, and whether some were not kept. */
export function changeRecords(): { records: readonly MutationRecord[]; lost: boolean } {
  flush();
  return { records, lost };
}
