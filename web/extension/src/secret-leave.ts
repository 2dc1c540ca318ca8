//! What the user allowed of secrets for good: further sites, and fields that are neither for passwords
//! nor for one-time codes. A secret's first site in this profile needs no click: the user named it at a
//! terminal. Every further one does. Kept in the profile; nothing that comes over the link adds to it.

import { storage } from "./chrome";
import { SECRET_LEAVES } from "./limits";
import { Stored } from "./stored";

/** A field that is to be recognised when the page is there again. */
export interface Field {
  /** The document's address. */
  readonly url: string;
  readonly role: string;
  readonly name: string;
  /** Where its form goes. */
  readonly form: string | null;
}

/** One leave, as it is shown. */
export interface SecretLeave {
  readonly key: string;
  readonly secret: string;
  readonly origin: string;
  /** The field's name; null for a site. */
  readonly field: string | null;
}

const kept = new Stored<{ leaves: readonly string[] }>(storage.local, "secretLeaves", {
  leaves: [],
});

/** Resolves when what was allowed was read. */
export const secretLeavesReady: Promise<void> = kept.ready;

/** What the user has not allowed yet of a secret's going to these sites and, when given, that field. */
export function notAllowed(
  secret: string,
  sites: readonly string[],
  field: Field | null,
): string[] {
  return missing(kept.value.leaves, secret, sites, field);
}

/** The same. Pure. */
export function missing(
  leaves: readonly string[],
  secret: string,
  sites: readonly string[],
  field: Field | null,
): string[] {
  const wanted = [...new Set(sites)].map((origin) => siteKey(secret, origin));
  const isFirst = wanted.length === 1 && !leaves.some((key) => isSiteOf(key, secret));
  const keys = isFirst ? [] : wanted;
  if (field) keys.push(fieldKey(secret, field));
  return keys.filter((key) => !leaves.includes(key));
}

/** The user said "always". */
export function allow(keys: readonly string[]): Promise<void> {
  return kept.change((value) => {
    const others = value.leaves.filter((key) => !keys.includes(key));
    value.leaves = [...others, ...keys].slice(-SECRET_LEAVES);
  });
}

/** It was filled in: that is its first site, if it had none. */
export async function noteFirst(secret: string, origin: string): Promise<void> {
  if (kept.value.leaves.some((key) => isSiteOf(key, secret))) return;
  await allow([siteKey(secret, origin)]);
}

/** The user takes a leave back. A secret without a site has a first one again. */
export function disallow(key: string): Promise<void> {
  return kept.change((value) => {
    value.leaves = value.leaves.filter((other) => other !== key);
  });
}

/** Everything, for the user to see. */
export function secretLeaves(): SecretLeave[] {
  return kept.value.leaves.flatMap((key): SecretLeave[] => {
    const [kind, secret = "", place = "", , field = ""] = JSON.parse(key) as string[];
    const origin = URL.canParse(place) ? new URL(place).origin : place;
    return [{ key, secret, origin, field: kind === "field" ? field : null }];
  });
}

function siteKey(secret: string, origin: string): string {
  return JSON.stringify(["site", secret, origin]);
}

function isSiteOf(key: string, secret: string): boolean {
  return key.startsWith(JSON.stringify(["site", secret]).slice(0, -1).concat(","));
}

function fieldKey(secret: string, { url, role, name, form }: Field): string {
  return JSON.stringify(["field", secret, page(url), role, name, form === null ? "" : page(form)]);
}

/** An address without what changes from one visit to the next. */
function page(url: string): string {
  if (!URL.canParse(url)) return "";
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
