//! The isolated world's own globals, shared by the keeper, the agent, the shield and the extension.

import type { Point } from "../../wire/page.ts";
import type { Aimed, Pressable } from "./aim.ts";
import type { Axe } from "./audit.ts";
import type { SecretFilled, SecretLook } from "./fill-secret.ts";
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
  aimAt: (x: number, y: number) => Aimed | null;
  aimFocus: () => Aimed | null;
  aimOf: (id: number) => Aimed | null;
  doesAct: (call: never) => boolean;
  pressPoint: (id: number, how: "press" | "grab" | "drop") => Pressable | null;
  pointAbove: (token: string, x: number, y: number) => Point | null;
  lookForSecret: (id: number) => SecretLook;
  fillSecret: (id: number, value: string, origins: readonly string[], any: boolean) => SecretFilled;
  veilSecrets: (on: boolean) => void;
  domInput: (commands: never) => number;
};

/** What the shield leaves for the keeper, the agent and the extension. */
export type Shield = {
  /** The element that it is in; null while it is not shown. */
  host: Element | null;
  /** Whether a node is, or was, that element. */
  was: (node: Node) => boolean;
  /** Opens its port to the extension. */
  connect: () => void;
  /** The user pressed its button. */
  take: () => void;
  /** Its button lets presses through for a moment. */
  stepAside: () => void;
  /** Not to be seen, or again. */
  veil: (on: boolean) => void;
};

/** The global object, as far as it is ours. */
export type World = {
  /** axe-core, between its coming and the call that takes it. */
  axe?: Axe;
  __pillion?: Agent;
  __pillionKeeper?: Keeper;
  __pillionShield?: Shield;
};

/** This document's. */
export function world(): World {
  return globalThis as World;
}
