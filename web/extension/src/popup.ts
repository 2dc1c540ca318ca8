//! The popup: one glance at where things stand, the consent click, who is at work, and which tabs are
//! shared. It shows what the worker tells and asks; it decides nothing.

import { runtime, sidePanel, tabs, windows } from "./chrome";
import { button, iconButton, type Piece, put } from "./dom";
import { agentsSection } from "./pages/agents";
import { PANEL, SETTINGS } from "./pages/icons";
import { drawName } from "./pages/name";
import { connect, place } from "./pages/port";
import { Prompts } from "./pages/prompts";
import { sharingSection } from "./pages/sharing";
import { repinnedSection, statusSection } from "./pages/status";
import { TabList } from "./pages/tabs";
import { pairingSection } from "./popup-pairing";
import { POPUP_PORT, type PopupView } from "./popup-wire";
import { strings } from "./strings";

let latest: PopupView | null = null;
let window: number | null = null;

const tell = connect(POPUP_PORT, (view) => {
  latest = view;
  void draw();
});
const prompts = new Prompts(place("prompts"), tell);
const list = new TabList(tell);

async function draw(): Promise<void> {
  const all = await tabs.query({});
  const view = latest;
  if (!view) return;
  const { consent, sharing } = view.settings;
  const open = consent && sharing !== "paused" && view.everything === null;
  drawName(place("label"), view, tell);
  prompts.show(view);
  put(place("main"), [
    repinnedSection(view, tell),
    statusSection(view, tell),
    pairingSection(view, tell),
    consent ? agentsSection(view, tell) : null,
    consent ? sharingSection(view, tell) : null,
    open ? list.piece(view, all) : null,
  ]);
  put(place("foot"), [
    consent && view.everything === null ? stopAll() : null,
    consent ? revoke() : null,
  ]);
}

function stopAll(): Piece {
  return {
    key: "stop",
    of: 0,
    make: () => button(strings.stopAll, "danger", () => tell({ ask: "halt_all", halt: "stop" })),
  };
}

function revoke(): Piece {
  return {
    key: "revoke",
    of: 0,
    make: () => button(strings.revoke, "quiet", () => tell({ ask: "consent", granted: false })),
  };
}

place("tools").append(
  iconButton(PANEL, strings.openPanel, () => {
    // Only within the click itself: nothing may be waited for here.
    if (window !== null) void sidePanel.open({ windowId: window }).then(() => globalThis.close());
  }),
  iconButton(SETTINGS, strings.openOptions, () => void runtime.openOptionsPage()),
);
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (event.key !== "/" || typing) return;
  list.search();
  event.preventDefault();
});
void windows.getCurrent().then(({ id }) => {
  window = id ?? null;
});
tabs.onUpdated.addListener(() => void draw());
tabs.onRemoved.addListener(() => void draw());
tabs.onCreated.addListener(() => void draw());
