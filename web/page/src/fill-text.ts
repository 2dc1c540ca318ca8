//! Text fields and editable areas. Short texts are typed by the engine with trusted input into the
//! selected field; long ones are set at once. Then reads back what the field made of it.

import type { FillOutcome } from "../../wire/page.ts";
import {
  focus,
  heldValue,
  isValueField,
  setValue,
  setValueLoudly,
  tellChange,
  tellInput,
  type ValueField,
} from "./fill-native.ts";
import { brokenRule } from "./fill-typed.ts";
import { focusedElement, selectContents } from "./focus.ts";
import { described } from "./target.ts";
import { nextFrame } from "./time.ts";
import { isMasked } from "./value.ts";
import { plain } from "./words.ts";

// Above this, typing costs more than it is worth: each insertion is laid out.
const TYPED_CHARS = 2_000;
const TYPED_LINES = 20;
const EDITOR_FRAMES = 3;

/** Makes a text field ready to be typed into, or sets a long text. */
export async function fillText(field: ValueField, value: string): Promise<FillOutcome> {
  const wanted = wantedIn(field, value);
  if (heldValue(field) === wanted) return { is: "set", element: described(field) };
  focus(field);
  if (isLong(wanted) || focusedElement() !== field) {
    setValueLoudly(field, wanted);
    return checkText(field, value);
  }
  field.select();
  return { is: "insert", element: described(field), text: wanted };
}

function wantedIn(field: ValueField, value: string): string {
  const text = value.replace(/\r\n?/g, "\n");
  return field instanceof HTMLInputElement ? text.replace(/\n/g, "") : text;
}

function isLong(text: string): boolean {
  return text.length > TYPED_CHARS || text.split("\n").length > TYPED_LINES + 1;
}

/** Whether a text field holds what it should; sets it once more when the typing did not stick. */
export async function checkText(field: ValueField, value: string): Promise<FillOutcome> {
  const wanted = wantedIn(field, value);
  let outcome = verdict(field, wanted);
  if (outcome) return outcome;
  await nextFrame();
  outcome = verdict(field, wanted);
  if (outcome) return outcome;
  const kept = heldValue(field);
  const isTooLong = field.maxLength >= 0 && wanted.length > field.maxLength;
  if (!isTooLong) {
    setValueLoudly(field, wanted);
    await nextFrame();
    outcome = verdict(field, wanted);
    if (outcome) return outcome;
  }
  return failed(field, isTooLong ? kept : heldValue(field));
}

function verdict(field: ValueField, wanted: string): FillOutcome | null {
  const now = heldValue(field);
  if (now === wanted) return { is: "set", element: described(field) };
  if (!isSameFormatted(now, wanted)) return null;
  return { is: "set", element: described(field), shows: isMasked(field) ? null : now };
}

function failed(field: ValueField, kept: string): FillOutcome {
  const tooLong = field.maxLength >= 0 ? `maxlength ${field.maxLength}` : null;
  const pattern = field.getAttribute("pattern");
  return {
    is: "failed",
    code: "VALUE_NOT_SET",
    element: described(field),
    kept: isMasked(field) ? null : kept,
    rule: brokenRule(field) ?? tooLong ?? (pattern === null ? null : `pattern ${pattern}`),
    options: 0,
  };
}

/** Equal but for the field's own formatting: case, spaces, separators of numbers and phones. */
function isSameFormatted(now: string, wanted: string): boolean {
  if (now === "" || wanted === "") return false;
  if (plain(now) === plain(wanted)) return true;
  if (/\p{L}/u.test(wanted)) return alphanumeric(now) === alphanumeric(wanted);
  const digits = (text: string): string => text.replace(/\D/g, "");
  if (digits(now) === digits(wanted) && digits(now) !== "") return sign(now) === sign(wanted);
  const amount = Number(wanted);
  return Number.isFinite(amount) && Number(now.replace(/[^\d.-]/g, "")) === amount;
}

function sign(text: string): boolean {
  return text.trim().startsWith("-");
}

// An IBAN or a key is shown in groups.
function alphanumeric(text: string): string {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return text.length - letters.length > letters.length ? text : letters;
}

/** Selects all of an editable area, so that the engine types over it. */
export function fillEditable(host: Element, value: string): FillOutcome {
  const text = value.replace(/\r\n?/g, "\n");
  if (textIn(host) === comparable(text)) return { is: "set", element: described(host) };
  focus(host);
  selectContents(host, true);
  return { is: "insert", element: described(host), text };
}

/** Whether an editable area shows what it should; writes it again, line by line, when not. */
export async function checkEditable(host: Element, value: string): Promise<FillOutcome> {
  const wanted = comparable(value);
  for (const write of [null, writeLines]) {
    if (write) write(host, value.replace(/\r\n?/g, "\n"));
    // Editors render in their own time.
    for (let frame = 0; frame < EDITOR_FRAMES; frame++) {
      const shown = shownAs(host, wanted);
      if (shown) return { is: "set", element: described(host), shows: shown.shows };
      await nextFrame();
    }
  }
  const kept = textIn(host);
  return { is: "failed", code: "VALUE_NOT_SET", element: described(host), kept, options: 0 };
}

/** Paragraphs are shown with an empty line between, and spaces may be drawn as one. */
function shownAs(host: Element, wanted: string): { shows: string | null } | null {
  const now = textIn(host);
  const lines = (text: string): string =>
    text.replace(/[ \t]*\n[ \t]*/g, "\n").replace(/\n{2,}/g, "\n");
  if (now === wanted || lines(now) === lines(wanted)) return { shows: null };
  const words = (text: string): string =>
    lines(text)
      .replace(/[ \t]+/g, " ")
      .trim();
  return words(now) === words(wanted) ? { shows: now } : null;
}

/** The words of an editable area, line breaks as they are laid out. */
export function textIn(host: Element): string {
  // biome-ignore lint/performance/useDomNodeTextContent: line breaks are layout, and part of the text
  return comparable(host instanceof HTMLElement ? host.innerText : (host.textContent ?? ""));
}

function comparable(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\u00a0/g, " ")
    .replace(/[\u200b\ufeff]/g, "")
    .replace(/\n+$/, "");
}

function writeLines(host: Element, text: string): void {
  focus(host);
  selectContents(host, true);
  document.execCommand("delete");
  text.split("\n").forEach((line, index) => {
    if (index > 0) document.execCommand("insertParagraph");
    if (line !== "") document.execCommand("insertText", false, line);
  });
}

/** Spreads a code over boxes of one character. */
export function fillBoxes(
  target: Element,
  boxes: readonly HTMLInputElement[],
  value: string,
): FillOutcome | null {
  const characters = Array.from(value.replace(/[\s-]/g, ""));
  if (characters.length > boxes.length) return null;
  boxes.forEach((box, index) => {
    const character = characters[index] ?? "";
    if (heldValue(box) === character) return;
    focus(box);
    setValue(box, character);
    tellInput(box, character);
    tellChange(box);
  });
  const isSet = boxes.every((box, index) => heldValue(box) === (characters[index] ?? ""));
  if (isSet) return { is: "set", element: described(target) };
  return { is: "failed", code: "VALUE_NOT_SET", element: described(target), options: 0 };
}

/** Whether the element is a field of this file. */
export function isTextField(element: Element): element is ValueField {
  return isValueField(element);
}
