//! The worker: every listener, registered at once on each wake, and the link. Keeps nothing that it
//! cannot lose; what must outlive it is in `stored.ts`.

import { whenAlive } from "./alive";
import { onAsksChanged } from "./asks-store";
import { attachments, detachLater } from "./attachment";
import { showBadge } from "./badge";
import { boot } from "./book";
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
import { pinDaemon, pinnedDaemon, profileKeys } from "./identity";
import { keepKeeper } from "./keeper";
import { ALARM_PACKED_MINUTES, ALARM_UNPACKED_MINUTES } from "./limits";
import { Link } from "./link";
import { enrol } from "./native";
import { emitFor, sendEventsTo } from "./outbox";
import { PANEL_PORT, POPUP_PORT } from "./popup-wire";
import { watchRequests } from "./requests";
import { profileLabel, settings } from "./settings";
import { onNavigation, onOpenedBy, onTabRemoved, onTabReplaced, onTabUpdated } from "./tab-events";
import { dial, probe } from "./transport";
import { onPopup, rightsOfPage, showPopups } from "./ui";
import { grant } from "./ui-acts";
import { answer, cancel, cancelAll } from "./verbs";
import { tellTab } from "./verbs/tabs";
import { onActivated, onFocused, readViews } from "./view";
import { sleep } from "./wait";
import { onInstalled, welcome } from "./welcome";

const ALARM = "search";
const KEEPER_PORT = "keeper";

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
    consented: () => (settings.value.consent ? Promise.resolve() : grant(true)),
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
      if (state.is === "connected") retellAttachments();
      else cancelAll();
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
onAsksChanged(show);
sendEventsTo((event) => link.send({ t: "event", event }));

function show(): void {
  showPopups(link);
  void showBadge(link.state).catch(() => undefined);
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
    // Its coming has woken the worker: that is all it is for.
    kick();
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
  await readViews();
  await keepKeeper();
  show();
});
