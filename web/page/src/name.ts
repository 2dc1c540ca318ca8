//! Accessible names and descriptions by ACCNAME 1.2, in the page as it is rendered now.
//!
//! The step of the specification stands at each branch. Values of passwords and one-time codes
//! never become part of a name. Icon-font glyphs (private use) are no words and are left out.

import {
  assignedSlot,
  checkVisibility,
  elementById,
  getAttribute,
  HTML,
  hasAttribute,
  isElement,
  isText,
  localName,
  namespaceURI,
  referenced,
  squash,
  textContent,
} from "./dom.ts";
import { childWith, type From, type Given, nativeName } from "./name-native.ts";
import { perWalk, styleOf } from "./reading.ts";
import { isPresentational, roleOf } from "./role.ts";
import { flatChildren } from "./shadow.ts";
import { shownValue } from "./value.ts";
import { isHidden } from "./visible.ts";

type How = {
  /** Inside an `aria-labelledby` or `aria-describedby` traversal: such references are not followed. */
  inReference: boolean;
  /** Below the element whose name is asked: content counts whatever the role. */
  inside: boolean;
  /** The root of the traversal is hidden itself, so hidden content counts. */
  hiddenToo: boolean;
  /** Inside something invisible: only elements that are visible again count, not bare text. */
  mute?: boolean;
  /** The element names itself among others. */
  isSelf?: boolean;
  seen: Set<Element>;
};

/** Roles that ARIA lets name themselves by what is in them. */
const FROM_CONTENT = new Set(
  (
    "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox " +
    "menuitemradio option radio row rowheader switch tab tooltip treeitem doc-backlink doc-biblioref " +
    "doc-glossref doc-noteref graphics-object suggestion comment"
  ).split(" "),
);
/** Elements without such a role whose content is their name all the same (HTML-AAM). */
const TEXT_TAGS = new Set(["summary", "label", "legend", "caption", "figcaption"]);
const SKIPPED = new Set(["script", "style", "template", "noscript", "head", "iframe", "datalist"]);
/** Range widgets give their value when they stand inside another name. */
const NESTED = new Set(["group", "menu", "tree", "list"]);
const NESTED_MOST = 5;
const RANGES = new Set(["slider", "spinbutton", "scrollbar", "progressbar", "meter"]);
const PRIVATE_USE = /[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/g;

function isGone(el: Element): boolean {
  return getAttribute(el, "aria-hidden") === "true" || isHidden(el);
}

/** Hidden by `visibility` alone: something inside may be visible. */
function isInvisible(el: Element): boolean {
  return (
    getAttribute(el, "aria-hidden") !== "true" &&
    styleOf(el).display !== "none" &&
    checkVisibility(el)
  );
}

/** Words of `content`, or the alternative after its slash. */
function contentWords(content: string): string {
  if (content === "none" || content === "normal" || content === "") return "";
  const parts = content.match(/"(?:[^"\\]|\\.)*"|\//g);
  if (!parts) return "";
  const slash = parts.indexOf("/");
  const words = slash < 0 ? parts : parts.slice(slash + 1);
  return words
    .map((part) => part.slice(1, -1).replace(/\\(.)/g, "$1"))
    .join("")
    .replace(PRIVATE_USE, "");
}

// accname 2F.i: textual content that CSS puts before and after
function pseudoWords(el: Element, which: "::before" | "::after"): string {
  const style = getComputedStyle(el, which);
  const words = contentWords(style.content);
  if (words === "" || style.display === "none" || style.visibility !== "visible") return "";
  return style.display === "inline" ? words : ` ${words} `;
}

function isInline(el: Element): boolean {
  const display = styleOf(el).display;
  return display === "inline" || display === "contents" || display === "";
}

/** Children as rendered, then what `aria-owns` adds (2F.iii). */
function partsOf(el: Element): Node[] {
  const parts = flatChildren(el);
  return hasAttribute(el, "aria-owns") ? [...parts, ...referenced(el, "aria-owns")] : parts;
}

/** A branch's leaves and a menu item's submenu are not part of its name. */
function isNested(el: Element, part: Element): boolean {
  const inner = roleOf(part);
  if (inner === "treeitem") return true;
  const role = roleOf(el);
  if (role !== "treeitem" && !role.startsWith("menuitem")) return false;
  return NESTED.has(inner);
}

function contentOf(el: Element, how: How): string {
  if (how.seen.size > 5_000) return "";
  let out = pseudoWords(el, "::before");
  for (const part of partsOf(el)) {
    if (isText(part)) {
      // accname 2G: text node
      if (!how.mute) out += part.data.replace(PRIVATE_USE, "");
    } else if (isElement(part)) {
      const name = localName(part);
      if (SKIPPED.has(name) || (!how.inReference && isNested(el, part))) continue;
      if (name === "br") {
        out += " ";
        continue;
      }
      const words = step(part, { ...how, inside: true, mute: false, isSelf: false }).name;
      out += isInline(part) ? words : ` ${words} `;
    }
  }
  return out + pseudoWords(el, "::after");
}

// accname 2B: aria-labelledby
function labelledBy(el: Element, attribute: string, seen?: Set<Element>): string {
  const words = labelSources(el, attribute).map((source) =>
    squash(
      step(source, {
        inReference: true,
        inside: false,
        hiddenToo: isGone(source),
        isSelf: source === el,
        seen: seen ?? new Set(),
      }).name,
    ),
  );
  return squash(words.join(" "));
}

/** Ids are looked up in the element's own tree, then, for slotted content, in the slot's. */
function labelSources(el: Element, attribute: string): Element[] {
  const found = referenced(el, attribute);
  if (found.length > 0 || !hasAttribute(el, attribute)) return found;
  const slot = assignedSlot(el);
  const id = getAttribute(el, attribute);
  const other = slot && id ? elementById(slot, id.trim()) : null;
  return other ? [other] : [];
}

function given(name: string, from: From): Given {
  return { name, from };
}

// accname 2C: a control inside the label of another gives its value
function embedded(el: Element, role: string): string | null {
  if (role === "textbox" || role === "searchbox") return shownValue(el);
  if (role === "combobox" || role === "listbox") {
    return isFormField(el) ? shownValue(el) : chosenWords(el, role);
  }
  // A menu is a choice to come, not part of what is said.
  if (role === "menu") return "";
  if (RANGES.has(role)) {
    return (
      getAttribute(el, "aria-valuetext") ?? getAttribute(el, "aria-valuenow") ?? shownValue(el)
    );
  }
  return null;
}

function isFormField(el: Element): boolean {
  const tag = localName(el);
  return namespaceURI(el) === HTML && (tag === "input" || tag === "select");
}

/** What an ARIA widget shows as chosen: its selected options, else what is written in it. */
function chosenWords(el: Element, role: string): string {
  const chosen: string[] = [];
  const look = (at: Element, depth: number): void => {
    for (const part of partsOf(at)) {
      if (!isElement(part) || depth > NESTED_MOST) continue;
      const isChosen = getAttribute(part, "aria-selected") === "true";
      if (roleOf(part) === "option" && isChosen) chosen.push(squash(textContent(part) ?? ""));
      else look(part, depth + 1);
    }
  };
  look(el, 0);
  if (chosen.length > 0 || role === "listbox") return chosen.join(" ");
  const list = partsOf(el).some((part) => isElement(part) && roleOf(part) === "listbox");
  return list ? "" : shownValue(el);
}

function takesContent(el: Element, role: string, how: How): boolean {
  if (how.inside || how.inReference || FROM_CONTENT.has(role)) return true;
  return namespaceURI(el) === HTML && TEXT_TAGS.has(localName(el));
}

function step(el: Element, how: How): Given {
  if (how.seen.has(el) || how.seen.size > 5_000) return given("", "");
  how.seen.add(el);
  // accname 2A: hidden and not referenced
  if (!how.hiddenToo && (how.inside || how.inReference) && isGone(el)) {
    // `visibility: visible` inside `visibility: hidden` is seen again.
    return given(isInvisible(el) ? contentOf(el, { ...how, inside: true, mute: true }) : "", "");
  }
  if (!how.inReference) {
    const words = hasAttribute(el, "aria-labelledby")
      ? labelledBy(el, "aria-labelledby", how.inside ? how.seen : undefined)
      : "";
    if (words !== "") return given(words, "labelledby");
  }
  const role = roleOf(el);
  if ((how.inside || how.inReference) && !how.isSelf) {
    const value = embedded(el, role);
    if (value !== null) return given(value, "native");
  }
  // accname 2D: aria-label
  const label = getAttribute(el, "aria-label");
  if (label !== null && label.trim() !== "" && localName(el) !== "slot")
    return given(label, "aria");
  // accname 2E: the host language's own, unless the element is presentational
  if (!isPresentational(el)) {
    const own = nativeName(el, (source) => nativeText(source, el, how));
    if (own.name !== "") return own;
  }
  // accname 2F: name from content
  const words = takesContent(el, role, how) ? contentOf(el, how) : "";
  if (squash(words) !== "") return given(words, "content");
  // accname 2I: tooltip; white space alone still keeps words apart
  const tip = isPresentational(el) ? given("", "") : tooltip(el, role);
  return tip.name === "" ? given(words, "") : tip;
}

function nativeText(source: Element, of: Element, how: How): string {
  // A control met inside its own label is not named by that label once more.
  if (how.seen.has(source)) return "";
  return step(source, {
    inReference: how.inReference,
    inside: true,
    hiddenToo: how.hiddenToo || isGone(source),
    // The control inside its own label says nothing about itself.
    seen: new Set([of]),
  }).name;
}

function tooltip(el: Element, role: string): Given {
  const title = squash(getAttribute(el, "title") ?? "");
  if (title !== "") return given(title, "title");
  if (role === "textbox" || role === "searchbox" || role === "spinbutton" || role === "combobox") {
    const words = squash(
      getAttribute(el, "placeholder") ?? getAttribute(el, "aria-placeholder") ?? "",
    );
    if (words !== "") return given(words, "placeholder");
  }
  // `<summary>` of a `<details>` that has none is the browser's own word, not the page's.
  return given("", "");
}

/** The element's name and where it came from. */
export const namedBy = perWalk((el: Element): Given => {
  const found = step(el, {
    inReference: false,
    inside: false,
    hiddenToo: isGone(el),
    seen: new Set(),
  });
  return { name: squash(found.name), from: found.from };
});

/** The accessible name, white space collapsed; '' when there is none. */
export function nameOf(el: Element): string {
  return namedBy(el).name;
}

/** The accessible description, white space collapsed; '' when there is none. */
export function descriptionOf(el: Element): string {
  // accname: aria-describedby, then aria-description, then the host language's own
  if (hasAttribute(el, "aria-describedby")) {
    const words = labelledBy(el, "aria-describedby");
    if (words !== "") return words;
  }
  const own = squash(getAttribute(el, "aria-description") ?? "");
  if (own !== "") return own;
  // Naming is the costly part: most elements have nothing that could describe them.
  if (!hasAttribute(el, "title") && !describesItself(el)) return "";
  const { from, name } = namedBy(el);
  const native = nativeDescription(el, from);
  if (native !== "") return native;
  const title = squash(getAttribute(el, "title") ?? "");
  return from === "title" || title === name ? "" : title;
}

function describesItself(el: Element): boolean {
  return namespaceURI(el) !== HTML || localName(el) === "table";
}

function nativeDescription(el: Element, from: From): string {
  if (namespaceURI(el) !== HTML) {
    const desc = childWith(el, "desc");
    return desc ? squash(textContent(desc) ?? "") : "";
  }
  if (localName(el) === "table" && from !== "native") {
    const caption = childWith(el, "caption");
    return caption ? squash(textContent(caption) ?? "") : "";
  }
  return "";
}
