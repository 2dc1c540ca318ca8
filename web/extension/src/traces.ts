//! Traces that Chrome is giving: the events of a tab's trace come in pieces, once it was ended.

import { TraceKeep } from "./trace-keep";

interface Giving {
  readonly keep: TraceKeep;
  readonly over: (lost: boolean) => void;
}

const givings = new Map<number, Giving>();

/** Collects what comes for a tab. */
export function takeTrace(tab: number) {
  const keep = new TraceKeep();
  const over = new Promise<boolean>((resolve) => {
    givings.set(tab, { keep, over: resolve });
  });
  return { keep, over, stop: () => givings.delete(tab) };
}

/** A piece came. Of a trace that nobody wants any more it is forgotten. */
export function traceData(tab: number, { value }: Record<string, unknown>): void {
  if (Array.isArray(value)) givings.get(tab)?.keep.add(value);
}

/** The last piece came before. */
export function traceOver(tab: number, { dataLossOccurred }: Record<string, unknown>): void {
  givings.get(tab)?.over(dataLossOccurred === true);
}
