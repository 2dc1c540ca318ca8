//! The first call of an agent that this profile does not know: one prompt, and nothing is done until it
//! is answered. The answer is kept in the profile and never synced.

import type { Asker, VerbError } from "../../wire/link";
import type { Verb } from "../../wire/verb";
import type { Ask, Decision } from "./asks";
import { asks, raise, settle } from "./asks-store";
import { random, toBase64Url } from "./bytes";
import { storage } from "./chrome";
import {
  admittance,
  type Contact,
  type Contacts,
  type Guest,
  NO_CONTACTS,
  withContact,
  withoutContact,
} from "./contacts";
import { CONTACTS_KEPT, FIRST_CONTACT_MS } from "./limits";
import { profileLabel } from "./settings";
import { Stored } from "./stored";
import { strings } from "./strings";

const kept = new Stored<{ contacts: Contacts }>(storage.local, "contacts", {
  contacts: NO_CONTACTS,
});
// Sessions mean nothing in the browser's next run.
const keptGuests = new Stored<{ list: readonly Guest[] }>(storage.session, "guests", { list: [] });

/** Resolves when the contacts of the last life were read. */
export const contactsReady: Promise<unknown> = Promise.all([kept.ready, keptGuests.ready]);

/** The agents that were decided about. */
export function contacts(): Contacts {
  return kept.value.contacts;
}

/** Why the agent may do nothing here; null when it may. Shows the user a prompt if they must decide. */
export async function contactRefusal(verb: Verb, asker: Asker | null): Promise<VerbError | null> {
  if (isOfTheDaemon(verb) || isOfTheCommandLine(verb)) return null;
  if (asker === null) {
    return contacts().everyone ? null : { code: "POLICY", message: strings.noAgentNamed };
  }
  const is = admittance(contacts(), keptGuests.value.list, asker);
  if (is === "in") return null;
  if (is === "no") return { code: "APPROVAL_DENIED", message: strings.keptOut(asker.client) };
  if (verb.verb !== "knock" || verb.raise) await raise(promptFor(asker));
  return { code: "PAIRING_PENDING", message: strings.clickAllow(profileLabel()) };
}

/** What the daemon does by itself, for no agent: it tells, or it gives back. */
function isOfTheDaemon(verb: Verb): boolean {
  return ["tabs", "hold", "activity", "detach", "release"].includes(verb.verb);
}

/** What no agent can ask for: a prompt of its own, which gives no agent anything. */
function isOfTheCommandLine(verb: Verb): boolean {
  return verb.verb === "ask" && verb.kind === "extension";
}

function promptFor(asker: Asker): Ask {
  const now = Date.now();
  return {
    id: toBase64Url(random(12)),
    client: asker.client,
    observed: { program: asker.program ?? "", folder: asker.folder ?? "" },
    session: asker.session,
    tab: null,
    number: null,
    site: null,
    verb: "",
    lines: [],
    says: "",
    kind: "first_contact",
    since: now,
    expires: now + FIRST_CONTACT_MS,
  };
}

/** The user decided about an agent. True when it was let in. */
export async function onContact(ask: Ask, decision: Decision): Promise<boolean> {
  const { client, session } = ask;
  const program = ask.observed?.program ?? "";
  if (decision === "once") {
    await keptGuests.change((value) => {
      value.list = [...value.list, { session, client, program }].slice(-CONTACTS_KEPT);
    });
    return true;
  }
  if (decision !== "always" && decision !== "no") return false;
  const contact: Contact = { client, program, answer: decision, since: Date.now() };
  await change((value) => withContact(value, contact));
  return decision === "always";
}

/** The click that lets agents into the profile lets in the one that waits. */
export async function admitWaiting(): Promise<void> {
  const waiting = asks().open.filter(({ kind }) => kind === "first_contact");
  for (const { id } of waiting) await settle(id, "always");
}

/** The profile was made for agents. */
export function admitEveryone(): Promise<void> {
  return change((value) => ({ ...value, everyone: true }));
}

/** Forgets what was decided about an agent. */
export async function forgetContact(client: string, program: string): Promise<void> {
  await change((value) => withoutContact(value, client, program));
  await keptGuests.change((value) => {
    value.list = value.list.filter((one) => one.client !== client || one.program !== program);
  });
}

function change(edit: (contacts: Contacts) => Contacts): Promise<void> {
  return kept.change((value) => {
    value.contacts = edit(value.contacts);
  });
}
