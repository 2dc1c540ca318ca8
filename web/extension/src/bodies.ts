//! Bodies of answers in tabs whose bodies are kept: read as soon as the answer is over, since Chrome
//! forgets them with the page.

import { attach, attachment, detachLater, editAttachment, live, using } from "./attachment";
import { sendCommand } from "./chrome";
import { BODY_CHARS } from "./limits";
import { emitFor } from "./outbox";
import { mayRead } from "./request-rule";
import { siteRules } from "./rules-store";

/** The verb `capture`. */
export async function capture(tab: number, on: boolean): Promise<null> {
  return using(tab, async () => {
    if (on) await attach(tab);
    await editAttachment(tab, (value) => {
      value.capture = on;
    });
    if (!on) detachLater(tab);
    return null;
  });
}

/** Whether the body of a request that the debugger told of may be asked for. */
export function mayReadBody(tab: number, request: string): boolean {
  const asked = live(tab).bodies.get(request);
  return asked !== undefined && mayRead(asked, siteRules());
}

/** An answer is over. */
export async function keepBody(
  tab: number,
  session: string | undefined,
  request: string,
): Promise<void> {
  if (attachment(tab)?.capture !== true || !mayReadBody(tab, request)) return;
  if (!live(tab).bodies.get(request)?.talks) return;
  const got = await sendCommand(tab, "Network.getResponseBody", { requestId: request }, session)
    // Forgotten already, or there is none.
    .catch(() => null);
  if (!got || typeof got.body !== "string") return;
  const body = got.body.slice(0, BODY_CHARS);
  const base64 = got.base64Encoded === true;
  emitFor(tab, { event: "body", told: { tab, request, body, base64, size: got.body.length } });
}
