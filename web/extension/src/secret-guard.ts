//! Where a secret may go, and which debugger commands could bring one to light. Pure; it sees facts and
//! decides. The page agent looks once more, in the task in which it fills: at the field, its form, and
//! the document's real origin.

import type { VerbError } from "../../wire/link";
import type { CdpCommand } from "../../wire/verb";
import { SECRET_BYTES, SECRET_LEAST_CHARS, SECRET_ORIGINS } from "./limits";

/** A frame as the browser lists it. */
export interface SecretFrame {
  readonly frameId: number;
  readonly parentFrameId: number;
  readonly documentId: string;
  /** The committed address. */
  readonly url: string;
}

/** What the daemon wants filled in. */
export interface SecretWish {
  readonly document: string;
  readonly name: string;
  readonly value: string;
  readonly origins: readonly string[];
}

const NO_PARENT = -1;

/** Why the secret may not go there; null when the page agent may look at the field. */
export function placeRefusal(wish: SecretWish, frames: readonly SecretFrame[]): VerbError | null {
  if (!isValue(wish.value)) return no("INVALID_ARGUMENT", "that is no secret");
  return siteRefusal(wish, frames);
}

/** The same without a look at the value: a list of acts names a secret and holds none. */
export function siteRefusal(
  wish: Omit<SecretWish, "value">,
  frames: readonly SecretFrame[],
): VerbError | null {
  if (!isBound(wish)) return no("INVALID_ARGUMENT", "that is no secret, or its sites are none");
  const allowed = new Set(wish.origins);
  let frame = frames.find((one) => one.documentId === wish.document);
  if (!frame) return no("REF_GONE", "the document is gone");
  const name = `the secret \`${wish.name}\``;
  if (!allowed.has(siteOf(frame.url))) {
    return wrong(`${name} is not bound to ${siteOf(frame.url) || "a page of that kind"}`);
  }
  // Each page around it sees what is typed and can lie over it.
  for (let climbed = 0; frame.parentFrameId !== NO_PARENT; climbed += 1) {
    const { parentFrameId }: SecretFrame = frame;
    frame = frames.find((one) => one.frameId === parentFrameId);
    if (!frame || climbed > frames.length) return wrong("the pages around the field are not known");
    if (!allowed.has(siteOf(frame.url))) {
      return wrong(`${name} is not bound to a page around the field, ${siteOf(frame.url)}`);
    }
  }
  return null;
}

function isValue(value: string): boolean {
  if (typeof value !== "string" || [...value].length < SECRET_LEAST_CHARS) return false;
  return new TextEncoder().encode(value).length <= SECRET_BYTES && !/\p{Cc}/u.test(value);
}

function isBound({ name, origins }: Omit<SecretWish, "value">): boolean {
  return (
    /^[a-z0-9_-]{1,64}$/.test(name) &&
    Array.isArray(origins) &&
    origins.length > 0 &&
    origins.length <= SECRET_ORIGINS &&
    origins.every(isSite)
  );
}

/** Whether a text is a site that may be trusted with a secret, in its one spelling. */
export function isSite(text: unknown): text is string {
  return typeof text === "string" && text !== "" && siteOf(text) === text;
}

/** The site of an address that is safe on its way, or of this machine; empty for all others. */
export function siteOf(address: string): string {
  if (!URL.canParse(address)) return "";
  const url = new URL(address);
  const isSafe =
    url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  return isSafe ? url.origin : "";
}

function isLoopback(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost") || host === "[::1]") return true;
  return /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** What commands could do: nothing to a secret, show one, or change the page that gets one. */
export type Reach = "none" | "looks" | "code";

const NONE: ReadonlySet<string> = new Set([
  "CSS.disable",
  "CSS.enable",
  "DOM.disable",
  "DOM.enable",
  "DOM.focus",
  "DOM.getBoxModel",
  "DOM.getContentQuads",
  "DOM.scrollIntoViewIfNeeded",
  "Log.enable",
  "Network.enable",
  "Network.emulateNetworkConditions",
  "Network.setCacheDisabled",
  "Page.getFrameTree",
  "Page.getLayoutMetrics",
  "Page.handleJavaScriptDialog",
  "Page.navigateToHistoryEntry",
  "Page.reload",
  "Page.screencastFrameAck",
  "Page.stopScreencast",
  "Performance.enable",
  "Performance.getMetrics",
  "Runtime.disable",
  "Runtime.enable",
  "Runtime.releaseObject",
]);
const NONE_DOMAINS = /^(?:Input|Emulation)\./;
const LOOKS: ReadonlySet<string> = new Set([
  "Accessibility.getPartialAXTree",
  "CSS.getBackgroundColors",
  "CSS.getComputedStyleForNode",
  "CSS.getInlineStylesForNode",
  "CSS.getMatchedStylesForNode",
  "CSS.getMediaQueries",
  "CSS.getPlatformFontsForNode",
  "CSS.getStyleSheetText",
  "DOM.describeNode",
  "DOM.getDocument",
  "DOM.getOuterHTML",
  "DOM.requestNode",
  "DOM.resolveNode",
  "DOMDebugger.getEventListeners",
  "Network.getCookies",
  "Network.getRequestPostData",
  "Network.getResponseBody",
  "Page.captureScreenshot",
  "Page.captureSnapshot",
  "Page.printToPDF",
  "Page.startScreencast",
]);

/** The furthest that any of these reaches; what is not known reaches furthest. */
export function reachOf(commands: readonly CdpCommand[]): Reach {
  const reaches = commands.map(({ method }): Reach => {
    if (NONE.has(method) || NONE_DOMAINS.test(method)) return "none";
    return LOOKS.has(method) ? "looks" : "code";
  });
  if (reaches.includes("code")) return "code";
  return reaches.includes("looks") ? "looks" : "none";
}

function wrong(message: string): VerbError {
  return no("SECRET_WRONG_ORIGIN", message);
}

function no(code: VerbError["code"], message: string): VerbError {
  return { code, message };
}
