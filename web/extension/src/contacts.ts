//! The agents that the user let into this profile, or keeps out: by the name that an agent gives itself
//! and the program that was seen to start it. Pure.

import type { Asker } from "../../wire/link";
import { CONTACTS_KEPT } from "./limits";

/** One agent that was decided about. */
export interface Contact {
  readonly client: string;
  /** Empty where the system does not tell. */
  readonly program: string;
  readonly answer: "always" | "no";
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** What is remembered of agents. */
export interface Contacts {
  /** The profile was made for agents: whoever comes is let in. */
  readonly everyone: boolean;
  readonly list: readonly Contact[];
}

export const NO_CONTACTS: Contacts = { everyone: false, list: [] };

/** One session that was let in once. */
export interface Guest {
  readonly session: string;
  readonly client: string;
  readonly program: string;
}

/** `unknown`: the user has not decided. */
export type Admittance = "in" | "no" | "unknown";

/** Whether an agent may use the profile. A refusal holds whatever else is remembered. */
export function admittance(contacts: Contacts, guests: readonly Guest[], asker: Asker): Admittance {
  const known = contacts.list.findLast((one) => isOf(one, asker));
  if (known?.answer === "no") return "no";
  if (contacts.everyone || known) return "in";
  const guest = guests.some((one) => one.session === asker.session && isOf(one, asker));
  return guest ? "in" : "unknown";
}

/** The contacts after a decision for good. */
export function withContact(contacts: Contacts, contact: Contact): Contacts {
  const { list } = withoutContact(contacts, contact.client, contact.program);
  return { ...contacts, list: [...list, contact].slice(-CONTACTS_KEPT) };
}

/** The contacts without one: it is asked about anew. */
export function withoutContact(contacts: Contacts, client: string, program: string): Contacts {
  const others = contacts.list.filter((one) => one.client !== client || one.program !== program);
  return { ...contacts, list: others };
}

function isOf(one: { client: string; program: string }, asker: Asker): boolean {
  return one.client === asker.client && one.program === (asker.program ?? "");
}
