//! What is true of an element, in the order in which it is printed.
//!
//! Native state wins over ARIA where HTML says so. Secrets are told by their length only.

import type { State } from "../../wire/page.ts";
import {
  activeElement,
  areaField,
  clip,
  elementById,
  getAttribute,
  getRootNode,
  HTML,
  hasAttribute,
  inputField,
  isDocument,
  isShadowRoot,
  localName,
  matches,
  namespaceURI,
  optionSelected,
  optionText,
  ownerDocument,
  referenced,
  selectField,
  squash,
} from "./dom.ts";
import { isHoverOpener, opensOnHover } from "./interactive.ts";
import { descriptionOf, namedBy } from "./name.ts";
import { isListBox, roleOf } from "./role.ts";
import { isScrollable } from "./scrollable.ts";
import { flatParent } from "./shadow.ts";
import {
  isEditingHost,
  isInput,
  isMasked,
  maskedLength,
  shownValue,
  VALUE_CHARS,
} from "./value.ts";
import { isVisible } from "./visible.ts";
import { visibleWords } from "./words-of.ts";

const OPTIONS_SHOWN = 5;
const VALUED = new Set(
  "textbox searchbox combobox spinbutton slider progressbar meter scrollbar listbox".split(" "),
);
const CHECKABLE = new Set(
  "checkbox radio switch menuitemcheckbox menuitemradio option treeitem".split(" "),
);
/** Input types that look like no text box. */
const KINDS = new Set(["date", "time", "datetime-local", "month", "week", "color", "file"]);
const SHOWN_AUTOCOMPLETE = /^cc-/;

type Told = State[];

function flag(el: Element, name: string): string {
  return (getAttribute(el, name) ?? "").trim().toLowerCase();
}

function tagOfHtml(el: Element): string {
  return namespaceURI(el) === HTML ? localName(el) : "";
}

function tellValue(el: Element, role: string, told: Told): void {
  if (!VALUED.has(role) && !isEditingHost(el)) return;
  if (isMasked(el)) return;
  if (isInput(el) && inputField.type(el) === "file") return;
  const value = clip(squash(shownValue(el)), VALUE_CHARS);
  if (value !== "") told.push({ k: "value", v: value });
}

function tellFiles(el: Element, told: Told): void {
  if (!isInput(el) || inputField.type(el) !== "file") return;
  const files = Array.from(inputField.files(el) ?? [], (file) => file.name);
  if (files.length > 0) told.push({ k: "value", v: clip(files.join(", "), VALUE_CHARS) });
}

function tellChecked(el: Element, role: string, told: Told): void {
  if (isInput(el)) {
    const type = inputField.type(el);
    if (type === "checkbox" && inputField.indeterminate(el)) told.push({ k: "mixed" });
    else if ((type === "checkbox" || type === "radio") && inputField.checked(el)) {
      told.push({ k: "checked" });
    }
    if (type === "checkbox" || type === "radio") return;
  }
  if (!CHECKABLE.has(role)) return;
  const checked = flag(el, "aria-checked");
  if (checked === "true") told.push({ k: "checked" });
  if (checked === "mixed") told.push({ k: "mixed" });
}

/** Whether it cannot be used. */
export function isDisabled(el: Element): boolean {
  if (namespaceURI(el) === HTML && matches(el, ":disabled")) return true;
  return flag(el, "aria-disabled") === "true";
}

function tellUse(el: Element, role: string, told: Told): void {
  if (isDisabled(el)) told.push({ k: "disabled" });
  const tag = tagOfHtml(el);
  const isField = tag === "input" || tag === "textarea" || tag === "select";
  // A combobox that cannot be typed in can still be changed.
  const isTyped =
    VALUED.has(role) && role !== "combobox" && (tag === "input" || tag === "textarea");
  if ((isTyped && hasAttribute(el, "readonly")) || flag(el, "aria-readonly") === "true") {
    if (role !== "grid" && role !== "gridcell") told.push({ k: "readonly" });
  }
  if ((isField && hasAttribute(el, "required")) || flag(el, "aria-required") === "true") {
    told.push({ k: "required" });
  }
}

function browserMessage(el: Element, tag: string): string {
  if (tag === "input") return inputField.message(el);
  if (tag === "textarea") return areaField.message(el);
  return tag === "select" ? selectField.message(el) : "";
}

function tellInvalid(el: Element, told: Told): void {
  const tag = tagOfHtml(el);
  const isField = tag === "input" || tag === "textarea" || tag === "select";
  const said = flag(el, "aria-invalid");
  const isSaid = said !== "" && said !== "false";
  const isFelt = isField && matches(el, ":user-invalid");
  if (!isSaid && !isFelt) return;
  const words = referenced(el, "aria-errormessage")
    .filter(isVisible)
    .map((source) => visibleWords(source, VALUE_CHARS))
    .join(" ");
  const message = squash(words) || squash(browserMessage(el, tag));
  told.push({ k: "invalid", v: clip(message, VALUE_CHARS) });
}

function popoverOf(el: Element): Element | null {
  const id = getAttribute(el, "popovertarget");
  return id ? elementById(el, id) : null;
}

function tellOpen(el: Element, told: Told): void {
  const expanded = flag(el, "aria-expanded");
  if (expanded === "true") told.push({ k: "expanded" });
  else if (expanded === "false") told.push({ k: "collapsed" });
  else if (tagOfHtml(el) === "summary") {
    const details = flatParent(el);
    const isDetails = details && localName(details) === "details";
    if (isDetails) told.push({ k: hasAttribute(details, "open") ? "expanded" : "collapsed" });
  } else {
    const popover = popoverOf(el);
    if (popover) told.push({ k: matches(popover, ":popover-open") ? "expanded" : "collapsed" });
  }
}

function tellChoice(el: Element, told: Told): void {
  const isOption = tagOfHtml(el) === "option";
  if (flag(el, "aria-selected") === "true" || (isOption && optionSelected(el))) {
    told.push({ k: "selected" });
  }
  const pressed = flag(el, "aria-pressed");
  if (pressed === "true") told.push({ k: "pressed" });
  if (pressed === "mixed") told.push({ k: "mixed" });
  const current = flag(el, "aria-current");
  if (current !== "" && current !== "false") told.push({ k: "current" });
}

/** Whether the element itself has the focus of its document. */
export function isFocused(el: Element): boolean {
  const root = getRootNode(el);
  if (!isDocument(root) && !isShadowRoot(root)) return false;
  if (activeElement(root) !== el) return false;
  const own = ownerDocument(el);
  return localName(el) !== "body" && own !== null;
}

function tellLevel(el: Element, role: string, told: Told): void {
  if (role !== "heading" && role !== "treeitem") return;
  const said = Number.parseInt(getAttribute(el, "aria-level") ?? "", 10);
  const own = /^h([1-6])$/.exec(tagOfHtml(el));
  if (said > 0) told.push({ k: "level", v: said });
  else if (role === "heading") told.push({ k: "level", v: own ? Number(own[1]) : 2 });
}

function tellHints(el: Element, role: string, told: Told): void {
  if (isMasked(el)) told.push({ k: "masked", v: maskedLength(el) });
  const hint = getAttribute(el, "placeholder") ?? getAttribute(el, "aria-placeholder");
  // Once there is a value the placeholder is not to be seen, and a name made of it says it already.
  if (hint && VALUED.has(role) && namedBy(el).name !== squash(hint) && isEmpty(el)) {
    told.push({ k: "placeholder", v: clip(squash(hint), VALUE_CHARS) });
  }
  const description = descriptionOf(el);
  if (description !== "" && description !== namedBy(el).name) {
    told.push({ k: "description", v: clip(description, VALUE_CHARS) });
  }
}

function isEmpty(el: Element): boolean {
  if (isMasked(el)) return maskedLength(el) === 0;
  return shownValue(el) === "";
}

function tellOptions(el: Element, told: Told): void {
  const tag = tagOfHtml(el);
  if (tag === "select") {
    const options = Array.from(selectField.options(el));
    // A list box shows its options; the count alone would hide what can be chosen there.
    tellOptionWords(
      options.length,
      () => options.map((option) => squash(optionText(option))),
      told,
    );
    if (isListBox(el) && hasAttribute(el, "multiple")) told.push({ k: "kind", v: "multiple" });
    return;
  }
  const list = tag === "input" ? inputField.list(el) : null;
  if (!list) return;
  const options = Array.from(list.children);
  tellOptionWords(
    options.length,
    () => options.map((option) => squash(getAttribute(option, "value") ?? optionText(option))),
    told,
  );
}

function tellOptionWords(count: number, words: () => string[], told: Told): void {
  if (count === 0) return;
  if (count > OPTIONS_SHOWN) told.push({ k: "option_count", v: count });
  else told.push({ k: "options", v: words().map((option) => clip(option, VALUE_CHARS)) });
}

function tellKind(el: Element, role: string, told: Told): void {
  const tag = tagOfHtml(el);
  const isModal = flag(el, "aria-modal") === "true";
  if (isModal || (tag === "dialog" && matches(el, ":modal"))) told.push({ k: "modal" });
  const popup = flag(el, "aria-haspopup");
  const isSaid = popup !== "" && popup !== "false" && role !== "combobox";
  const parent = role === "link" || role === "button" ? flatParent(el) : null;
  const isHinted = isSaid || (parent !== null && opensOnHover(parent));
  if (isHinted || ((role === "" || role === "listitem") && isHoverOpener(el))) {
    told.push({ k: "has_popup" });
  }
  if (tag === "textarea" || flag(el, "aria-multiline") === "true") told.push({ k: "multiline" });
  else if (isEditingHost(el) && flag(el, "aria-multiline") !== "false")
    told.push({ k: "multiline" });
  const fills = flag(el, "autocomplete").split(/\s+/).at(-1) ?? "";
  if (SHOWN_AUTOCOMPLETE.test(fills) && tag === "input" && !isMasked(el)) {
    told.push({ k: "autocomplete", v: fills });
  }
  if (isScrollable(el)) told.push({ k: "scrollable" });
  if (tag === "video" || tag === "audio") told.push({ k: "kind", v: tag });
  if (tag === "input" && KINDS.has(inputField.type(el))) {
    told.push({ k: "kind", v: inputField.type(el) });
  }
}

/** Everything that is true of the element, in print order. */
export function statesOf(el: Element): State[] {
  const told: Told = [];
  const role = roleOf(el);
  tellValue(el, role, told);
  tellFiles(el, told);
  tellChecked(el, role, told);
  tellUse(el, role, told);
  tellInvalid(el, told);
  tellOpen(el, told);
  tellChoice(el, told);
  if (isFocused(el)) told.push({ k: "focused" });
  tellLevel(el, role, told);
  tellHints(el, role, told);
  tellOptions(el, told);
  tellKind(el, role, told);
  return told;
}
