//! The verb `emulate`: overrides of one tab, which stay while it is held and go with the debugger.

import type { Emulation } from "../../../wire/trying";
import { attach, attachment, command, detachLater, editAttachment, using } from "../attachment";
import { sendCommand } from "../chrome";
import { stepsTo, without } from "../emulation";
import type { Call } from "./context";

/** Makes it so; gives the names of what Chrome refused, which is then as it was by itself. */
export async function emulate(tab: number, wish: Emulation, call: Call): Promise<string[]> {
  return using(tab, async () => {
    await attach(tab);
    const refused = new Set<keyof Emulation>();
    const before = attachment(tab)?.emulation ?? {};
    for (const { what, method, params, everywhere } of stepsTo(wish, before)) {
      try {
        await command(tab, method, params, undefined, call.signal);
        if (everywhere) await inChildren(tab, method, params);
      } catch (error) {
        call.signal.throwIfAborted();
        if (!attachment(tab)) throw error;
        refused.add(what);
      }
    }
    const kept = without(wish, [...refused]);
    await editAttachment(tab, (value) => {
      if (Object.keys(kept).length === 0) delete value.emulation;
      else value.emulation = kept;
    });
    return [...refused];
  });
}

/** Frames of other processes; one may be gone by now. */
async function inChildren(tab: number, method: string, params: object): Promise<void> {
  const sessions = Object.keys(attachment(tab)?.sessions ?? {});
  await Promise.allSettled(sessions.map((session) => sendCommand(tab, method, params, session)));
}

/** A frame of another process came. */
export async function emulateIn(tab: number, session: string): Promise<void> {
  const wish = attachment(tab)?.emulation;
  if (!wish) return;
  const steps = stepsTo(wish, {}).filter(({ everywhere }) => everywhere);
  await Promise.allSettled(
    steps.map(({ method, params }) => sendCommand(tab, method, params, session)),
  );
}

/** Everything is as it is by itself. */
export async function endEmulation(tab: number): Promise<boolean> {
  const before = attachment(tab)?.emulation;
  if (!before) return false;
  await editAttachment(tab, (value) => {
    delete value.emulation;
  });
  const steps = stepsTo({}, before);
  await Promise.allSettled(
    steps.map(async ({ method, params, everywhere }) => {
      await sendCommand(tab, method, params);
      if (everywhere) await inChildren(tab, method, params);
    }),
  );
  detachLater(tab);
  return true;
}
