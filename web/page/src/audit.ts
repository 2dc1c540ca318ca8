//! Judges the document by axe-core's rules. The extension puts axe-core into this isolated world first;
//! it is taken out of the global at once. Asks for nothing, writes nothing, talks to no other frame.

import type { Audited, Finding, FoundElement } from "../../wire/measuring.ts";
import { Fault, gone } from "./fault.ts";
import { reading } from "./reading.ts";
import { elementOf } from "./registry.ts";
import { described } from "./target.ts";
import { nextTask } from "./time.ts";
import { world } from "./world.ts";

/** A document of more elements would keep its page busy for minutes. */
const ELEMENTS_MOST = 15_000;
const WHY_MOST = 3;
const WHY_CHARS = 200;

/** Rules for pages: a frame need not have a title of its own, or a main part. */
const OF_PAGES: readonly string[] = [
  "aria-hidden-body",
  "bypass",
  "document-title",
  "html-has-lang",
  "landmark-one-main",
  "meta-viewport",
  "meta-viewport-large",
  "page-has-heading-one",
  "region",
];

/** Frames are looked into by us; that axe-core did not is no finding. */
const OF_FRAMES = "frame-tested";

/** What axe-core is to us: a small part of its own types, which come with the DOM of a page. */
export interface Axe {
  readonly version: string;
  getRules(): readonly { ruleId: string; tags: readonly string[] }[];
  run(context: object, options: object): Promise<AxeResults>;
}

interface AxeResults {
  readonly passes: readonly AxeRule[];
  readonly violations: readonly AxeRule[];
  readonly incomplete: readonly AxeRule[];
}

interface AxeRule {
  readonly id: string;
  readonly impact?: string | null;
  readonly help: string;
  readonly tags: readonly string[];
  readonly nodes: readonly AxeNode[];
}

interface AxeNode {
  readonly element?: Element;
  readonly any: readonly AxeCheck[];
  readonly all: readonly AxeCheck[];
  readonly none: readonly AxeCheck[];
}

interface AxeCheck {
  readonly message: string;
}

/** What is asked. */
export interface Ask {
  readonly root: number | null;
  readonly rules: readonly string[];
  readonly tags: readonly string[];
  readonly limit: number;
}

let axe: Axe | undefined;
/** axe-core does one thing at a time. */
let running: Promise<unknown> = Promise.resolve();

/** Answers `audit`. */
export function audit(ask: Ask): Promise<Audited> {
  take();
  const run = running.then(() => judged(ask));
  running = run.catch(() => undefined);
  return run;
}

function take(): void {
  const here = world();
  const found = here.axe;
  if (typeof found?.run !== "function" || typeof found.version !== "string") return;
  axe ??= found;
  delete here.axe;
}

async function judged(ask: Ask): Promise<Audited> {
  if (!axe) throw new Fault("INTERNAL", "axe-core was not put into the page");
  const here = axe;
  const none: Audited = {
    version: here.version,
    rules: 0,
    unknown: [],
    violations: [],
    unsure: [],
  };
  const unknown = unknownOf(here, ask);
  if (unknown.length > 0) return { ...none, unknown };
  const root = ask.root === null ? document : elementOf(ask.root);
  if (!root) throw gone();
  const size = root.querySelectorAll("*").length;
  if (size > ELEMENTS_MOST) return { ...none, tooLarge: size };
  const options = optionsOf(ask, window.top !== window);
  if (!options) return none;
  const results = await atOnce(() => here.run({ include: [root] }, options));
  const judgedRules = [results.passes, results.violations, results.incomplete].flat();
  return reading(() => ({
    ...none,
    rules: new Set(judgedRules.map(({ id }) => id)).size,
    violations: results.violations.map((rule) => finding(rule, ask.limit)),
    unsure: results.incomplete.map((rule) => finding(rule, ask.limit)),
  }));
}

/**
 * axe-core leaves the task after each rule by a timer, and Chrome makes timers of a hidden document a second
 * long, or a minute. So a timer of no time is another task meanwhile, in this isolated world alone.
 */
async function atOnce<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout: timer } = globalThis;
  const own = (task: () => void, ms?: number) => {
    if (ms !== undefined && ms > 0) return timer(task, ms);
    void nextTask().then(task);
    return 0;
  };
  Object.defineProperty(globalThis, "setTimeout", { ...WRITABLE, value: own });
  try {
    return await work();
  } finally {
    Object.defineProperty(globalThis, "setTimeout", { ...WRITABLE, value: timer });
  }
}

const WRITABLE = { configurable: true, enumerable: true, writable: true };

/** Frames are asked by themselves. Null when nothing is left to be judged. */
function optionsOf({ rules, tags }: Ask, inFrame: boolean): object | null {
  const left = inFrame ? [OF_FRAMES, ...OF_PAGES] : [OF_FRAMES];
  const values = rules.filter((id) => !left.includes(id));
  if (rules.length > 0 && values.length === 0) return null;
  const only =
    rules.length > 0
      ? { runOnly: { type: "rule", values } }
      : {
          ...(tags.length > 0 && { runOnly: { type: "tag", values: [...tags] } }),
          rules: off(left),
        };
  const quiet = { iframes: false, preload: false, restoreScroll: false, performanceTimer: false };
  const told = { elementRef: true, selectors: false, ancestry: false, xpath: false };
  return { ...only, ...quiet, ...told, resultTypes: ["violations", "incomplete"] };
}

function off(ids: readonly string[]): object {
  return Object.fromEntries(ids.map((id) => [id, { enabled: false }]));
}

function unknownOf(of: Axe, { rules, tags }: Ask): string[] {
  const all = of.getRules();
  const ids = new Set(all.map(({ ruleId }) => ruleId));
  const known = new Set(all.flatMap((rule) => rule.tags));
  return [...rules.filter((id) => !ids.has(id)), ...tags.filter((tag) => !known.has(tag))];
}

function finding(rule: AxeRule, limit: number): Finding {
  const elements: FoundElement[] = [];
  for (const node of rule.nodes) {
    if (elements.length >= limit) break;
    const { element } = node;
    if (!element) continue;
    elements.push({ element: described(element), why: whyOf(node) });
  }
  const { id, help, tags, impact, nodes } = rule;
  const total = nodes.length;
  return { rule: id, impact: impact ?? "minor", help, tags: [...tags], total, elements };
}

function whyOf({ any, all, none }: AxeNode): string[] {
  const said = [...all, ...none, ...any].map(({ message }) => message.slice(0, WHY_CHARS));
  return said.slice(0, WHY_MOST);
}
