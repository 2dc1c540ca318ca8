//! Execution contexts as the debugger tells them. Only the page's default ones are ever told on;
//! ours are used to find a document, those of other extensions are never used at all.

import { runtime } from "./chrome";

/** One context. */
export interface Context {
  readonly id: number;
  /** The page's own world. */
  readonly isDefault: boolean;
  /** Our isolated world. */
  readonly isOurs: boolean;
  readonly origin: string;
  /** The debugger's id of its frame. */
  readonly frame: string;
}

interface Listener {
  readonly tab: number;
  readonly session: string | undefined;
  readonly found: Context[];
}

const listeners = new Set<Listener>();
const ownOrigin = `chrome-extension://${runtime.id}`;

/** Collects the contexts that are told from now on. */
export function takeContexts(
  tab: number,
  session: string | undefined,
): { found: Context[]; stop: () => void } {
  const listener: Listener = { tab, session, found: [] };
  listeners.add(listener);
  return { found: listener.found, stop: () => listeners.delete(listener) };
}

/** A context was told. */
export function contextCreated(tab: number, session: string | undefined, params: object): Context {
  const { context } = params as {
    context: {
      id: number;
      origin?: string;
      auxData?: { isDefault?: boolean; frameId?: string; type?: string };
    };
  };
  const told: Context = {
    id: context.id,
    isDefault: context.auxData?.isDefault === true,
    isOurs: context.auxData?.isDefault !== true && context.origin === ownOrigin,
    origin: context.origin ?? "",
    frame: context.auxData?.frameId ?? "",
  };
  for (const listener of listeners) {
    if (listener.tab === tab && listener.session === session) listener.found.push(told);
  }
  return told;
}
