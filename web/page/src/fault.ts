//! The one way an agent's call fails with a code. Holds no words of the page.

import type { Code } from "../../wire/code.ts";
import type { PageError, Element as WireElement } from "../../wire/page.ts";

/** Thrown anywhere in the agent; `main` answers it as a `PageError`. */
export class Fault extends Error {
  constructor(
    readonly code: Code,
    message: string,
    readonly element: WireElement | null = null,
    readonly others: WireElement[] = [],
  ) {
    super(message);
  }

  /** The wire form. */
  wire(): PageError {
    return { code: this.code, message: this.message, element: this.element, others: this.others };
  }
}

/** The element that a call names is not in the document any more. */
export function gone(): Fault {
  return new Fault("REF_GONE", "the element is not in the document any more");
}

/** For switches over wire types: a forgotten case does not compile. */
export function unreachable(value: never): never {
  throw new Fault("INTERNAL", `unknown case ${typeof value}`);
}
