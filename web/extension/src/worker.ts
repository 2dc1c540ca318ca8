//! The worker: every listener, registered at once on each wake, and the link. Keeps nothing that it
//! cannot lose; what must outlive it is in `stored.ts`.

import { whenAlive } from "./alive";
import { onAnswer, resumeQuestions } from "./asking";
import { onAsksChanged, onDecision, onRaised } from "./asks-store";
import { attachments, detachLater, tellLost } from "./attachment";
import { showBadge } from "./badge";
import { boot, entries } from "./book";
import {
  alarms,
  debuggerApi,
  downloads,
  isUnpacked,
  runtime,
  storage,
  tabs,
  webNavigation,
  webRequest,
  windows,
} from "./chrome";
import { onDebuggerDetach, onDebuggerEvent, retellAttachments } from "./debugger-events";
import { noteDownload, onDownloadChanged, onDownloadCreated } from "./downloads";
import { fenceLater } from "./fence";
import { admitEveryone, onContact } from "./first-contact";
import { haltTab, pauseTab } from "./halting";
import { pinDaemon, pinnedDaemon, profileKeys } from "./identity";
import { keepKeeper } from "./keeper";
import { isAgents, onKeeper, type Told } from "./keeper-ports";
import { ALARM_PACKED_MINUTES, ALARM_UNPACKED_MINUTES } from "./limits";
import { Link } from "./link";
import { resumeMocks } from "./mock";
import { enrol } from "./native";
import { hearClicks, notify, unnotify } from "./notify";
import { emitFor, sendEventsTo } from "./outbox";
import { PANEL_PORT, POPUP_PORT } from "./popup-wire";
import { watchRequests } from "./requests";
import { setSecretOrigins } from "./secret-store";
import { profileLabel, settings } from "./settings";
import { onShield, type ShieldTold } from "./shield";
import { onNavigation, onOpenedBy, onTabRemoved, onTabReplaced, onTabUpdated } from "./tab-events";
import { dial, probe } from "./transport";
import { isLookedAt, onPopup, rightsOfPage, showPopups } from "./ui";
import { grant } from "./ui-acts";
import { noteLink } from "./undo";
import { answer, cancel, cancelAll } from "./verbs";
import { tellTab } from "./verbs/tabs";
import { onActivated, onFocused, readViews } from "./view";
import { sleep } from "./wait";
import { onInstalled, welcome } from "./welcome";

const ALARM = "search";
const KEEPER_PORT = "keeper";
const SHIELD_PORT = "shield";

// Before anything else: page worlds of the debugger's reach must not read or write what we keep.
const closed = { accessLevel: "TRUSTED_CONTEXTS" } as const;
void storage.local.setAccessLevel(closed);
void storage.session.setAccessLevel(closed);

const link = new Link(
  {
    ext: runtime.getManifest().version,
    caps: [],
    probe,
    dial,
    enrol,
    keys: profileKeys,
    pinned: pinnedDaemon,
    pin: pinDaemon,
    self: async () => ({
      boot: boot(),
      label: profileLabel(),
      consent: settings.value.consent,
    }),
    mayAskInSilence: onceARun,
    consented: async (how) => {
      if (how === "launched") await admitEveryone();
      if (!settings.value.consent) await grant(true);
    },
    now: () => Date.now(),
    sleep,
  },
  {
    frame: (frame) => {
      if (frame.t === "cancel") return cancel(frame.id);
      if (frame.t !== "request") return;
      void answer(frame).then((reply) => {
        if (reply) link.send(reply);
        show();
      });
    },
    state: (state) => {
      if (state.is === "connected") {
        retellAttachments();
        whenAlive(() => tellLost(entries().map(([tab]) => tab)));
        // The daemon tells of sites again, if there are any.
        void setSecretOrigins([]);
      } else {
        cancelAll();
      }
      noteLink(state.is === "connected");
      show();
      whenAlive(() => welcome(state));
    },
    repinned: () => {
      void settings.change((value) => {
        value.repinned = true;
      });
    },
  },
);
onAsksChanged(() => {
  show();
  void unnotify();
});
onRaised(() => void notify(isLookedAt()).catch((error) => console.warn("pillion: notify", error)));
onDecision((id, decision, ask, choice) =>
  whenAlive(async () => {
    if (ask.kind === "ask") return onAnswer(id, decision, choice);
    const letIn = ask.kind === "first_contact" && (await onContact(ask, decision));
    // The same click is the profile's own consent.
    if (letIn && !settings.value.consent) await grant(true);
  }),
);
sendEventsTo((event) => link.send({ t: "event", event }));

function show(): void {
  showPopups(link);
  void showBadge(link.state).catch(() => undefined);
}

/** What the user did in an agent's tab. It can only lessen what agents may do. */
function onKeeperTold(tab: number, what: Told): void {
  if (!isAgents(tab)) return;
  if (what === "s") whenAlive(() => haltTab(tab, true).then(show));
  else emitFor(tab, { event: "user_input", tab, kind: what === "k" ? "keys" : "pointer" });
}

function onShieldTold(tab: number, what: ShieldTold): void {
  whenAlive(() => (what === "take" ? haltTab(tab, true) : pauseTab(tab)).then(show));
}

/** Whether it is the first time in this run of the browser. */
async function onceARun(): Promise<boolean> {
  const key = "asked";
  const asked = (await storage.session.get(key))[key] === true;
  if (!asked) await storage.session.set({ [key]: true });
  return !asked;
}

const kick = () => whenAlive(() => void link.kick());

runtime.onStartup.addListener(kick);
runtime.onInstalled.addListener(({ reason }) =>
  whenAlive(async () => {
    await onInstalled(reason);
    await welcome(link.state);
    kick();
  }),
);
alarms.onAlarm.addListener(kick);

runtime.onConnect.addListener((port) => {
  const rights = rightsOfPage(port.sender);
  if ((port.name === POPUP_PORT || port.name === PANEL_PORT) && rights !== null) {
    whenAlive(() => onPopup(port, rights, link));
  } else if (port.name === KEEPER_PORT && port.sender?.tab) {
    // Its coming has woken the worker.
    kick();
    whenAlive(() => onKeeper(port, onKeeperTold));
  } else if (port.name === SHIELD_PORT && port.sender?.tab) {
    whenAlive(() => onShield(port, onShieldTold));
  } else {
    port.disconnect();
  }
});

tabs.onUpdated.addListener((tab, change) => whenAlive(() => onTabUpdated(tab, change)));
tabs.onRemoved.addListener((tab) => whenAlive(() => onTabRemoved(tab).then(show)));
tabs.onReplaced.addListener((now, old) => whenAlive(() => onTabReplaced(now, old)));
tabs.onActivated.addListener(({ tabId, windowId }) => {
  for (const tab of onActivated(tabId, windowId)) whenAlive(() => tellTab(tab));
});
windows.onFocusChanged.addListener(onFocused);

webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) =>
  whenAlive(() => onOpenedBy(sourceTabId, tabId)),
);
webNavigation.onBeforeNavigate.addListener((d) => whenAlive(() => onNavigation("started", d)));
webNavigation.onCommitted.addListener((d) => whenAlive(() => onNavigation("committed", d)));
webNavigation.onDOMContentLoaded.addListener((d) => whenAlive(() => onNavigation("ready", d)));
webNavigation.onCompleted.addListener((d) => whenAlive(() => onNavigation("complete", d)));
webNavigation.onErrorOccurred.addListener((d) => whenAlive(() => onNavigation("failed", d)));
webNavigation.onHistoryStateUpdated.addListener((d) =>
  whenAlive(() => onNavigation("same_document", d)),
);
webNavigation.onReferenceFragmentUpdated.addListener((d) =>
  whenAlive(() => onNavigation("same_document", d)),
);

webRequest.onHeadersReceived.addListener(
  ({ tabId, url, statusCode, type }) => {
    whenAlive(() => {
      noteDownload(tabId, url);
      if (type !== "main_frame") return;
      emitFor(tabId, { event: "status", tab: tabId, url, status: statusCode });
    });
    return undefined;
  },
  { urls: ["<all_urls>"], types: ["main_frame", "sub_frame", "other"] },
);

webRequest.onCompleted.addListener(
  ({ tabId, url, statusCode, fromCache }) => {
    // What comes from the cache has no headers to receive.
    if (!fromCache) return;
    whenAlive(() => emitFor(tabId, { event: "status", tab: tabId, url, status: statusCode }));
  },
  { urls: ["<all_urls>"], types: ["main_frame"] },
);

hearClicks();
// At once, so that a request wakes the worker; `keepKeeper` ends it when no tab is known.
watchRequests(true);

downloads.onCreated.addListener((item) => whenAlive(() => onDownloadCreated(item)));
downloads.onChanged.addListener((delta) => whenAlive(() => onDownloadChanged(delta)));

debuggerApi.onEvent.addListener((source, method, params) => {
  const { tabId, sessionId } = source as { tabId?: number; sessionId?: string };
  if (tabId === undefined) return;
  whenAlive(() => onDebuggerEvent(tabId, sessionId, method, { ...params }));
});
debuggerApi.onDetach.addListener(({ tabId }, reason) => {
  if (tabId !== undefined) whenAlive(() => onDebuggerDetach(tabId, reason));
});

void alarms.create(ALARM, {
  periodInMinutes: isUnpacked() ? ALARM_UNPACKED_MINUTES : ALARM_PACKED_MINUTES,
});

whenAlive(async () => {
  kick();
  for (const [tab] of attachments()) detachLater(tab);
  void resumeMocks();
  // Before anybody acts again: what Chrome was given is not known to this worker.
  fenceLater();
  await resumeQuestions();
  await readViews();
  await keepKeeper();
  show();
});
