//! Events for the daemon. Only of tabs that agents may know of; those of a tab that is just being
//! opened wait until it is known.

import type { Event } from "../../wire/verb";
import { known } from "./book";
import { isNever, topOf } from "./places";
import { told } from "./told";

const WAITING_MOST = 300;

let send: (event: Event) => void = () => undefined;
let opening = 0;
let waiting: { tab: number; event: Event }[] = [];

let sessionUrl: (tab: number, session: string) => string = () => "";

/** How the address of a debugger's child session is known. */
export function sessionsFrom(source: (tab: number, session: string) => string): void {
  sessionUrl = source;
}

/** Where events go. */
export function sendEventsTo(receiver: (event: Event) => void): void {
  send = receiver;
}

/** Tells the daemon. */
export function emit(event: Event): void {
  send(event);
}

/** Tells the daemon when agents may know of the tab. */
export function emitFor(tab: number, event: Event): void {
  const tellable = known(tab)
    ? told(event, topOf(tab), isNever, (id) => sessionUrl(tab, id))
    : event;
  if (tellable === null) return;
  if (known(tab)) send(tellable);
  else if (opening > 0 && waiting.length < WAITING_MOST) waiting.push({ tab, event });
}

/** Whether what happens in the tab may be told, now or when it is known. */
export function isTold(tab: number): boolean {
  return known(tab) !== null || opening > 0;
}

/** Whether a tab is on its way that has no number yet. */
export function isOpening(): boolean {
  return opening > 0;
}

/** While a tab is being opened, events of tabs that nobody knows yet are kept. */
export function beginOpening(): void {
  opening += 1;
}

/** The tab is known now, or will never be: what waited for it goes after the verb's answer. */
export function endOpening(tab: number | null): void {
  setTimeout(() => {
    opening -= 1;
    const due = waiting.filter((item) => item.tab === tab);
    waiting = opening === 0 ? [] : waiting.filter((item) => item.tab !== tab);
    for (const item of due) emitFor(item.tab, item.event);
  }, 0);
}
