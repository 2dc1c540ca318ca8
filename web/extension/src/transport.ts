//! How frames travel: a WebSocket to the daemon's port. The native relay in `native.ts` has the same
//! shape. Knows no frame's meaning.

import { PROBE_MS } from "./limits";

/** An open way to a peer that is not proven yet. */
export interface Transport {
  send(text: string): void;
  close(): void;
}

/** What a transport tells. `closed` comes once, and last. */
export interface TransportEvents {
  text(text: string): void;
  closed(): void;
}

/**
 * Whether anything speaks HTTP there. Dials to a dead port are throttled to seconds each after a
 * dozen failures, fetches are not: so a probe goes before every dial. The status says nothing: an
 * extension's GET carries no `Origin`, and who answers is proven by the handshake alone.
 */
export async function probe(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/probe`, {
      cache: "no-store",
      credentials: "omit",
      redirect: "manual",
      signal: AbortSignal.timeout(PROBE_MS),
    });
    return true;
  } catch {
    return false;
  }
}

/** Opens a WebSocket; rejects when it cannot be opened. */
export function dial(port: number, on: TransportEvents): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/link`);
    let open = false;
    socket.onopen = () => {
      open = true;
      resolve({ send: (text) => socket.send(text), close: () => socket.close() });
    };
    socket.onmessage = (message) => {
      if (typeof message.data === "string") on.text(message.data);
      else socket.close();
    };
    socket.onclose = () => {
      if (open) on.closed();
      else reject(new Error("the socket was refused"));
    };
  });
}
