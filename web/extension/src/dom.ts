//! Makes elements for the extension's own pages. Text is always text, never markup.

type Attributes = Readonly<Record<string, string | boolean | null>>;
type Child = Node | string | null;

/** An element; a `null` attribute or child is left out. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A button that does something. */
export function button(
  words: string,
  kind: "primary" | "plain" | "quiet",
  act: () => void,
): HTMLButtonElement {
  const made = element(
    "button",
    { type: "button", class: kind, id: words.replaceAll(/\W+/g, "-") },
    words,
  );
  made.addEventListener("click", act);
  return made;
}

/** Puts new children into a place and keeps focus on the element of the same id. */
export function replaceKeepingFocus(place: HTMLElement, children: readonly Child[]): void {
  const focused = document.activeElement?.id;
  const scrolled = [...place.querySelectorAll("ul")].map(
    (list) => [list.id, list.scrollTop] as const,
  );
  place.replaceChildren(...children.filter((child) => child !== null));
  for (const [id, top] of scrolled) {
    const list = document.getElementById(id);
    if (list) list.scrollTop = top;
  }
  if (focused) document.getElementById(focused)?.focus();
}
