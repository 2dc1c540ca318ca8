//! The popup: one glance at where things stand, the consent click, the profile's name, and which
//! tabs are shared. It shows what the worker tells and asks; it decides nothing.

import { OWN_ORIGIN, runtime, type Tab, tabs } from "./chrome";
import { button, element, replaceKeepingFocus } from "./dom";
import { pairing, resetPairing } from "./popup-pairing";
import { type Remedy, statusOf } from "./popup-status";
import { POPUP_PORT, type PopupAsk, type PopupTab, type PopupView } from "./popup-wire";
import type { Sharing } from "./settings";
import { strings } from "./strings";
import { mayTouch } from "./url-rule";

const SHARINGS: readonly Sharing[] = ["chosen", "every", "paused"];

let latest: PopupView | null = null;
let port = connect();

function connect(): chrome.runtime.Port {
  const made = runtime.connect({ name: POPUP_PORT });
  made.onMessage.addListener((view: PopupView) => {
    latest = view;
    void draw();
  });
  // The worker ended: connecting again wakes it.
  made.onDisconnect.addListener(() => {
    port = connect();
  });
  return made;
}

function ask(message: PopupAsk): void {
  port.postMessage(message);
}

function place(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`popup.html has no #${id}`);
  return found;
}

async function draw(): Promise<void> {
  const all = await tabs.query({});
  const view = latest;
  if (!view) return;
  drawLabel(view);
  replaceKeepingFocus(place("main"), [
    repinned(view),
    status(view),
    pairing(view, ask),
    view.settings.consent ? sharing(view.settings.sharing) : null,
    ...(view.settings.consent && view.settings.sharing !== "paused" ? lists(view, all) : []),
    view.settings.consent
      ? button(strings.revoke, "quiet", () => ask({ ask: "consent", granted: false }))
      : null,
    resetPairing(view, ask),
  ]);
}

function drawLabel(view: PopupView): void {
  const field = place("label");
  if (!(field instanceof HTMLInputElement) || field === document.activeElement) return;
  field.setAttribute("aria-label", strings.label);
  field.title = strings.label;
  field.placeholder = view.fallbackLabel;
  field.value = view.settings.label;
  field.onchange = () => ask({ ask: "label", label: field.value });
  field.onkeydown = (event) => {
    if (event.key === "Enter") field.blur();
  };
}

function repinned(view: PopupView): HTMLElement | null {
  if (!view.settings.repinned) return null;
  const dismiss = button(strings.dismiss, "plain", () => ask({ ask: "seen_repinned" }));
  return element(
    "section",
    { class: "card status", "data-mood": "ask", role: "status" },
    element("span", { class: "dot" }),
    element("span", {}, strings.repinned),
    element("div", { class: "actions" }, dismiss),
  );
}

function status(view: PopupView): HTMLElement {
  const { mood, words, remedy } = statusOf(view);
  const idle = mood === "good" && !view.tabs.some((tab) => tab.holder !== null);
  const hint = idle ? `${strings.connectedIdle} ${words.hint}` : words.hint;
  return element(
    "section",
    { class: "card status", "data-mood": mood, role: "status", "aria-live": "polite" },
    element("span", { class: "dot" }),
    element("span", { class: "title" }, words.title),
    element("span", { class: "hint" }, hint),
    remedyOf(remedy),
  );
}

function remedyOf(remedy: Remedy): HTMLElement | null {
  switch (remedy) {
    case "allow":
      return element(
        "div",
        { class: "actions" },
        button(strings.allow, "primary", () => ask({ ask: "consent", granted: true })),
        element("p", { class: "note" }, strings.allowNote),
      );
    case "retry":
      return element(
        "div",
        { class: "actions" },
        button(strings.retry, "plain", () => ask({ ask: "retry" })),
      );
    case "renew":
      return element(
        "div",
        { class: "actions" },
        button(strings.renew, "plain", () => ask({ ask: "renew" })),
      );
    case null:
      return null;
  }
}

function sharing(now: Sharing): HTMLElement {
  const choice = element(
    "select",
    { id: "sharing" },
    ...SHARINGS.map((value) =>
      element("option", { value, selected: value === now }, strings.sharingChoices[value]),
    ),
  );
  choice.addEventListener("change", () => {
    const chosen = SHARINGS.find((value) => value === choice.value);
    if (chosen) ask({ ask: "sharing", sharing: chosen });
  });
  return element(
    "section",
    { class: "card sharing" },
    element("label", { for: "sharing" }, strings.sharing),
    choice,
  );
}

function lists(view: PopupView, all: readonly Tab[]): HTMLElement[] {
  const known = new Map(view.tabs.map((tab) => [tab.tab, tab]));
  const withAgents: HTMLElement[] = [];
  const yours: HTMLElement[] = [];
  for (const tab of all) {
    const entry = tab.id === undefined ? undefined : known.get(tab.id);
    if (entry?.own) withAgents.push(row(tab, entry, null));
    else if (tab.id !== undefined && !tab.url?.startsWith(OWN_ORIGIN)) {
      const every = view.settings.sharing === "every";
      yours.push(row(tab, entry, toggle(tab, tab.id, entry?.shared === true || every, every)));
    }
  }
  return [
    list("agents", strings.agentTabs, withAgents, strings.noAgentTabs),
    list("yours", strings.yourTabs, yours, strings.noTabs),
  ];
}

function list(id: string, title: string, rows: readonly HTMLElement[], none: string): HTMLElement {
  const heading = element("h2", { id: `${id}-title` }, title);
  const body =
    rows.length > 0
      ? element("ul", { id, class: "card", "aria-labelledby": `${id}-title` }, ...rows)
      : element("div", { class: "card empty" }, none);
  return element("section", {}, heading, body);
}

function row(tab: Tab, entry: PopupTab | undefined, control: HTMLElement | null): HTMLElement {
  const number = entry?.number ?? null;
  const holder = entry?.holder ?? (entry?.own ? strings.free : null);
  return element(
    "li",
    {},
    element("img", { src: favicon(tab.url ?? ""), alt: "" }),
    element(
      "div",
      { class: "words" },
      element("div", { class: "name", title: tab.title ?? "" }, tab.title || strings.untitled),
      element("div", { class: "place" }, placeOf(tab.url ?? "")),
    ),
    holder === null ? null : element("span", { class: "holder", title: holder }, holder),
    number === null ? null : element("span", { class: "number" }, String(number)),
    control,
  );
}

function toggle(tab: Tab, id: number, on: boolean, fixed: boolean): HTMLElement {
  const allowed = mayTouch(tab.url ?? "");
  const made = element("button", {
    type: "button",
    class: "switch",
    id: `share-${id}`,
    role: "switch",
    "aria-checked": String(on && allowed),
    "aria-label": strings.share(tab.title || strings.untitled),
    title: allowed ? (on ? strings.shared : strings.private) : strings.protectedTab,
    disabled: !allowed || fixed,
  });
  made.addEventListener("click", () => ask({ ask: "share", tab: id, on: !on }));
  return made;
}

/** Chrome's own store of icons: nothing is fetched from a site. */
function favicon(url: string): string {
  const address = new URL(runtime.getURL("/_favicon/"));
  address.searchParams.set("pageUrl", url);
  address.searchParams.set("size", "32");
  return address.href;
}

function placeOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url;
}

tabs.onUpdated.addListener(() => void draw());
tabs.onRemoved.addListener(() => void draw());
tabs.onCreated.addListener(() => void draw());
