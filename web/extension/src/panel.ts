//! The side panel: what agents do as it happens, what they ask, and the rules of sites.

import { runtime, tabs, windows } from "./chrome";
import { button, iconButton, type Piece, put } from "./dom";
import { ActivityList } from "./pages/activity";
import { agentsSection } from "./pages/agents";
import { SETTINGS } from "./pages/icons";
import { leavesSection } from "./pages/leaves";
import { drawName } from "./pages/name";
import { connect, place } from "./pages/port";
import { Prompts } from "./pages/prompts";
import { quietSection } from "./pages/quiet";
import { RuleEditor } from "./pages/rules";
import { repinnedSection, statusSection } from "./pages/status";
import { Switcher } from "./pages/switcher";
import { PANEL_PORT, type PopupView } from "./popup-wire";
import { strings } from "./strings";

let latest: PopupView | null = null;

const tell = connect(PANEL_PORT, (view) => {
  latest = view;
  void draw();
});
const prompts = new Prompts(place("prompts"), tell);
const calls = new ActivityList(place("activity"));
const rules = new RuleEditor(place("sites"), tell);
new Switcher(place("switcher"), [
  { words: strings.activity, shows: place("activity") },
  { words: strings.sites, shows: place("sites") },
]);

async function draw(): Promise<void> {
  const front = await addressInFront();
  const view = latest;
  if (!view) return;
  const { consent } = view.settings;
  drawName(place("label"), view, tell);
  prompts.show(view);
  put(place("top"), [
    repinnedSection(view, tell),
    statusSection(view, tell),
    ...view.quiet.map(quietSection),
    consent ? agentsSection(view, tell) : null,
    consent && view.everything === null && view.agents.length > 0 ? stopAll() : null,
    view.leaves.length > 0 ? leavesSection(view, tell) : null,
  ]);
  calls.show(view.activity);
  if (view.rules) rules.show(view.rules, front);
}

function stopAll(): Piece {
  return {
    key: "stop",
    of: 0,
    make: () => button(strings.stopAll, "danger", () => tell({ ask: "halt_all", halt: "stop" })),
  };
}

/** Of this window: the panel belongs to one. */
async function addressInFront(): Promise<string> {
  const [tab] = await tabs.query({ active: true, currentWindow: true });
  return tab?.url ?? "";
}

place("tools").append(
  iconButton(SETTINGS, strings.openOptions, () => void runtime.openOptionsPage()),
);
tabs.onUpdated.addListener((_, change) => {
  if (change.url !== undefined) void draw();
});
tabs.onActivated.addListener(() => void draw());
windows.onFocusChanged.addListener(() => void draw());
