//! The worker's side of our own pages: who is heard, what each is told, and what it may ask for.

import { activities } from "./activity";
import { agentsOf } from "./agents";
import { leaves } from "./approvals-store";
import { choicesOf } from "./asks";
import { asks } from "./asks-store";
import { entries } from "./book";
import { OWN_ORIGIN, runtime } from "./chrome";
import { contacts } from "./first-contact";
import { SHOW_MS } from "./limits";
import type { Link } from "./link";
import { mayAsk, type Rights, rightsOf } from "./page-rights";
import { pairingView } from "./pair-ask";
import { PANEL_PORT, type PopupAsk, type PopupTab, type PopupView } from "./popup-wire";
import { siteRules } from "./rules-store";
import { secretLeaves } from "./secret-leave";
import { browserName, settings } from "./settings";
import { sign } from "./sign";
import { stoppedTabs, stops } from "./stops";
import { strings } from "./strings";
import { act } from "./ui-acts";

const open = new Map<chrome.runtime.Port, Rights>();
let due: ReturnType<typeof setTimeout> | undefined;

/** What a port's other end may do; null when it is no page of ours. */
export function rightsOfPage(sender: chrome.runtime.MessageSender | undefined): Rights | null {
  return rightsOf(sender, runtime.id, OWN_ORIGIN);
}

/** A page of ours opened. */
export function onPopup(port: chrome.runtime.Port, rights: Rights, link: Link): void {
  open.set(port, rights);
  port.onDisconnect.addListener(() => open.delete(port));
  port.onMessage.addListener((message: PopupAsk) => {
    if (!mayAsk(rights, message)) {
      console.warn("pillion: refused to a page in a tab", message.ask);
      return;
    }
    void act(message, link, () => showPopups(link))
      .catch((error) => console.warn("pillion: page", error))
      .then(() => showPopups(link));
  });
  port.postMessage(viewFor(port, rights, link));
  void link.kick();
}

/** Whether a page of ours is open that shows prompts. */
export function isLookedAt(): boolean {
  return [...open.values()].includes("all");
}

/** Tells every open page where things stand, soon. */
export function showPopups(link: Link): void {
  if (open.size === 0 || due !== undefined) return;
  due = setTimeout(() => {
    due = undefined;
    for (const [port, rights] of open) port.postMessage(viewFor(port, rights, link));
  }, SHOW_MS);
}

function viewFor(port: chrome.runtime.Port, rights: Rights, link: Link): PopupView {
  const common = {
    link: link.state,
    settings: settings.value,
    fallbackLabel: browserName() || strings.defaultLabel,
    everything: stops().everything,
    pairing: pairingView(),
  };
  if (rights === "tighten") {
    // What is in a tab can be seen by others: nothing that tells of the user or lets a page pose as us.
    const none = { tabs: [], agents: [], prompts: [], quiet: [], activity: [], contacts: [] };
    return { ...common, ...none, leaves: [], secretLeaves: [], rules: null, sign: null };
  }
  const lately = activities();
  return {
    ...common,
    tabs: shownTabs(),
    agents: agentsOf(entries(), lately, stops(), Date.now()),
    prompts: asks().open.map((ask) => ({ ask, choices: choicesOf(ask, asks()) })),
    quiet: Object.entries(asks().quiet)
      .filter(([, quiet]) => quiet.until > Date.now())
      .map(([asker, quiet]) => ({ asker, ...quiet })),
    rules: siteRules(),
    sign: sign(),
    contacts: contacts().list,
    leaves: leaves(),
    secretLeaves: secretLeaves(),
    activity: port.name === PANEL_PORT ? lately : [],
  };
}

function shownTabs(): PopupTab[] {
  const listed = entries().map(
    ([tab, entry]): PopupTab => ({
      tab,
      number: entry.number,
      holder: entry.holder?.label ?? null,
      own: entry.own,
      shared: entry.shared,
      stopped: stoppedTabs().includes(tab),
    }),
  );
  const others = stoppedTabs().filter((tab) => !listed.some((one) => one.tab === tab));
  const bare = { number: null, holder: null, own: false, shared: false, stopped: true };
  return [...listed, ...others.map((tab): PopupTab => ({ tab, ...bare }))];
}
