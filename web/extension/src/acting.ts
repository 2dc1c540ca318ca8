//! What surrounds an act in a tab: its input is announced to the keepers, the shield is shown, and
//! pictures are taken without it. Costs an act no round trip: it only posts.

import type { Asker } from "../../wire/link";
import type { PageCall } from "../../wire/page";
import type { CdpCommand, Verb } from "../../wire/verb";
import { known } from "./book";
import { expectedAt, expectedOf, pointedBy } from "./expected";
import { announce, announceEnd, announceSoon } from "./keeper-ports";
import { settings } from "./settings";
import { beginShield, pointTo, withoutShield } from "./shield";

/** Page calls that do something, or are the first half of something. */
const PAGE_ACTS: readonly PageCall["op"][] = ["prepare", "fill", "focus", "scroll"];
const PICTURES = /^Page\.(capture|print)/;

/** Does a verb, with what belongs around it. */
export async function around<T>(
  verb: Verb,
  asker: Asker | null,
  work: () => Promise<T>,
): Promise<T> {
  if (verb.verb === "screenshot") return withoutShield(verb.tab, work);
  if (verb.verb === "cdp" && verb.commands.some(({ method }) => PICTURES.test(method))) {
    return withoutShield(verb.tab, work);
  }
  if (!isAct(verb)) return work();
  const end = beginShield(verb.tab, asker?.client ?? known(verb.tab)?.holder?.label ?? null);
  try {
    if (verb.verb === "cdp") return await announced(verb.tab, verb.commands, work);
    const value = await work();
    if (verb.verb === "page" && verb.call.op === "prepare" && verb.call.act === "click") {
      const list = expectedAt(value);
      if (list) announceSoon(verb.tab, list, settings.value.shield);
    }
    return value;
  } finally {
    end();
  }
}

type Act = Extract<Verb, { tab: number }>;

function isAct(verb: Verb): verb is Act {
  switch (verb.verb) {
    case "page":
      return PAGE_ACTS.includes(verb.call.op);
    case "cdp":
      return expectedOf(verb.commands) !== null;
    case "navigate":
    case "history":
    case "evaluate":
    case "dialog":
    case "upload":
      return true;
    default:
      return false;
  }
}

async function announced<T>(
  tab: number,
  commands: readonly CdpCommand[],
  work: () => Promise<T>,
): Promise<T> {
  const at = pointedBy(commands);
  if (at) pointTo(tab, at);
  announce(tab, expectedOf(commands) ?? [], settings.value.shield);
  try {
    return await work();
  } finally {
    announceEnd(tab);
  }
}
