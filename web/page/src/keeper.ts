//! The script that is in every frame from its start: keeps the worker reachable through a port,
//! takes the frame's token, remembers trusted input while armed, and tells the agent's input from the
//! user's. Touches nothing of the page but what the user does during an agent's act.

import { type Gate, makeGate, type Orders } from "./gate.ts";
import { type TokenBox, tokenListener } from "./handshake.ts";
import { InputWatch } from "./input.ts";
import { type Keeper, world } from "./world.ts";

// A port that ends this soon never reached a worker. So many in a row, and it is tried slowly.
const SHORT_LIFE_MS = 20;
const SHORT_LIVES = 20;
const SLOW_MS = 5_000;

let port: chrome.runtime.Port | null = null;
let opened = 0;
let failures = 0;

function connect(gate: Gate): void {
  // Without an id the extension is gone (reloaded, removed): nobody will ever answer.
  if (port || !chrome.runtime?.id) return;
  try {
    port = chrome.runtime.connect({ name: "keeper" });
  } catch {
    return;
  }
  opened = performance.now();
  port.onMessage.addListener((orders: Orders) => gate.hear(orders));
  port.onDisconnect.addListener(() => {
    port = null;
    gate.hear({ on: false, x: null });
    // Reading it keeps Chrome from logging it.
    void chrome.runtime?.lastError;
    failures = performance.now() - opened < SHORT_LIFE_MS ? failures + 1 : 0;
    // No timer as a rule: those of hidden tabs take a second and longer.
    if (failures < SHORT_LIVES) connect(gate);
    else setTimeout(connect, SLOW_MS, gate);
  });
}

function start(): Keeper {
  const box: TokenBox = { token: null };
  const input = new InputWatch();
  const gate = makeGate((what) => port?.postMessage(what));
  const onMessage = tokenListener(box);
  const onShow = (event: PageTransitionEvent): void => {
    // Chrome ends the ports of a page that goes into the back/forward cache.
    if (!event.persisted) return;
    failures = 0;
    connect(gate);
  };
  const install = (): void => {
    addEventListener("message", onMessage, { capture: true });
    addEventListener("pageshow", onShow, { capture: true });
    // First: what it stops did not happen.
    gate.install();
    input.install();
  };
  install();
  connect(gate);
  return Object.assign(box, { input, install });
}

if (!world().__pillionKeeper) {
  world().__pillionKeeper = start();
}
