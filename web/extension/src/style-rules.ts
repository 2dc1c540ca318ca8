//! `CSS.getMatchedStylesForNode` as the rules that somebody wrote: weakest first, without the
//! browser's own sheet. Pure.

import type { Declaration, StyleRule } from "../../wire/looking";
import { EVENT_URL_CHARS } from "./limits";
import type { Sheet } from "./sheets";

interface Property {
  readonly name: string;
  readonly value: string;
  readonly important?: boolean;
  readonly disabled?: boolean;
  readonly parsedOk?: boolean;
  /** Only what was written has a place or its text. */
  readonly range?: object;
  readonly text?: string;
  readonly longhandProperties?: readonly { readonly name: string }[];
}
interface Range {
  readonly startLine: number;
  readonly startColumn: number;
}
interface Style {
  readonly styleSheetId?: string;
  readonly cssProperties: readonly Property[];
  readonly range?: Range;
}
interface Rule {
  readonly styleSheetId?: string;
  readonly selectorList: {
    readonly text: string;
    readonly selectors?: readonly { readonly range?: Range }[];
  };
  readonly origin: string;
  readonly style: Style;
  readonly media?: readonly { readonly text: string }[];
  readonly supports?: readonly { readonly text: string }[];
  readonly containerQueries?: readonly { readonly text: string }[];
  readonly layers?: readonly { readonly text: string }[];
}
interface Match {
  readonly rule: Rule;
}

/** The debugger's answer, as far as it is read. */
export interface Matched {
  readonly inlineStyle?: Style;
  readonly attributesStyle?: Style;
  readonly matchedCSSRules?: readonly Match[];
  readonly inherited?: readonly {
    readonly inlineStyle?: Style;
    readonly matchedCSSRules?: readonly Match[];
  }[];
}

const SELECTOR_CHARS = 300;
const VALUE_CHARS = 300;

/** Properties that come from an ancestor unless somebody says otherwise. */
const INHERITED =
  /^(--|azimuth|border-(collapse|spacing)|caption-side|caret-color|color(-scheme)?$|cursor|direction|empty-cells|font|hyphens|letter-spacing|line-(height|break)|list-style|orphans|overflow-wrap|pointer-events|quotes|tab-size|text-(align|indent|rendering|shadow|transform|size-adjust|underline)|visibility|white-space|widows|word-(break|spacing)|writing-mode|-webkit-(font|text))/;

/** Rules of ancestors come first, as the weakest. */
export function rulesOf(matched: Matched, sheets: ReadonlyMap<string, Sheet>): StyleRule[] {
  const out: StyleRule[] = [];
  for (const [index, level] of [...(matched.inherited ?? []).entries()].reverse()) {
    const from = index + 1;
    for (const { rule } of level.matchedCSSRules ?? []) add(out, ruleOf(rule, sheets, from));
    if (level.inlineStyle) add(out, ownStyle(level.inlineStyle, from));
  }
  if (matched.attributesStyle) add(out, ownStyle(matched.attributesStyle, 0, "(attributes)"));
  for (const { rule } of matched.matchedCSSRules ?? []) add(out, ruleOf(rule, sheets, 0));
  if (matched.inlineStyle) add(out, ownStyle(matched.inlineStyle, 0));
  return out;
}

function add(out: StyleRule[], rule: StyleRule | null): void {
  if (!rule) return;
  const declarations =
    rule.fromAncestor === 0
      ? rule.declarations
      : rule.declarations.filter(({ name }) => INHERITED.test(name));
  if (declarations.length > 0) out.push({ ...rule, declarations });
}

function ruleOf(
  rule: Rule,
  sheets: ReadonlyMap<string, Sheet>,
  fromAncestor: number,
): StyleRule | null {
  if (rule.origin === "user-agent") return null;
  const sheet = sheets.get(rule.styleSheetId ?? "");
  const range = rule.selectorList.selectors?.[0]?.range ?? rule.style.range;
  const place = sheet && {
    function: "",
    url: sheet.url.slice(0, EVENT_URL_CHARS),
    line: (range?.startLine ?? 0) + sheet.line + 1,
    column: (range?.startColumn ?? 0) + (range?.startLine === 0 ? sheet.column : 0) + 1,
  };
  return {
    selector: rule.selectorList.text.slice(0, SELECTOR_CHARS),
    ...(place && { place }),
    ...(sheet?.map && { map: sheet.map }),
    conditions: conditionsOf(rule),
    fromAncestor,
    declarations: declared(rule.style),
  };
}

function conditionsOf(rule: Rule): string[] {
  const named = (word: string, list: readonly { readonly text: string }[] | undefined) =>
    (list ?? []).map(({ text }) => `${word} ${text}`.trim().slice(0, 120));
  return [
    ...named("@media", rule.media),
    ...named("@supports", rule.supports),
    ...named("@container", rule.containerQueries),
    ...named("@layer", rule.layers),
  ];
}

function ownStyle(style: Style, fromAncestor: number, selector = ""): StyleRule {
  return { selector, conditions: [], fromAncestor, declarations: declared(style) };
}

/** What was written, not what it was expanded to. */
function declared(style: Style): Declaration[] {
  const written = style.cssProperties.filter(
    (property) =>
      (property.range !== undefined || property.text !== undefined) &&
      property.disabled !== true &&
      property.parsedOk !== false,
  );
  // The attributes of old have no text at all.
  const list =
    style.styleSheetId === undefined && written.length === 0 ? style.cssProperties : written;
  return list.map((property) => ({
    name: property.name,
    value: property.value.replace(/\s*!important\s*$/i, "").slice(0, VALUE_CHARS),
    important: property.important === true || /!important\s*$/i.test(property.value),
    longhands: (property.longhandProperties ?? []).map(({ name }) => name),
  }));
}
