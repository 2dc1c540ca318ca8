//! Inputs whose value has a form of its own: dates, times, numbers, colours, ranges. Sets them by the
//! browser's setter, and takes it as a refusal when the browser keeps something else.

import type { FillOutcome } from "../../wire/page.ts";
import { focus, heldValue, setValue, tellChange, tellInput } from "./fill-native.ts";
import { described } from "./target.ts";

const TYPED = new Set([
  "number",
  "date",
  "time",
  "month",
  "week",
  "datetime-local",
  "color",
  "range",
]);

/** Whether typing text does not reach it. */
export function isTyped(element: Element): element is HTMLInputElement {
  return element instanceof HTMLInputElement && TYPED.has(element.type);
}

/** Sets such a field. */
export function fillTyped(field: HTMLInputElement, value: string): FillOutcome {
  const wanted = inForm(field.type, value.trim());
  const before = heldValue(field);
  if (!isPossible(field, wanted)) return refused(field, before);
  focus(field);
  setValue(field, wanted);
  if (heldValue(field) !== before) {
    tellInput(field);
    tellChange(field);
  }
  const now = heldValue(field);
  if (!isSame(field.type, now, wanted)) return refused(field, now);
  const rule = brokenRule(field);
  if (rule !== null) {
    // The field itself calls the value wrong: it must not stay behind a failure.
    setValue(field, before);
    tellInput(field);
    tellChange(field);
    return refused(field, before, rule);
  }
  return { is: "set", element: described(field), shows: now === value ? null : now };
}

/** Whether the browser would take the value: tried on a field of the same type, not on this one. */
function isPossible(field: HTMLInputElement, wanted: string): boolean {
  if (wanted === "") return field.type !== "color" && field.type !== "range";
  const probe = field.ownerDocument.createElement("input");
  probe.type = field.type;
  for (const name of ["min", "max", "step"]) {
    const rule = field.getAttribute(name);
    if (rule !== null && field.type === "range") probe.setAttribute(name, rule);
  }
  setValue(probe, wanted);
  return isSame(field.type, heldValue(probe), wanted);
}

function isSame(type: string, now: string, wanted: string): boolean {
  if (now === wanted) return true;
  if (now === "" || wanted === "") return false;
  if (type === "number" || type === "range") return Number(now) === Number(wanted);
  if (type === "color") return now.toLowerCase() === wanted.toLowerCase();
  if (type === "time" || type === "datetime-local") {
    return withSeconds(now) === withSeconds(wanted);
  }
  return false;
}

function withSeconds(time: string): string {
  return time.replace(" ", "T").replace(/(\d\d:\d\d)$/, "$1:00");
}

/** The form that the browser wants, from forms that people write. */
function inForm(type: string, value: string): string {
  switch (type) {
    case "date":
      return /^(\d{4}-\d\d-\d\d)[T ].*$/.exec(value)?.[1] ?? value;
    case "datetime-local":
      return dateTime(value);
    case "time":
      return time(value);
    case "month":
      return /^(\d{4}-\d\d)(?:-\d\d)?$/.exec(value)?.[1] ?? value;
    case "week":
      return value.replace(
        /^(\d{4})-?w(\d\d?)$/i,
        (_all, year, week) => `${year}-W${String(week).padStart(2, "0")}`,
      );
    case "number":
    case "range":
      return value.replace(/^\+/, "").replace(/^(-?\d+),(\d{1,2})$/, "$1.$2");
    case "color":
      return value.replace(/^#?([0-9a-f])([0-9a-f])([0-9a-f])$/i, "#$1$1$2$2$3$3").toLowerCase();
    default:
      return value;
  }
}

function dateTime(value: string): string {
  const plainValue = value.replace(" ", "T").replace(/(?:Z|[+-]\d\d:?\d\d)$/, "");
  return /^\d{4}-\d\d-\d\d$/.test(plainValue) ? `${plainValue}T00:00` : plainValue;
}

function time(value: string): string {
  const parts = /^(\d{1,2}):(\d\d)(:\d\d(?:\.\d+)?)?\s*([ap])?\.?m?\.?$/i.exec(value);
  if (!parts) return /T(\d\d:\d\d.*)$/.exec(value)?.[1] ?? value;
  let hour = Number(parts[1]);
  const half = parts[4]?.toLowerCase();
  if (half === "p" && hour < 12) hour += 12;
  if (half === "a" && hour === 12) hour = 0;
  return `${String(hour).padStart(2, "0")}:${parts[2]}${parts[3] ?? ""}`;
}

/** The attribute that the value breaks, by name and content. */
export function brokenRule(field: HTMLInputElement | HTMLTextAreaElement): string | null {
  const validity = field.validity;
  const say = (name: string): string => `${name} ${field.getAttribute(name) ?? ""}`.trim();
  if (validity.rangeUnderflow) return say("min");
  if (validity.rangeOverflow) return say("max");
  if (validity.stepMismatch) return say("step");
  if (validity.patternMismatch) return say("pattern");
  if (validity.tooLong) return say("maxlength");
  if (validity.tooShort) return say("minlength");
  if (validity.typeMismatch || validity.badInput) return `type ${field.type}`;
  return null;
}

function refused(field: HTMLInputElement, kept: string, rule?: string): FillOutcome {
  return {
    is: "failed",
    code: "VALUE_NOT_SET",
    element: described(field),
    kept,
    rule: rule ?? ruleOf(field),
    options: 0,
  };
}

function ruleOf(field: HTMLInputElement): string {
  const parts = [`type ${field.type}`];
  for (const name of ["min", "max", "step"]) {
    const rule = field.getAttribute(name);
    if (rule !== null) parts.push(`${name} ${rule}`);
  }
  return parts.join(", ");
}
