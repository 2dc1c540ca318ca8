//! The verb `attach`.

import type { Attached } from "../../../wire/verb";
import { attach, using } from "../attachment";
import { Fault } from "../fault";

/** Attaches; the use starts the idle clock. Where that cannot be, says why: input has another way. */
export async function attachVerb(tab: number): Promise<Attached> {
  try {
    return await using(tab, () => attach(tab));
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "DEBUGGER_UNAVAILABLE") throw error;
    return { epoch: 0, fresh: false, dom: error.message };
  }
}
