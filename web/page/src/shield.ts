//! The picture that an agent is acting in this tab: shown, kept up and taken away without trace. It
//! can only lessen what agents may do: its button stops them here. A page can remove it or paint one
//! of its own: a removal is mended twice, then the extension is told.

import { isPlaced, type Look, makeLook, placed, point, say, type Words } from "./shield-look.ts";
import { type Shield, world } from "./world.ts";

/** From the extension. */
type Order = {
  /** An act begins: show it. */
  show?: Words;
  /** The act is over: fade in a moment. */
  idle?: true;
  /** Where the agent's cursor is, in CSS px of the viewport, and whether it presses. */
  at?: readonly [x: number, y: number, press: boolean];
};

/** To the extension: the button was pressed; the page does not let the shield be. */
type Report = "take" | "torn";

const FADE_AFTER_MS = 1_500;
const FADE_MS = 250;
const MENDED = 2;
// A press that was prepared comes within this.
const ASIDE_MS = 3_000;

let look: Look | null = null;
let style = "";
let mended = 0;
let veiled = false;
let fading = 0;
let aside = 0;
const hosts = new WeakSet<Node>();
const observer = new MutationObserver(mend);

const shield: Shield = {
  host: null,
  connect,
  was: (node) => hosts.has(node),
  take: () => tell("take"),
  stepAside: () => {
    look?.all.classList.add("aside");
    clearTimeout(aside);
    aside = setTimeout(() => look?.all.classList.remove("aside"), ASIDE_MS);
  },
  veil: (on) => {
    veiled = on;
    if (look) look.all.style.display = on ? "none" : "";
  },
};

function show(words: Words): void {
  clearTimeout(fading);
  if (!look) {
    look = makeLook();
    style = look.host.getAttribute("style") ?? "";
    mended = 0;
    hosts.add(look.host);
    shield.host = look.host;
    look.take.addEventListener("click", ({ isTrusted }) => {
      if (isTrusted) shield.take();
    });
    look.host.addEventListener("toggle", mend);
    shield.veil(veiled);
    put(look.host);
  }
  say(look, words);
  look.all.classList.remove("idle");
}

/** In the top layer, where no page's own box lies over it but what comes there later. */
function put(host: HTMLElement): void {
  observer.disconnect();
  placed(host);
  const root = document.documentElement;
  if (host.parentNode !== root) root?.appendChild(host);
  if (!host.isConnected) return;
  if (!host.matches(":popover-open")) host.showPopover();
  observer.observe(document, { childList: true });
  observer.observe(host, { attributes: true });
  if (root) observer.observe(root, { childList: true });
}

function isWhole(host: HTMLElement): boolean {
  const isThere = host.parentNode === document.documentElement && host.matches(":popover-open");
  return isThere && isPlaced(host, style);
}

function mend(): void {
  if (!look || isWhole(look.host)) return;
  if (mended >= MENDED) {
    hide();
    tell("torn");
    return;
  }
  mended += 1;
  look.host.popover = "manual";
  put(look.host);
}

function idle(): void {
  clearTimeout(fading);
  fading = setTimeout(() => {
    look?.all.classList.add("idle");
    fading = setTimeout(hide, FADE_MS);
  }, FADE_AFTER_MS);
}

function hide(): void {
  clearTimeout(fading);
  observer.disconnect();
  const host = look?.host;
  look = null;
  shield.host = null;
  host?.remove();
}

function tell(what: Report): void {
  port?.postMessage(what);
}

let port: chrome.runtime.Port | null = null;

function connect(): void {
  port = chrome.runtime.connect({ name: "shield" });
  port.onMessage.addListener((order: Order) => {
    if (order.show) show(order.show);
    if (order.at && look) point(look.cursor, ...order.at);
    if (order.idle) idle();
  });
  // Nobody is left who would take it away.
  port.onDisconnect.addListener(() => {
    port = null;
    void chrome.runtime?.lastError;
    hide();
  });
}

// Put here again: the worker that knew of it has ended.
world().__pillionShield ??= shield;
world().__pillionShield?.connect();
