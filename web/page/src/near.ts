//! What a target that fits nothing was probably meant to be: the elements most alike in spelling or
//! words. Bounded: looks at the first two thousand elements that can be named.

import type { Step } from "../../wire/page.ts";
import { textContent } from "./dom.ts";
import { actsOf } from "./interactive.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { elementsOf } from "./roots.ts";
import type { Scope } from "./target.ts";
import { isField } from "./target-label.ts";
import { isVisible } from "./visible.ts";
import { likeness } from "./words.ts";

const LOOKED_AT = 2_000;
const SHOWN = 5;
const ALIKE = 0.45;
const SAME_ROLE = 0.15;

/** Visible elements alike to what was looked for, the most alike first. */
export function nearTo(step: Step, scope: Scope): Element[] {
  const asked = wordsOf(step);
  if (asked === "") return [];
  const role = step.by === "role" ? step.role.toLowerCase() : null;
  const scored: { element: Element; score: number }[] = [];
  let looked = 0;
  for (const element of elementsOf(scope)) {
    if (looked >= LOOKED_AT) break;
    const own = roleOf(element);
    if (!isNameable(element, own, step)) continue;
    looked++;
    const alike = likeness(asked, nameOf(element) || (textContent(element) ?? "").slice(0, 200));
    const score = alike + (role === own ? SAME_ROLE : 0);
    if (alike >= ALIKE) scored.push({ element, score });
  }
  scored.sort((one, other) => other.score - one.score);
  return scored
    .map((item) => item.element)
    .filter((element) => isVisible(element))
    .slice(0, SHOWN);
}

function isNameable(element: Element, role: string, step: Step): boolean {
  if (step.by === "label") return isField(element);
  if (step.by === "role" && role === step.role) return true;
  return role === "heading" || actsOf(element);
}

function wordsOf(step: Step): string {
  switch (step.by) {
    case "role":
      return step.name;
    case "text":
    case "label":
      return step.text;
    case "css":
      return "";
  }
}
