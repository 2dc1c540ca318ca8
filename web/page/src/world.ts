//! The isolated world's own globals, shared by the keeper, the agent and the extension.

import type { SecretFilled } from "./fill-secret.ts";
import type { TokenBox } from "./handshake.ts";
import type { InputWatch } from "./input.ts";

/** What the keeper leaves for the agent. */
export type Keeper = TokenBox & { input: InputWatch; install: () => void };

/** What the agent leaves for the extension and for agents of other frames of the same origin. */
export type Agent = {
  call: (call: never) => Promise<unknown>;
  element: (id: number) => Element | null;
  tokenOf: (frame: Element) => string;
  setFiles: (id: number, files: never) => Promise<void>;
  adopt: (element: Element) => number;
  fillSecret: (id: number, value: string, origins: readonly string[]) => SecretFilled;
  veilSecrets: (on: boolean) => void;
};

/** The global object, as far as it is ours. */
export type World = { __pillion?: Agent; __pillionKeeper?: Keeper };

/** This document's. */
export function world(): World {
  return globalThis as World;
}
