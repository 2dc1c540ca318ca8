//! The profile's name, to be changed where it stands.

import type { PopupView } from "../popup-wire";
import { strings } from "../strings";
import type { Tell } from "./port";

/** Fills the field, unless somebody types in it. */
export function drawName(field: HTMLElement, view: PopupView, tell: Tell): void {
  if (!(field instanceof HTMLInputElement) || field === document.activeElement) return;
  field.setAttribute("aria-label", strings.label);
  field.title = strings.label;
  field.placeholder = view.fallbackLabel;
  field.value = view.settings.label;
  field.onchange = () => tell({ ask: "label", label: field.value });
  field.onkeydown = (event) => {
    if (event.key === "Enter") field.blur();
  };
}
