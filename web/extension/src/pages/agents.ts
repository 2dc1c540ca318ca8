//! The agents of the profile: what each does now, and the three things that can be done about it.

import type { AgentView } from "../agents";
import { button, element, type Piece, put, said } from "../dom";
import type { PopupView } from "../popup-wire";
import type { Halt } from "../stops";
import { strings } from "../strings";
import { shown } from "../text";
import type { Tell } from "./port";

const NAME_CHARS = 40;
const ABOUT_CHARS = 80;

/** All agents, or the words that there is none. */
export function agentsSection(view: PopupView, tell: Tell): Piece {
  return {
    key: "agents",
    of: [view.everything, view.agents.map(essence)],
    make: () => {
      const heading = element("h2", { id: "agents-title" }, strings.agents);
      if (view.agents.length === 0) {
        return element("section", {}, heading, element("p", { class: "empty" }, strings.noAgents));
      }
      const list = element("ul", { class: "card rows", "aria-labelledby": "agents-title" });
      put(
        list,
        view.agents.map((agent) => ({
          key: agent.client,
          of: 0,
          make: () => row(agent, view.everything, tell),
        })),
      );
      return element("section", {}, heading, list);
    },
  };
}

/** What a row shows; the rest may change without a new row. */
function essence(agent: AgentView): unknown {
  const { client, tabs, doing, last, halt } = agent;
  return [client, tabs, doing?.tool, doing?.about, last?.tool, halt];
}

function row(agent: AgentView, everything: Halt | null, tell: Tell): HTMLElement {
  const { client } = agent;
  return element(
    "li",
    { class: "agent", "data-halt": agent.halt, "data-busy": agent.doing !== null },
    element("span", { class: "dot" }),
    element(
      "div",
      { class: "words" },
      element("div", { class: "name" }, said(client, NAME_CHARS)),
      now(agent),
    ),
    resumption(agent, everything, tell),
    element("div", { class: "acts" }, ...actions(agent, tell)),
  );
}

/** What holds for all is lifted for all, at the top of the page. */
function resumption(agent: AgentView, everything: Halt | null, tell: Tell): HTMLElement | null {
  const { client, halt } = agent;
  if (halt === null || everything !== null) return null;
  const resume = () => tell({ ask: "halt", client, halt: null });
  return button(strings.resume, "plain", resume, strings.resumeAgent(shown(client, NAME_CHARS)));
}

/** Each keeps its place whatever holds: the second half of a double click must not hit another one. */
function actions(agent: AgentView, tell: Tell): HTMLElement[] {
  const { client, halt } = agent;
  const name = shown(client, NAME_CHARS);
  const set = (halt: Halt) => () => tell({ ask: "halt", client, halt });
  const pause = button(strings.pause, "plain", set("pause"), strings.pauseAgent(name));
  const stop = button(strings.stop, "danger", set("stop"), strings.stopAgent(name));
  const leave = button(
    strings.disconnect,
    "plain",
    () => tell({ ask: "disconnect", client }),
    strings.disconnectAgent(name),
  );
  pause.disabled = halt !== null;
  stop.disabled = halt === "stop";
  return [pause, stop, leave];
}

function now(agent: AgentView): HTMLElement {
  const where = agent.tabs.length > 0 ? ` · ${strings.inTabs(agent.tabs)}` : "";
  if (agent.halt !== null) {
    return element("div", { class: "place" }, strings.haltedAgent[agent.halt], where);
  }
  const { doing, last } = agent;
  if (doing) {
    const inTab = typeof doing.tab === "number" ? ` · ${strings.inTab(doing.tab)}` : where;
    const what = strings.doing(shown(doing.tool));
    return element(
      "div",
      { class: "place now" },
      said(`${what} ${doing.about}`, ABOUT_CHARS),
      inTab,
    );
  }
  const rest = last ? strings.lastDid(strings.doing(shown(last.tool))) : strings.idle;
  return element("div", { class: "place" }, rest, where);
}
