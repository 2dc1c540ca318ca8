//! What our own pages ask for, done. Whether a page may ask was decided before. Nothing that a page
//! sends is taken as it is: names, rules and ids are read again here.

import { dropSites, revoke } from "./approvals-store";
import { settle } from "./asks-store";
import { attachments, detach } from "./attachment";
import { known } from "./book";
import { tabs } from "./chrome";
import { keepFence } from "./fence";
import { admitWaiting, forgetContact } from "./first-contact";
import { disconnect, haltAll, haltClient, haltTab } from "./halting";
import { keepKeeper } from "./keeper";
import { CLIENT_CHARS } from "./limits";
import type { Link } from "./link";
import { emit } from "./outbox";
import { forgetPairing, pair } from "./pair-ask";
import type { PopupAsk } from "./popup-wire";
import { asRule, parsePattern, withKind, withRule } from "./rules";
import { changeRules } from "./rules-store";
import { disallow } from "./secret-leave";
import { KINDS } from "./sensitive";
import { profileLabel, settings } from "./settings";
import { changeSign, readSign } from "./sign";
import type { Halt } from "./stops";
import { share, tellTab } from "./verbs/tabs";

const LABEL_CHARS = 60;

/** Does what a page asked for. `show` is called when there is something to show before it is done. */
export async function act(message: PopupAsk, link: Link, show: () => void): Promise<void> {
  switch (message.ask) {
    case "consent":
      await grant(message.granted === true);
      return message.granted === true ? admitWaiting() : undefined;
    case "label":
      return rename(String(message.label));
    case "share":
      return share(Number(message.tab), message.on === true);
    case "share_all":
      await Promise.all(message.tabs.map((tab) => share(Number(tab), message.on === true)));
      return;
    case "sharing":
      return setSharing(message.sharing);
    case "shield":
      return settings.change((value) => {
        value.shield = message.on === true;
      });
    case "cursor":
      return settings.change((value) => {
        value.cursor = message.on === true;
      });
    case "quiet":
      return setQuiet(message.on === true);
    case "halt_all":
      return haltAll(readHalt(message.halt));
    case "halt":
      return haltClient(String(message.client).slice(0, CLIENT_CHARS), readHalt(message.halt));
    case "halt_tab":
      return haltTab(Number(message.tab), message.on === true);
    case "disconnect":
      return disconnect(String(message.client));
    case "decide":
      return settle(String(message.id), message.decision, readChoice(message.choice));
    case "forget_contact":
      return forgetContact(String(message.client), String(message.program));
    case "revoke":
      return revoke(String(message.key));
    case "revoke_secret":
      return disallow(String(message.key));
    case "notify":
      return settings.change((value) => {
        value.notify = message.on === true;
      });
    case "rule":
      return setRule(String(message.pattern), message.rule);
    case "kind":
      return setKind(message.kind, message.rule);
    case "sign": {
      const sign = readSign(message.sign);
      return sign ? changeSign(sign) : undefined;
    }
    case "seen_repinned":
      return settings.change((value) => {
        value.repinned = false;
      });
    case "retry":
      return link.restart();
    case "renew":
      return forgetPairing(link);
    case "pair":
      return pair(String(message.code), link, show);
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

async function rename(typed: string): Promise<void> {
  await settings.change((value) => {
    value.label = typed.trim().slice(0, LABEL_CHARS);
  });
  emit({ event: "label", label: profileLabel() });
}

async function setQuiet(on: boolean): Promise<void> {
  await settings.change((value) => {
    value.quiet = on;
  });
  if (!on) return;
  // One with an open dialog stays until that is answered: else nobody could.
  await Promise.all(attachments().map(([tab]) => detach(tab)));
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

async function setRule(typed: string, asked: unknown): Promise<void> {
  const read = parsePattern(typed);
  const rule = asRule(asked);
  if ("problem" in read || (rule === null && asked !== null)) return;
  await changeRules((rules) => withRule(rules, read.pattern, rule));
  await rulesChanged();
}

async function setKind(asked: unknown, wanted: unknown): Promise<void> {
  const kind = KINDS.find((known) => known === asked);
  const rule = asRule(wanted);
  if (!kind || !rule) return;
  await changeRules((rules) => withKind(rules, kind, rule));
  await rulesChanged();
}

/** What was allowed under other rules is asked anew; what a rule hides now is told as gone. */
async function rulesChanged(): Promise<void> {
  await Promise.all([dropSites(), keepFence()]);
  const all = await tabs.query({});
  await Promise.all(all.map(({ id }) => (id === undefined ? undefined : tellTab(id))));
}

function readChoice(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}

function readHalt(value: unknown): Halt | null {
  return value === "stop" || value === "pause" ? value : null;
}

/** No debugger stays where agents may do nothing. */
async function letGo(): Promise<void> {
  await Promise.all(attachments().map(([tab]) => detach(tab)));
}
