//! A verb's failure as it goes to the daemon. Pure.

import type { Code } from "../../wire/code";

export class Fault extends Error {
  readonly code: Code;
  constructor(code: Code, message: string) {
    super(message);
    this.code = code;
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
