//! Two or more parts of a page of which one is shown: a list of tabs as the ARIA practices describe it.

import { element } from "../dom";

/** One part. */
export interface Part {
  readonly words: string;
  readonly shows: HTMLElement;
}

export class Switcher {
  readonly #buttons: readonly HTMLButtonElement[];
  readonly #parts: readonly Part[];

  constructor(place: HTMLElement, parts: readonly Part[]) {
    this.#parts = parts;
    this.#buttons = parts.map(({ words, shows }, index) => {
      const made = element(
        "button",
        { type: "button", role: "tab", id: `tab-${shows.id}`, "aria-controls": shows.id },
        words,
      );
      made.addEventListener("click", () => this.#choose(index));
      shows.setAttribute("role", "tabpanel");
      shows.setAttribute("aria-labelledby", made.id);
      return made;
    });
    place.setAttribute("role", "tablist");
    place.append(...this.#buttons);
    place.addEventListener("keydown", (event) => this.#key(event));
    this.#choose(0);
  }

  #choose(index: number): void {
    for (const [at, button] of this.#buttons.entries()) {
      const chosen = at === index;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      const part = this.#parts[at];
      if (part) part.shows.hidden = !chosen;
    }
  }

  #key(event: KeyboardEvent): void {
    const at = this.#buttons.findIndex((button) => button.matches(":focus"));
    const last = this.#buttons.length - 1;
    const to = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (at < 0 || to === undefined) return;
    this.#choose(to);
    this.#buttons[to]?.focus();
    event.preventDefault();
  }
}
