//! Style sheets as the debugger tells them while somebody reads rules.

/** What is known of a sheet. */
export interface Sheet {
  readonly url: string;
  /** From 0: where an inline sheet begins in its document. */
  readonly line: number;
  readonly column: number;
  readonly map: string | null;
}

interface Listening {
  readonly tab: number;
  readonly session: string | undefined;
  readonly found: Map<string, Sheet>;
}

const listeners = new Set<Listening>();

/** Collects the sheets that are told from now on. */
export function takeSheets(tab: number, session: string | undefined) {
  const listener: Listening = { tab, session, found: new Map() };
  listeners.add(listener);
  return { found: listener.found, stop: () => listeners.delete(listener) };
}

/** A sheet was told. */
export function sheetAdded(
  tab: number,
  session: string | undefined,
  params: Record<string, unknown>,
): void {
  if (listeners.size === 0) return;
  const header = (params.header ?? {}) as Record<string, unknown>;
  const map = String(header.sourceMapURL ?? "");
  const sheet: Sheet = {
    url: String(header.sourceURL ?? ""),
    line: Number(header.startLine ?? 0),
    column: Number(header.startColumn ?? 0),
    map: map === "" ? null : map,
  };
  for (const listener of listeners) {
    if (listener.tab !== tab || listener.session !== session) continue;
    listener.found.set(String(header.styleSheetId), sheet);
  }
}
