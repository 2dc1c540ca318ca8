//! A verb's failure as it goes to the daemon. Pure.

import type { Code } from "../../wire/code";

export class Fault extends Error {
  readonly code: Code;
  /** The question that the user has to answer first. */
  readonly ask: string | undefined;
  constructor(code: Code, message: string, ask?: string) {
    super(message);
    this.code = code;
    this.ask = ask;
  }
}

/** For the end of a switch over a wire type: a forgotten case does not compile. */
export function unreachable(value: never): never {
  throw new Fault("INTERNAL", `no case for ${JSON.stringify(value)}`);
}

/** What an error says. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
