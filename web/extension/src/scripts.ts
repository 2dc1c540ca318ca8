//! Addresses of scripts as the debugger tells them while somebody reads listeners.

interface Listening {
  readonly tab: number;
  readonly session: string | undefined;
  readonly found: Map<string, string>;
}

const listeners = new Set<Listening>();

/** Collects the addresses that are told from now on, by script id. */
export function takeScripts(tab: number, session: string | undefined) {
  const listener: Listening = { tab, session, found: new Map() };
  listeners.add(listener);
  return { found: listener.found, stop: () => listeners.delete(listener) };
}

/** A script was told. */
export function scriptParsed(
  tab: number,
  session: string | undefined,
  params: Record<string, unknown>,
): void {
  for (const listener of listeners) {
    if (listener.tab !== tab || listener.session !== session) continue;
    listener.found.set(String(params.scriptId), String(params.url ?? ""));
  }
}
