//! Rules for sites: what a rule is, how one is written, and which one holds for an address. Pure.
//! Nothing is enforced here.

import { builtIn, KINDS, type Kind } from "./sensitive";

/** What agents may do on a site, from the strictest to the freest. */
export const RULES = ["never", "read", "ask", "free"] as const;
export type Rule = (typeof RULES)[number];

/** A rule of the user's. */
export interface SiteRule {
  /** `https://a.example:8443` for one origin, `*.a.example` for a host and all below it. */
  readonly pattern: string;
  readonly rule: Rule;
}

/** Everything that is kept about sites. */
export interface SiteRules {
  readonly sites: readonly SiteRule[];
  /** What holds on sites of a built-in kind where the user names no rule. */
  readonly sensitive: Readonly<Record<Kind, Rule>>;
}

/** What a fresh profile has. */
export const FRESH_RULES: SiteRules = {
  sites: [],
  sensitive: { bank: "ask", passwords: "ask", account: "ask" },
};

/** Why a text names no site. */
export type PatternProblem = "empty" | "scheme" | "path" | "user" | "number" | "short" | "bad";

/** One exact origin is more specific than any site. */
const EXACT = Number.MAX_SAFE_INTEGER;
const SITE = "*.";
/** A host name is no longer than this. */
const HOST_CHARS = 253;

/** Whether one rule leaves agents less than another. */
export function isStricter(one: Rule, other: Rule): boolean {
  return RULES.indexOf(one) < RULES.indexOf(other);
}

/** A rule by its name. */
export function asRule(value: unknown): Rule | null {
  return RULES.find((rule) => rule === value) ?? null;
}

/**
 * The rule for an address: the most specific of the user's wins, among equals the strictest. A
 * built-in kind gives way only to a rule that is at least as specific as itself, and never makes a
 * stricter one milder. What is neither http nor https is `free` here and handled elsewhere.
 */
export function ruleFor(url: string, rules: SiteRules): Rule {
  const site = siteOf(url);
  if (!site) return "free";
  let found: { rule: Rule; weight: number } | null = null;
  for (const { pattern, rule } of rules.sites) {
    const weight = weightOf(pattern, site);
    if (weight === 0) continue;
    const wins =
      !found || weight > found.weight || (weight === found.weight && isStricter(rule, found.rule));
    if (wins) found = { rule, weight };
  }
  const kind = builtIn(site.host);
  if (!kind || (found && found.weight >= labels(kind.suffix))) return found?.rule ?? "free";
  const given = rules.sensitive[kind.kind];
  return found && isStricter(found.rule, given) ? found.rule : given;
}

/** The built-in kind of an address, if it is of one. */
export function kindOf(url: string): Kind | null {
  const site = siteOf(url);
  return site ? (builtIn(site.host)?.kind ?? null) : null;
}

/**
 * What the user typed, as a pattern. A bare host means the host and all below it; an address with
 * http or https means that one origin.
 */
export function parsePattern(typed: string): { pattern: string } | { problem: PatternProblem } {
  const text = typed.trim().toLowerCase();
  if (text === "") return { problem: "empty" };
  if (/[\s\\]/.test(text)) return { problem: "bad" };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(text)?.[1];
  if (scheme === undefined) return parseSite(text);
  if (scheme !== "http" && scheme !== "https") return { problem: "scheme" };
  if (text.includes("*") || !URL.canParse(text)) return { problem: "bad" };
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return { problem: "user" };
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return { problem: "path" };
  const origin = siteOf(url.href)?.origin;
  return origin === undefined ? { problem: "bad" } : { pattern: origin };
}

/** The rules with one more, or another, or (`null`) none for a pattern. */
export function withRule(rules: SiteRules, pattern: string, rule: Rule | null): SiteRules {
  const others = rules.sites.filter((site) => site.pattern !== pattern);
  const sites = rule === null ? others : [...others, { pattern, rule }];
  return { ...rules, sites: sites.sort((a, b) => (bare(a.pattern) < bare(b.pattern) ? -1 : 1)) };
}

/** The rules with another one for a built-in kind. */
export function withKind(rules: SiteRules, kind: Kind, rule: Rule): SiteRules {
  return { ...rules, sensitive: { ...rules.sensitive, [kind]: rule } };
}

/** What a store holds, with whatever is damaged in it left out: a kind falls back to `ask`. */
export function readRules(stored: unknown): SiteRules {
  const value = isRecord(stored) ? stored : {};
  const listed: readonly unknown[] = Array.isArray(value.sites) ? value.sites : [];
  const sites = listed.flatMap((site): SiteRule[] => {
    const rule = isRecord(site) ? asRule(site.rule) : null;
    const read = isRecord(site) ? parsePattern(String(site.pattern)) : { problem: "bad" };
    return rule && "pattern" in read ? [{ pattern: read.pattern, rule }] : [];
  });
  const kinds = isRecord(value.sensitive) ? value.sensitive : {};
  let rules: SiteRules = { ...FRESH_RULES, sites };
  for (const kind of KINDS) rules = withKind(rules, kind, asRule(kinds[kind]) ?? "ask");
  return rules;
}

function parseSite(text: string): { pattern: string } | { problem: PatternProblem } {
  const host = text.startsWith(SITE) ? text.slice(SITE.length) : text;
  if (/[/?#]/.test(host)) return { problem: "path" };
  if (host.includes("@")) return { problem: "user" };
  if (/^[a-z][a-z0-9+.-]*:(?!\d+$)/.test(host)) return { problem: "scheme" };
  if (host.includes(":")) return { problem: "number" };
  if (host.includes("*") || !URL.canParse(`http://${host}`)) return { problem: "bad" };
  const name = plain(new URL(`http://${host}`).hostname);
  if (/^\d+(\.\d+){3}$/.test(name)) return { problem: "number" };
  if (!/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(name) || name.includes("..")) {
    return { problem: "bad" };
  }
  if (name.length > HOST_CHARS) return { problem: "bad" };
  if (labels(name) < 2 && name !== "localhost") return { problem: "short" };
  return { pattern: `${SITE}${name}` };
}

interface Site {
  readonly origin: string;
  readonly host: string;
}

function siteOf(url: string): Site | null {
  if (!URL.canParse(url)) return null;
  const { origin } = new URL(url);
  if (!/^https?:/.test(origin)) return null;
  const parsed = new URL(origin);
  const host = plain(parsed.hostname);
  // `a.example.` is `a.example` to the network, so it must be to a rule.
  parsed.hostname = host;
  return { origin: parsed.origin, host };
}

/** 0 when the pattern does not match. */
function weightOf(pattern: string, site: Site): number {
  if (!pattern.startsWith(SITE)) return pattern === site.origin ? EXACT : 0;
  const suffix = pattern.slice(SITE.length);
  const below = site.host === suffix || site.host.endsWith(`.${suffix}`);
  return below ? labels(suffix) : 0;
}

function labels(host: string): number {
  return host.split(".").length;
}

function plain(host: string): string {
  return host.replace(/\.+$/, "");
}

function bare(pattern: string): string {
  return pattern.replace(/^(\*\.|https?:\/\/)/, "");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
