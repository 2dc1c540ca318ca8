//! Which document is in which frame element: gives each iframe a random token and learns the token
//! of this document. Never tells a token to the page, and believes only the parent frame.

import type { DocumentInfo } from "../../wire/page.ts";
import { HEARD, tokenListener } from "./handshake.ts";
import { rootsOf } from "./roots.ts";
import { pause } from "./time.ts";
import { type World, world } from "./world.ts";

const tokens = new WeakMap<Element, string>();
const frames = new Map<string, WeakRef<Element>>();
const told = new WeakSet<Element>();
const ports = new WeakMap<Element, MessagePort>();
const waiting = new WeakMap<Element, () => void>();
const watched = new WeakSet<Element>();
const own = { token: null as string | null };
const listener = tokenListener(own);
// How long an answer waits for the parent's message, at first and once it did not come.
const TOKEN_WAIT_MS = 150;
const TOKEN_WAIT_AGAIN_MS = 20;
let waitMs = TOKEN_WAIT_MS;

function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function childWindow(frame: Element): Window | null {
  if (frame instanceof HTMLIFrameElement || frame instanceof HTMLFrameElement) {
    return frame.contentWindow;
  }
  return frame instanceof HTMLObjectElement ? frame.contentWindow : null;
}

/** Tells a frame of another site its token, until it says that it heard. */
function tell(frame: Element, token: string): void {
  if (!watched.has(frame)) {
    watched.add(frame);
    frame.addEventListener("load", () => {
      told.delete(frame);
      ports.delete(frame);
      tell(frame, token);
    });
  }
  const child = childWindow(frame);
  if (!child || told.has(frame)) return;
  const channel = new MessageChannel();
  channel.port1.onmessage = (event) => {
    if (event.data === HEARD) {
      told.add(frame);
      ports.set(frame, channel.port1);
    } else waiting.get(frame)?.();
  };
  child.postMessage({ __pillion: token }, "*", [channel.port2]);
}

/** Whether the child's agent can read `frameElement` itself; no message is needed then. */
function isSameOrigin(frame: Element): boolean {
  try {
    return childWindow(frame)?.document !== undefined;
  } catch {
    return false;
  }
}

/** The token of an iframe element; stays the same as long as the element lives. */
export function tokenOf(frame: Element): string {
  let token = tokens.get(frame);
  if (!token) {
    token = randomToken();
    tokens.set(frame, token);
    frames.set(token, new WeakRef(frame));
  }
  if (!isSameOrigin(frame)) tell(frame, token);
  return token;
}

// Images and forms named `title` or `URL` hide the document's own.
const URL_OF = documentGetter("URL");
const TITLE_OF = documentGetter("title");
const READY_STATE_OF = documentGetter("readyState");
const CONTENT_TYPE_OF = documentGetter("contentType");

function documentGetter(name: string): (of: Document) => string {
  const get = Object.getOwnPropertyDescriptor(Document.prototype, name)?.get;
  return (of) => String(get?.call(of) ?? "");
}

/**
 * Waits until the document in a frame of another site has drawn two frames. One that was out of view
 * is not drawn at all, and Chrome sends input only to what was drawn.
 */
export async function drawn(frame: Element, mostMs: number): Promise<void> {
  const port = ports.get(frame);
  if (!port) return;
  const answer = new Promise<void>((resolve) => waiting.set(frame, resolve));
  port.postMessage(0);
  await Promise.race([answer, pause(mostMs)]);
  waiting.delete(frame);
}

/** Gives every iframe of the document its token. */
export function tellFrames(): void {
  for (const root of rootsOf(document)) {
    for (const frame of root.querySelectorAll("iframe,frame")) tokenOf(frame);
  }
}

/** The iframe element of a token that this document gave. */
export function frameOf(token: string): Element | null {
  const frame = frames.get(token)?.deref();
  return frame?.isConnected ? frame : null;
}

/** Listens for the token where no keeper does. Harmless when repeated. */
export function listenForToken(): void {
  const keeper = world().__pillionKeeper;
  if (keeper) keeper.install();
  else addEventListener("message", listener, { capture: true });
}

function readOwnToken(): string | null {
  try {
    const frame = window.frameElement;
    const parent: unknown = window.parent;
    if (frame && typeof parent === "object" && parent !== null) {
      const token = (parent as World).__pillion?.tokenOf(frame);
      if (token) return token;
    }
  } catch {
    // Another origin: only a message can tell.
  }
  return world().__pillionKeeper?.token ?? own.token;
}

/** Waits a moment for the parent's message, in a frame that does not know its token yet. */
export async function tokenKnown(): Promise<void> {
  if (window.parent === window || readOwnToken()) return;
  const until = performance.now() + waitMs;
  waitMs = TOKEN_WAIT_AGAIN_MS;
  while (!readOwnToken() && performance.now() < until) await pause(5);
}

/** What the engine needs to know of a document to put it into its frame. */
/** Whether Chrome's viewer shows a PDF there. */
export function isPdf(of: Document): boolean {
  return CONTENT_TYPE_OF(of) === "application/pdf";
}

export function infoOf(of: Document): DocumentInfo {
  const root = of.scrollingElement ?? of.documentElement;
  return {
    url: URL_OF(of),
    title: TITLE_OF(of),
    readyState: READY_STATE_OF(of),
    pdf: isPdf(of),
    token: window.parent === window ? null : readOwnToken(),
    scrollY: window.scrollY,
    height: root ? root.scrollHeight : 0,
    viewport: [window.innerWidth, window.innerHeight],
  };
}
