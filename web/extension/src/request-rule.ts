//! Which requests of a tab may be told, and whose bodies may be read. Pure.

import { ruleFor, type SiteRules } from "./rules";
import { originOf } from "./url-rule";

/** Whether agents may know of the request: neither of a site that the user closed, nor of an extension's. */
export function isTellable(url: string, initiator: string | undefined, rules: SiteRules): boolean {
  if (/^chrome-extension:/.test(url) || /^chrome-extension:/.test(initiator ?? "")) return false;
  const asHttp = url.replace(/^ws(s?):/, "http$1:");
  if (ruleFor(asHttp, rules) === "never") return false;
  return initiator === undefined || ruleFor(initiator, rules) !== "never";
}

/** What is known of a request whose body is asked for. */
export interface Asked {
  readonly url: string;
  /** Address of the document that asked. */
  readonly page: string;
  /** The request is that document. */
  readonly document: boolean;
  /** A document, or what a script asked for: kept without being asked for by name. */
  readonly talks: boolean;
}

/** Whether its body may be read: a document's own, or of the document's own origin. */
export function mayRead(asked: Asked, rules: SiteRules): boolean {
  if (ruleFor(asked.url, rules) === "never" || ruleFor(asked.page, rules) === "never") return false;
  return asked.document || originOf(asked.url) === originOf(asked.page);
}
