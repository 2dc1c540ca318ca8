//! Writes a field's value behind the page's back and tells the page as a browser would: through the
//! prototype's own setter, so that frameworks that watch the element see a change.

function setterOf(prototype: object, name: string): (this: object, value: unknown) => void {
  return Object.getOwnPropertyDescriptor(prototype, name)?.set ?? (() => undefined);
}

function getterOf(prototype: object, name: string): (this: object) => unknown {
  return Object.getOwnPropertyDescriptor(prototype, name)?.get ?? (() => "");
}

const SET_INPUT = setterOf(HTMLInputElement.prototype, "value");
const SET_AREA = setterOf(HTMLTextAreaElement.prototype, "value");
const GET_INPUT = getterOf(HTMLInputElement.prototype, "value");
const GET_AREA = getterOf(HTMLTextAreaElement.prototype, "value");
const SET_SELECTED = setterOf(HTMLOptionElement.prototype, "selected");
const CLICK = HTMLElement.prototype.click;
const FOCUS = HTMLElement.prototype.focus;

/** A field of text or of one of the typed values. */
export type ValueField = HTMLInputElement | HTMLTextAreaElement;

/** Whether the element is one. */
export function isValueField(element: Element): element is ValueField {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}

/** The value that the browser holds, whatever the page defined on the element. */
export function heldValue(field: ValueField): string {
  return String((field instanceof HTMLInputElement ? GET_INPUT : GET_AREA).call(field));
}

/** Sets the value without telling anybody. */
export function setValue(field: ValueField, value: string): void {
  (field instanceof HTMLInputElement ? SET_INPUT : SET_AREA).call(field, value);
}

/** Sets the value and fires `input` and `change`. */
export function setValueLoudly(field: ValueField, value: string): void {
  setValue(field, value);
  tellInput(field, value);
  tellChange(field);
}

/** Selects or deselects an option without telling anybody. */
export function setSelected(option: HTMLOptionElement, selected: boolean): void {
  SET_SELECTED.call(option, selected);
}

/** Fires `input`. */
export function tellInput(element: Element, data: string | null = null): void {
  const inputType = data === null ? "insertReplacementText" : "insertText";
  element.dispatchEvent(
    new InputEvent("input", { bubbles: true, composed: true, data, inputType }),
  );
}

/** Fires `change`. */
export function tellChange(element: Element): void {
  element.dispatchEvent(new Event("change", { bubbles: true }));
}

/** A press as `click()` makes it, also where the page hides that method. */
export function click(element: HTMLElement): void {
  CLICK.call(element);
}

/** Focus without scrolling. */
export function focus(element: Element): void {
  if (element instanceof HTMLElement || element instanceof SVGElement) {
    FOCUS.call(element, { preventScroll: true });
  }
}
