//! The list of tabs: those of agents first, then the user's own with a switch each.

import { OWN_ORIGIN, runtime, type Tab } from "../chrome";
import { button, element, iconButton, type Piece, put, said } from "../dom";
import type { PopupTab, PopupView } from "../popup-wire";
import { strings } from "../strings";
import { shown } from "../text";
import { mayTouch } from "../url-rule";
import { CROSS } from "./icons";
import type { Tell } from "./port";

/** A tab as it is shown. */
interface Row {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly entry: PopupTab | null;
  readonly every: boolean;
}

/** Shows, searches and shares tabs. */
export class TabList {
  readonly #tell: Tell;
  readonly #root: HTMLElement;
  readonly #list = element("ul", { id: "tabs", class: "card rows tabs" });
  readonly #none = element("p", { class: "empty", role: "status" });
  readonly #all = element("span", {});
  readonly #search: HTMLInputElement;
  #rows: readonly Row[] = [];

  constructor(tell: Tell) {
    this.#tell = tell;
    this.#search = element("input", {
      type: "search",
      id: "search",
      placeholder: strings.search,
      "aria-label": strings.search,
      autocomplete: "off",
      spellcheck: "false",
    });
    this.#search.addEventListener("input", () => this.#draw());
    this.#list.setAttribute("aria-labelledby", "tabs-title");
    this.#root = element(
      "section",
      {},
      element(
        "div",
        { class: "heading" },
        element("h2", { id: "tabs-title" }, strings.tabs),
        this.#all,
      ),
      this.#search,
      this.#list,
      this.#none,
    );
    this.#root.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The part of the page that it is. Always the same element: what is typed stays. */
  piece(view: PopupView, all: readonly Tab[]): Piece {
    const known = new Map(view.tabs.map((tab) => [tab.tab, tab]));
    const every = view.settings.sharing === "every";
    this.#rows = all
      .flatMap((tab): Row[] => {
        if (tab.id === undefined || tab.url?.startsWith(OWN_ORIGIN)) return [];
        const entry = known.get(tab.id) ?? null;
        return [
          { id: tab.id, title: tab.title || strings.untitled, url: tab.url ?? "", entry, every },
        ];
      })
      .sort((a, b) => rank(a) - rank(b));
    this.#draw();
    return { key: "tabs", of: 0, make: () => this.#root };
  }

  #draw(): void {
    const words = this.#search.value.trim().toLowerCase();
    const found = this.#rows.filter(({ title, url, entry }) =>
      `${title} ${url} ${entry?.holder ?? ""} ${entry?.number ?? ""}`.toLowerCase().includes(words),
    );
    put(
      this.#list,
      found.map((row) => ({ key: String(row.id), of: row, make: () => rowOf(row, this.#tell) })),
    );
    this.#list.hidden = found.length === 0;
    this.#none.hidden = found.length > 0;
    this.#none.textContent = this.#rows.length === 0 ? strings.noTabs : strings.noTabsFound;
    put(this.#all, [this.#shareAll(found)]);
  }

  /** Shares what is listed now, or takes it all back. */
  #shareAll(found: readonly Row[]): Piece | null {
    const own = found.filter((row) => row.entry?.own !== true && mayTouch(row.url));
    if (own.length === 0 || own[0]?.every === true) return null;
    const on = own.some((row) => row.entry?.shared !== true);
    const tabs = own.map((row) => row.id);
    return {
      key: "all",
      of: [on, tabs],
      make: () =>
        button(on ? strings.shareAll : strings.shareNone, "quiet", () =>
          this.#tell({ ask: "share_all", tabs, on }),
        ),
    };
  }

  /** Arrows go through the list, a slash to the search, Escape leaves what was searched. */
  #key(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.#search.value !== "") {
      this.#search.value = "";
      this.#draw();
      event.preventDefault();
      return;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const stops = [this.#search, ...this.#list.querySelectorAll<HTMLElement>("button:enabled")];
    const at = stops.findIndex((stop) => stop.matches(":focus"));
    stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus();
    event.preventDefault();
  }

  /** Puts the cursor into the search. */
  search(): void {
    this.#search.focus();
  }
}

/** Agents' tabs, then shared ones, then the others; each in the order of the browser. */
function rank(row: Row): number {
  if (row.entry?.own) return 0;
  return row.entry?.shared || row.entry?.holder ? 1 : 2;
}

function rowOf(row: Row, tell: Tell): HTMLElement {
  const { entry, title } = row;
  const holder = entry?.holder ?? (entry?.own ? strings.free : null);
  const number = entry?.number ?? null;
  return element(
    "li",
    { "data-own": entry?.own === true },
    element("img", { src: favicon(row.url), alt: "", width: "16", height: "16" }),
    element(
      "div",
      { class: "words" },
      element("div", { class: "name", title: shown(title) }, said(title)),
      element("div", { class: "place" }, said(placeOf(row.url))),
    ),
    entry?.stopped ? element("span", { class: "holder" }, strings.tabStopped) : null,
    holder === null || entry?.stopped
      ? null
      : element("span", { class: "holder", title: shown(holder) }, said(holder, 40)),
    number === null
      ? null
      : element(
          "span",
          { class: "number" },
          element("span", { "aria-hidden": "true" }, String(number)),
          element("span", { class: "visually-hidden" }, strings.tabNumber(number)),
        ),
    control(row, tell),
  );
}

function control(row: Row, tell: Tell): HTMLElement {
  const { entry, id } = row;
  const title = shown(row.title, 60);
  if (entry?.stopped) {
    return button(
      strings.letOnTabShort,
      "quiet",
      () => tell({ ask: "halt_tab", tab: id, on: false }),
      strings.letOnTab(title),
    );
  }
  if (entry?.own) {
    return iconButton(CROSS, strings.takeBack(title), () =>
      tell({ ask: "halt_tab", tab: id, on: true }),
    );
  }
  return toggle(row, title, tell);
}

function toggle(row: Row, title: string, tell: Tell): HTMLElement {
  const allowed = mayTouch(row.url);
  const on = row.every || row.entry?.shared === true;
  const made = element("button", {
    type: "button",
    class: "switch",
    "data-key": `share-${row.id}`,
    role: "switch",
    "aria-checked": String(on && allowed),
    "aria-label": strings.share(title),
    title: allowed ? (on ? strings.shared : strings.private) : strings.protectedTab,
    disabled: !allowed || row.every,
  });
  made.addEventListener("click", () => tell({ ask: "share", tab: row.id, on: !on }));
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
