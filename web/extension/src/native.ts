//! The native messaging helper: enrols this profile's public key, and carries a link's frames where
//! no WebSocket can be opened. Only public data passes; what the helper says is proven by the handshake.

import { random, toBase64Url } from "./bytes";
import { connectNative, lastError } from "./chrome";
import { HELPER_MS, NATIVE_CHUNK_BYTES } from "./limits";
import { split } from "./parts";
import type { Transport, TransportEvents } from "./transport";

/** What the helper told of the daemon. */
export interface Helper {
  readonly pk: string;
  readonly port: number;
  /** `pillion launch` gave the user's consent for this profile in advance. */
  readonly consent: boolean;
  /** Uses the helper's port to carry frames. */
  relay(on: TransportEvents): Transport;
  close(): void;
}

/** Why there is no helper. */
export class HelperError extends Error {
  /** No helper is registered with this browser, or it may not be used. */
  readonly missing: boolean;
  constructor(message: string) {
    super(message);
    this.missing = /not found|forbidden|not registered/i.test(message);
  }
}

/** N1 to N3. */
export function enrol(pk: string): Promise<Helper> {
  return new Promise((resolve, reject) => {
    const nonce = toBase64Url(random(32));
    const port = connectNative();
    let receiver: TransportEvents | null = null;
    let settled = false;
    const fail = (message: string) => {
      settled = true;
      clearTimeout(timer);
      reject(new HelperError(message));
    };
    const timer = setTimeout(() => {
      port.disconnect();
      fail("the helper did not answer");
    }, HELPER_MS);
    port.onDisconnect.addListener(() => {
      const why = lastError() ?? "the helper ended";
      if (!settled) fail(why);
      receiver?.closed();
    });
    port.onMessage.addListener((message: unknown) => {
      const frame = message as Record<string, unknown> | null;
      if (receiver && frame?.t === "relay" && typeof frame.frame === "string") {
        receiver.text(frame.frame);
        return;
      }
      if (settled) return;
      if (
        frame?.t !== "daemon" ||
        frame.nonce !== nonce ||
        typeof frame.pk !== "string" ||
        typeof frame.port !== "number"
      ) {
        port.disconnect();
        fail(typeof frame?.message === "string" ? frame.message : "the helper's answer is broken");
        return;
      }
      settled = true;
      clearTimeout(timer);
      resolve({
        pk: frame.pk,
        port: frame.port,
        consent: frame.consent === true,
        close: () => port.disconnect(),
        relay: (on) => {
          receiver = on;
          return relayOver(port, on);
        },
      });
    });
    port.postMessage({ t: "enrol", pk, nonce });
  });
}

function relayOver(port: chrome.runtime.Port, on: TransportEvents): Transport {
  let frames = 0;
  return {
    send: (text) => {
      frames += 1;
      for (const frame of split(text, frames, NATIVE_CHUNK_BYTES)) {
        port.postMessage({ t: "relay", frame });
      }
    },
    close: () => {
      port.disconnect();
      on.closed();
    },
  };
}
