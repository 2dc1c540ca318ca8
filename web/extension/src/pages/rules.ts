//! The editor of site rules: the site in front, the user's own rules, and the built-in kinds.

import { button, choice, element, iconButton, type Piece, put, said } from "../dom";
import { kindOf, parsePattern, RULES, type Rule, ruleFor, type SiteRules } from "../rules";
import { KINDS } from "../sensitive";
import { strings } from "../strings";
import { shown } from "../text";
import { CROSS } from "./icons";
import type { Tell } from "./port";
import { siteName } from "./prompts";

/** The form and the lists. What is typed stays while rules change. */
export class RuleEditor {
  readonly #tell: Tell;
  readonly #lists = element("div", { class: "stack" });
  readonly #here = element("div", {});
  readonly #problem = element("p", { class: "problem", id: "rule-problem", role: "alert" });
  readonly #site: HTMLInputElement;
  #rule: Rule = "ask";

  constructor(place: HTMLElement, tell: Tell) {
    this.#tell = tell;
    this.#site = element("input", {
      type: "text",
      id: "rule-site",
      placeholder: strings.rulePlaceholder,
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": "rule-hint rule-problem",
    });
    place.append(this.#here, this.#form(), this.#lists);
  }

  /** The rules now, and the address in front where there is one. */
  show(rules: SiteRules, front: string | null): void {
    put(this.#here, [front === null ? null : here(front, rules, this.#tell)]);
    put(this.#lists, [this.#own(rules), this.#kinds(rules)]);
  }

  #form(): HTMLElement {
    const rule = choice({ id: "rule-rule" }, RULES, strings.rules, this.#rule, (value) => {
      this.#rule = value;
    });
    const form = element(
      "form",
      { class: "add" },
      element("h2", {}, strings.addRule),
      element(
        "div",
        { class: "fields" },
        labelled("rule-site", strings.ruleFor, this.#site),
        labelled("rule-rule", strings.rule, rule),
        element("button", { type: "submit", class: "plain" }, strings.addRuleButton),
      ),
      this.#problem,
      element("p", { class: "note", id: "rule-hint" }, strings.ruleHint),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#add();
    });
    return form;
  }

  #add(): void {
    const read = parsePattern(this.#site.value);
    const failed = "problem" in read;
    this.#problem.textContent = failed ? strings.ruleProblems[read.problem] : "";
    this.#site.setAttribute("aria-invalid", String(failed));
    if (failed) {
      this.#site.focus();
      return;
    }
    this.#tell({ ask: "rule", pattern: read.pattern, rule: this.#rule });
    this.#site.value = "";
  }

  #own(rules: SiteRules): Piece {
    return {
      key: "own",
      of: rules.sites,
      make: () => {
        const heading = element("h2", { id: "own-rules" }, strings.yourRules);
        if (rules.sites.length === 0) {
          return element("section", {}, heading, element("p", { class: "empty" }, strings.noRules));
        }
        const rows = rules.sites.map(({ pattern, rule }) => this.#row(pattern, rule));
        const list = element("ul", { class: "card rows", "aria-labelledby": "own-rules" }, ...rows);
        return element("section", {}, heading, list);
      },
    };
  }

  #row(pattern: string, rule: Rule): HTMLElement {
    const named = shown(pattern);
    return element(
      "li",
      { class: "rule" },
      element("div", { class: "words name" }, said(pattern)),
      ruleChoice(`rule-${pattern}`, strings.ruleOf(named), rule, (value) =>
        this.#tell({ ask: "rule", pattern, rule: value }),
      ),
      iconButton(CROSS, strings.removeRule(named), () =>
        this.#tell({ ask: "rule", pattern, rule: null }),
      ),
    );
  }

  #kinds(rules: SiteRules): Piece {
    return {
      key: "kinds",
      of: rules.sensitive,
      make: () => {
        const rows = KINDS.map((kind) =>
          element(
            "li",
            { class: "rule" },
            element("div", { class: "words name" }, strings.kinds[kind]),
            ruleChoice(
              `kind-${kind}`,
              strings.ruleOf(strings.kinds[kind]),
              rules.sensitive[kind],
              (rule) => this.#tell({ ask: "kind", kind, rule }),
            ),
          ),
        );
        return element(
          "section",
          {},
          element("h2", { id: "kinds" }, strings.kindsTitle),
          element("p", { class: "note" }, strings.kindsHint),
          element("ul", { class: "card rows", "aria-labelledby": "kinds" }, ...rows),
        );
      },
    };
  }
}

/** The site in front: its name, what holds there, and what that means. */
function here(front: string, rules: SiteRules, tell: Tell): Piece {
  const web = URL.canParse(front) && /^https?:/.test(front);
  const rule = ruleFor(front, rules);
  const kind = kindOf(front);
  return {
    key: "here",
    of: [web ? new URL(front).origin : null, rule, kind],
    make: () => {
      const heading = element("h2", {}, strings.thisSite);
      if (!web) {
        return element("section", {}, heading, element("p", { class: "empty" }, strings.noSite));
      }
      const { origin, hostname } = new URL(front);
      const whole = parsePattern(hostname);
      const pattern = "pattern" in whole ? whole.pattern : origin;
      return element(
        "section",
        {},
        heading,
        element(
          "div",
          { class: "card here" },
          element(
            "div",
            { class: "line" },
            siteName(origin),
            ruleChoice("here", strings.ruleOf(hostname), rule, (value) =>
              tell({ ask: "rule", pattern, rule: value }),
            ),
          ),
          element("p", { class: "note" }, strings.rulesMean[rule]),
          kind === null
            ? null
            : element("p", { class: "note" }, strings.becauseOf(strings.kinds[kind])),
        ),
      );
    },
  };
}

function ruleChoice(
  key: string,
  label: string,
  now: Rule,
  act: (rule: Rule) => void,
): HTMLSelectElement {
  return choice(
    { "data-key": key, "aria-label": label, "data-rule": now },
    RULES,
    strings.rules,
    now,
    act,
  );
}

function labelled(id: string, words: string, field: HTMLElement): HTMLElement {
  return element("div", { class: "field" }, element("label", { for: id }, words), field);
}

/** A button that must be pressed twice: the first press shows what it would do. */
export function twice(words: string, sure: string, act: () => void): HTMLElement {
  const root = element("div", { class: "acts" });
  const first = button(words, "plain", () => {
    const confirm = button(sure, "danger", () => {
      act();
      root.replaceChildren(first);
    });
    const cancel = button(strings.cancel, "plain", () => {
      root.replaceChildren(first);
      first.focus();
    });
    root.replaceChildren(cancel, confirm);
    cancel.focus();
  });
  root.append(first);
  return root;
}
