//! Whether fields still hold what was filled in: pages check and rewrite a value when the next field
//! gets the focus, after the filling itself was read back.

import type { Kept } from "../../wire/page.ts";
import { editableOf, fieldOf } from "./field.ts";
import { isCheckable, isOn } from "./fill-check.ts";
import { heldValue } from "./fill-native.ts";
import { shownOf } from "./fill-select.ts";
import { isTextField, textIn } from "./fill-text.ts";
import { isWidget, shownIn } from "./fill-widget.ts";
import { elementOf } from "./registry.ts";
import { isMasked } from "./value.ts";

const filled = new Map<number, string>();
const FILLED_KEPT = 200;

/** Remembers what a field holds now that it was filled. */
export function noteFilled(id: number): void {
  const holds = holding(id);
  filled.delete(id);
  if (holds === null) return;
  filled.set(id, holds);
  const [oldest] = filled.keys();
  if (filled.size > FILLED_KEPT && oldest !== undefined) filled.delete(oldest);
}

/** Answers `kept`: those that hold something else by now. What is gone is not among them. */
export function kept(ids: readonly number[]): Kept[] {
  const others: Kept[] = [];
  for (const id of ids) {
    const [was, now] = [filled.get(id), holding(id)];
    if (was === undefined || now === null || was === now) continue;
    const element = elementOf(id);
    const isHidden = now !== "" && element !== null && isMasked(element);
    others.push({ id, holds: isHidden ? null : now });
  }
  return others;
}

function holding(id: number): string | null {
  const element = elementOf(id);
  if (!element) return null;
  const field = isWidget(element) ? element : (fieldOf(element) ?? element);
  if (field instanceof HTMLSelectElement) return shownOf(field);
  if (isCheckable(field)) return String(isOn(field));
  if (isWidget(field)) return shownIn(field).join(", ");
  if (isTextField(field)) return heldValue(field);
  const editable = editableOf(field);
  return editable ? textIn(editable) : null;
}
