//! Which answer in a server's place fits a request, and whether a list of them may be taken. Pure.

import type { MockRule } from "../../wire/trying";
import { MOCK_CHARS, MOCK_DELAY_MS, MOCKS_MOST } from "./limits";

/** The first rule that fits. */
export function fitting(
  rules: readonly MockRule[],
  method: string,
  url: string,
): MockRule | undefined {
  const address = url.split("#")[0] ?? url;
  return rules.find(
    (rule) =>
      (!rule.method || rule.method.toUpperCase() === method.toUpperCase()) &&
      fits(rule.url, address),
  );
}

/** A glob over the whole address; without a star, a part of it. No regular expression: none can hang. */
export function fits(glob: string, url: string): boolean {
  if (!glob.includes("*")) return url.includes(glob);
  const [first = "", ...rest] = glob.split("*");
  if (!url.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? "";
  for (const part of rest) {
    const found = url.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return url.length - at >= last.length && url.endsWith(last);
}

/** Why the list is not taken. */
export function listRefusal(rules: readonly MockRule[]): string | null {
  if (!Array.isArray(rules) || rules.length > MOCKS_MOST)
    return `at most ${MOCKS_MOST} mocks a tab`;
  if (!rules.every(isRule)) return "that is no mock";
  const size = rules.reduce((sum, rule) => sum + rule.body.length, 0);
  return size > MOCK_CHARS ? "the bodies are too large together" : null;
}

function isRule(rule: MockRule): boolean {
  const { number, url, method, status, body, headers, delayMs } = rule;
  return (
    Number.isInteger(number) &&
    typeof url === "string" &&
    url !== "" &&
    (method === undefined || method === null || typeof method === "string") &&
    Number.isInteger(status) &&
    status >= 200 &&
    status <= 599 &&
    typeof body === "string" &&
    Number.isInteger(delayMs) &&
    delayMs >= 0 &&
    delayMs <= MOCK_DELAY_MS &&
    Array.isArray(headers) &&
    headers.every((pair) => pair.length === 2 && pair.every((text) => typeof text === "string"))
  );
}
