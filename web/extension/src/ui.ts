//! The worker's side of the popup. Only the extension's own pages outside of tabs are heard: a page,
//! or a frame of ours in a page, can loosen nothing.

import { attachments, detach } from "./attachment";
import { entries, known } from "./book";
import { OWN_ORIGIN, runtime, tabs } from "./chrome";
import { forgetIdentity } from "./identity";
import { keepKeeper } from "./keeper";
import type { Link } from "./link";
import { emit } from "./outbox";
import { forgetPairing, pair, pairingView } from "./pair-ask";
import type { PopupAsk, PopupTab, PopupView } from "./popup-wire";
import { browserName, profileLabel, settings } from "./settings";
import { strings } from "./strings";
import { share, tellTab } from "./verbs/tabs";

const LABEL_CHARS = 60;

const open = new Set<chrome.runtime.Port>();

/** Whether a port comes from the extension's own popup. */
export function isOwnPage(sender: chrome.runtime.MessageSender | undefined): boolean {
  return (
    sender?.id === runtime.id && sender.tab === undefined && !!sender.url?.startsWith(OWN_ORIGIN)
  );
}

/** A popup opened. */
export function onPopup(port: chrome.runtime.Port, link: Link): void {
  open.add(port);
  port.onDisconnect.addListener(() => open.delete(port));
  port.onMessage.addListener((message: PopupAsk) => {
    void act(message, link)
      .catch((error) => console.warn("pillion: popup", error))
      .then(() => showPopups(link));
  });
  port.postMessage(view(link));
  void link.kick();
}

/** Tells every open popup where things stand. */
export function showPopups(link: Link): void {
  for (const port of open) port.postMessage(view(link));
}

function view(link: Link): PopupView {
  const shown = entries().map(
    ([tab, entry]): PopupTab => ({
      tab,
      number: entry.number,
      holder: entry.holder?.label ?? null,
      own: entry.own,
      shared: entry.shared,
    }),
  );
  return {
    link: link.state,
    settings: settings.value,
    fallbackLabel: browserName() || strings.defaultLabel,
    tabs: shown,
    pairing: pairingView(),
  };
}

async function act(message: PopupAsk, link: Link): Promise<void> {
  switch (message.ask) {
    case "consent":
      return grant(message.granted);
    case "label": {
      const label = String(message.label).trim().slice(0, LABEL_CHARS);
      await settings.change((value) => {
        value.label = label;
      });
      return emit({ event: "label", label: profileLabel() });
    }
    case "share":
      return share(Number(message.tab), message.on === true);
    case "sharing":
      return setSharing(message.sharing);
    case "seen_repinned":
      return settings.change((value) => {
        value.repinned = false;
      });
    case "retry":
      return link.restart();
    case "renew":
      await forgetIdentity();
      return link.restart();
    case "pair":
      return pair(String(message.code), link, () => showPopups(link));
    case "forget_pairing":
      await grant(false);
      return forgetPairing(link);
  }
}

/** The user lets agents use this profile, or no longer. */
export async function grant(granted: boolean): Promise<void> {
  await settings.change((value) => {
    value.consent = granted;
  });
  emit({ event: "consent", granted });
  if (!granted) await letGo();
}

async function setSharing(sharing: "chosen" | "every" | "paused"): Promise<void> {
  if (!["chosen", "every", "paused"].includes(sharing)) return;
  const all = await tabs.query({});
  const before = new Set(
    all.filter((tab) => tab.id !== undefined && known(tab.id)).map((t) => t.id),
  );
  await settings.change((value) => {
    value.sharing = sharing;
  });
  if (sharing === "paused") await letGo();
  await keepKeeper();
  for (const { id } of all) {
    if (id === undefined) continue;
    if (known(id)) await tellTab(id);
    else if (before.has(id)) emit({ event: "tab_gone", tab: id, unshared: true });
  }
}

/** No debugger stays where agents may do nothing. */
async function letGo(): Promise<void> {
  await Promise.all(attachments().map(([tab]) => detach(tab)));
}
