//! Replaces halves of characters in an answer: pages hold them, JSON readers refuse them.

const HALVES = /\p{Surrogate}/gu;

/** The same value with every string well-formed. For plain data only. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.replace(HALVES, "\ufffd");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, wellFormed(inner)]));
}
