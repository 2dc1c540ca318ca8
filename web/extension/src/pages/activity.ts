//! What agents do, as it happens: each call, how it ended, how long it took, and what was answered.

import type { Activity } from "../../../wire/activity";
import { choice, element, type Piece, put, said } from "../dom";
import { strings } from "../strings";
import { duration, shown, shownLines, size } from "../text";

const AGENT_CHARS = 30;
const ABOUT_CHARS = 200;
const RECEIPT_LINES = 12;
const RECEIPT_CHARS = 200;
const EVERYBODY = "";

/** The list, newest first, of one agent or of all. */
export class ActivityList {
  readonly #filter = element("div", { class: "filter" });
  readonly #list = element("ol", { class: "card rows calls", "aria-label": strings.activity });
  readonly #none = element("p", { class: "empty" });
  #agent = EVERYBODY;
  #entries: readonly Activity[] = [];

  constructor(place: HTMLElement) {
    place.append(this.#filter, this.#list, this.#none);
  }

  /** What there is now. */
  show(entries: readonly Activity[]): void {
    this.#entries = entries;
    const agents = [...new Set(entries.map(({ agent }) => agent))].sort();
    if (!agents.includes(this.#agent)) this.#agent = EVERYBODY;
    put(this.#filter, [agents.length > 1 ? this.#chooser(agents) : null]);
    this.#draw();
  }

  #chooser(agents: readonly string[]): Piece {
    const values = [EVERYBODY, ...agents];
    const words = Object.fromEntries(agents.map((agent) => [agent, shown(agent, AGENT_CHARS)]));
    return {
      key: "filter",
      of: agents,
      make: () =>
        element(
          "div",
          { class: "line" },
          element("label", { for: "filter" }, strings.filterAgents),
          choice(
            { id: "filter", "data-key": "filter" },
            values,
            { ...words, [EVERYBODY]: strings.allAgents },
            this.#agent,
            (agent) => {
              this.#agent = agent;
              this.#draw();
            },
          ),
        ),
    };
  }

  #draw(): void {
    const meant = this.#entries.filter(
      ({ agent }) => this.#agent === EVERYBODY || agent === this.#agent,
    );
    const newest = [...meant].reverse();
    put(
      this.#list,
      newest.map((entry) => ({
        key: `${entry.session} ${entry.id} ${entry.atMs}`,
        of: entry,
        make: () => rowOf(entry),
      })),
    );
    this.#list.hidden = newest.length === 0;
    this.#none.hidden = newest.length > 0;
    this.#none.textContent = this.#agent === EVERYBODY ? strings.noActivity : strings.noActivityOf;
  }
}

function rowOf(entry: Activity): HTMLElement {
  const { ended } = entry;
  const state = !ended ? "running" : ended.code ? "failed" : "done";
  const lines = shownLines(ended?.words ?? "", RECEIPT_LINES, RECEIPT_CHARS);
  return element(
    "li",
    { class: "call", "data-state": state },
    element("span", { class: "dot" }),
    element(
      "div",
      { class: "words" },
      element(
        "div",
        { class: "head" },
        element("span", { class: "name" }, said(strings.doing(entry.tool), 40)),
        typeof entry.tab === "number" ? numberOf(entry.tab) : null,
        element("time", { datetime: new Date(entry.atMs).toISOString() }, clock(entry.atMs)),
      ),
      entry.about === ""
        ? null
        : element("div", { class: "about" }, said(entry.about, ABOUT_CHARS)),
      element("div", { class: "place" }, ...outcome(entry)),
      lines.length > 0 ? receipt(lines) : null,
    ),
  );
}

function outcome(entry: Activity): (Node | string)[] {
  const { ended } = entry;
  const parts: (Node | string)[] = [said(entry.agent, AGENT_CHARS)];
  if (entry.site) parts.push(" · ", said(hostOf(entry.site), 60));
  if (!ended) return [...parts, " · ", strings.running];
  const how = ended.code ?? strings.ok;
  const told = strings.chars(size(ended.chars));
  parts.push(" · ", element("span", { class: "how" }, shown(how, 40)));
  return [...parts, ` · ${duration(ended.tookMs)} · ${told}`];
}

function receipt(lines: readonly string[]): HTMLElement {
  const body = lines.map((line) => element("div", {}, element("bdi", {}, line)));
  return element(
    "details",
    {},
    element("summary", {}, strings.receipt),
    element("div", { class: "receipt" }, ...body),
  );
}

function numberOf(tab: number): HTMLElement {
  return element(
    "span",
    { class: "number" },
    element("span", { "aria-hidden": "true" }, String(tab)),
    element("span", { class: "visually-hidden" }, strings.tabNumber(tab)),
  );
}

function hostOf(site: string): string {
  return URL.canParse(site) ? new URL(site).host : site;
}

function clock(atMs: number): string {
  return new Date(atMs).toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}
