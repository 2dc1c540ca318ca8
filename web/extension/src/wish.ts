//! What an agent wants to do, in words for the person and as data that an approval is bound to. Pure.

import type { Element, PageCall } from "../../wire/page";
import type { MockRule } from "../../wire/trying";
import type { CdpCommand, Verb } from "../../wire/verb";
import type { Target } from "./aim";
import type { WishKind } from "./approvals";
import { commandGroup, type Group, paramOf } from "./levels";
import { ASK_LINE_CHARS } from "./limits";
import type { SecretPlace } from "./secret-place";
import { strings } from "./strings";

export interface Wish {
  readonly kind: WishKind;
  /** The kind of act, which an approval is bound to. */
  readonly verb: string;
  /** The same for the person. */
  readonly words: string;
  readonly lines: readonly string[];
  /** Everything that makes this wish another one than the next. */
  readonly arguments: string;
  /** The text that input to the same element may bring in a second step; null when there is none. */
  readonly opens: string | null;
  /** The second step that it may be: `press`, or `text` with the text; null when it is none. */
  readonly completes: string | null;
}

/** Describes what a verb would do to some elements. */
export function describeWish(
  verb: Verb,
  groups: readonly Group[],
  targets: readonly Target[],
  secret: SecretPlace | null = null,
): Wish {
  const elements = targets.map(({ element, form, place }) => line(element, form, place.url));
  const isMasked = targets.some(({ element }) => masked(element));
  const kind = targets.some(({ pays }) => pays) ? "pay" : "act";
  const base = { kind, opens: null, completes: null } as const;
  const { asks } = strings;
  switch (verb.verb) {
    case "page": {
      const { call } = verb;
      if (call.op === "patch" || call.op === "storage") return ofStoreOrPatch(call, elements);
      const value = "value" in call ? String(call.value) : "";
      const what = value === "" ? [] : [typed(value, isMasked)];
      const choice = call.op === "prepare";
      return {
        ...base,
        verb: choice ? "choose" : "fill",
        words: choice ? asks.choose : asks.fill,
        lines: [...elements, ...what],
        arguments: JSON.stringify(call),
        opens: secondText(value),
      };
    }
    case "cdp":
      return ofBatch(verb.commands, groups, elements, isMasked);
    case "keys":
      return { ...ofBatch(verb.commands, groups, elements, isMasked), kind };
    case "press": {
      const { how, exact, at, modifiers } = verb;
      // The element stands for the place, unless the agent chose it.
      const place = exact ? [at.x, at.y] : null;
      const press = how.is === "press" ? [how.button, how.count] : [];
      return {
        ...base,
        verb: how.is,
        words: asks[how.is],
        lines: [...elements, ...pressed(verb)],
        arguments: JSON.stringify([how.is, ...press, modifiers, place]),
        completes: how.is === "press" && how.button === "left" && how.count === 1 ? PRESS : null,
      };
    }
    case "fill_secret": {
      const where = secret && secret.keeps.length > 0 ? secretLines(secret) : [];
      return {
        ...base,
        kind: "secret",
        verb: "fill_secret",
        words: verb.name,
        lines: [...elements, ...where],
        arguments: JSON.stringify([verb.name, secret?.sites ?? [], secret?.keeps ?? []]),
      };
    }
    case "capture":
      return code(asks.bodies, [], ["bodies"]);
    case "evaluate":
      return code(asks.run, [cut(verb.expression)], [verb.expression, verb.document, verb.element]);
    case "dialog":
      return {
        ...base,
        verb: "dialog",
        words: asks.dialog,
        lines: verb.text ? [typed(verb.text, false)] : [],
        arguments: JSON.stringify(verb.text ?? null),
      };
    case "upload": {
      const files = verb.files.map(({ name, data }) => asks.file(name, size(data)));
      const what = verb.files.map(({ name, mime, data }) => [name, mime, data]);
      return {
        ...base,
        kind: "files",
        verb: "upload",
        words: asks.upload,
        lines: [...files, ...elements],
        arguments: JSON.stringify(what),
      };
    }
    case "mock":
      return code(asks.run, verb.rules.map(mockLine), verb.rules);
    case "trace":
      return { ...code(asks.run, [asks.trace], []), kind: "trace", verb: "trace" };
    case "cookies":
      return code(asks.run, [asks.cookies], [verb.verb, verb.values]);
    default:
      return code(asks.run, [verb.verb], [verb.verb]);
  }
}

function ofStoreOrPatch(
  call: Extract<PageCall, { op: "patch" | "storage" }>,
  elements: readonly string[],
): Wish {
  const { asks } = strings;
  if (call.op === "storage") {
    const line = asks.stored(call.what, call.store, cut(call.key));
    return code(asks.run, [line], call);
  }
  const { styles, text, attributes, bare, add, remove } = call.patch;
  const lines = [
    ...styles.map(([name, value]) => `${name}: ${value}`),
    ...(typeof text === "string" ? [typed(text, false)] : []),
    ...attributes.map(([name, value]) => `${name}=${value}`),
    ...bare.map((name) => `-${name}`),
    ...add.map((name) => `+.${name}`),
    ...remove.map((name) => `-.${name}`),
  ];
  // The number is new with each call; the change is what was said yes to.
  return code(asks.run, [asks.patch, ...elements, ...lines.map(cut)], [call.id, call.patch]);
}

function mockLine({ method, url, block, status, body }: MockRule): string {
  const what = block ? strings.asks.blocks : String(status);
  return cut(`${strings.asks.answers} ${method ?? "*"} ${url} → ${what} ${body}`);
}

function ofBatch(
  commands: readonly CdpCommand[],
  groups: readonly Group[],
  elements: readonly string[],
  isMasked: boolean,
): Wish {
  const { asks } = strings;
  const coded = groups.some((group) => CODED.includes(group));
  if (coded) {
    const lines = commands.map((command) => {
      const script = paramOf(command, "expression") ?? paramOf(command, "functionDeclaration");
      return typeof script === "string" ? cut(script) : command.method;
    });
    return code(asks.run, lines, commands);
  }
  const acts = commands.filter((command) => commandGroup(command) === "act");
  const text = acts.map(textOf).join("");
  const keys = acts.flatMap((command) => keyOf(command));
  const drops = acts.some((command) => command.method === "Input.dispatchDragEvent");
  const pressed = acts.some((command) => paramOf(command, "type") === "mousePressed");
  const mouse = pressed || acts.some((command) => paramOf(command, "type") === "mouseReleased");
  const [verb, words] =
    drops || (mouse && !pressed)
      ? ["drop", asks.drop]
      : mouse
        ? ["press", asks.press]
        : acts.some((command) => command.method === "Page.handleJavaScriptDialog")
          ? ["dialog", asks.dialog]
          : ["type", asks.type];
  const lines = [...elements];
  if (text !== "") lines.push(typed(text, isMasked));
  if (keys.length > 0) lines.push(asks.keys([...new Set(keys)].join(", ")));
  return {
    kind: "act",
    verb,
    words,
    lines,
    arguments: JSON.stringify(acts.map(placeless)),
    opens: null,
    completes: completing(acts, text, keys),
  };
}

/** A second step that presses. */
export const PRESS = "press";

/** Text as a second step may bring it; a line of text takes no line breaks. */
function secondText(text: string): string {
  return `text ${text.replace(/[\r\n]/g, "")}`;
}

/** Text is inserted, and nothing else; an empty one is a press of Delete. */
function completing(
  acts: readonly CdpCommand[],
  text: string,
  keys: readonly string[],
): string | null {
  if (text === "") return keys.every((key) => key === "Delete") ? secondText("") : null;
  return acts.every(({ method }) => method === "Input.insertText") ? secondText(text) : null;
}

const CODED: readonly Group[] = ["script", "code", "mock", "store", "bodies"];

/** What is unusual in a press. */
function pressed({ how, modifiers }: Extract<Verb, { verb: "press" }>): string[] {
  const { asks } = strings;
  const held = [
    [2, "Control"],
    [1, "Alt"],
    [8, "Shift"],
    [4, "Meta"],
  ].flatMap(([bit, name]) => (modifiers & Number(bit) ? [String(name)] : []));
  const lines: string[] = [];
  if (how.is === "press" && how.button !== "left") lines.push(asks.button[how.button]);
  if (how.is === "press" && how.count > 1) lines.push(asks.times(how.count));
  if (held.length > 0) lines.push(asks.held(held.join(", ")));
  return lines;
}

function secretLines({ target, sites, odd }: SecretPlace): string[] {
  const { asks } = strings;
  const form = target.form !== null && URL.canParse(target.form) ? new URL(target.form) : null;
  return [
    ...(odd ? [asks.oddField] : []),
    asks.seenBy(sites.join(", ")),
    ...(form ? [asks.form(form.origin + form.pathname)] : []),
  ];
}

function code(words: string, lines: readonly string[], given: unknown): Wish {
  return {
    kind: "code",
    verb: "run",
    words,
    lines,
    arguments: JSON.stringify(given),
    opens: null,
    completes: null,
  };
}

/** A command without where and when: the element stands for the place. */
function placeless(command: CdpCommand): unknown {
  const { method, params, session } = command;
  if (typeof params !== "object" || params === null || Array.isArray(params)) return command;
  const { x: _x, y: _y, timestamp: _t, ...rest } = params;
  return [method, rest, session ?? null];
}

function textOf(command: CdpCommand): string {
  const type = paramOf(command, "type");
  if (type === "keyUp") return "";
  const text = paramOf(command, "text");
  return typeof text === "string" && text !== "\r" ? text : "";
}

/** Keys that write nothing. */
function keyOf(command: CdpCommand): string[] {
  const type = paramOf(command, "type");
  if (command.method !== "Input.dispatchKeyEvent" || type === "keyUp") return [];
  const key = paramOf(command, "key");
  return typeof key === "string" && textOf(command) === "" ? [key] : [];
}

function line({ role, name }: Element, form: string | null, url: string): string {
  const { asks } = strings;
  const said = name === "" ? asks.nameless(role) : asks.element(role, name);
  const goes = form !== null && URL.canParse(form) ? new URL(form).origin : null;
  const here = URL.canParse(url) ? new URL(url).origin : null;
  return goes !== null && goes !== here ? `${said}; ${asks.form(goes)}` : said;
}

function masked({ states }: Element): boolean {
  return states?.some(({ k }) => k === "masked") ?? false;
}

function typed(text: string, isMasked: boolean): string {
  return isMasked ? strings.asks.masked([...text].length) : strings.asks.typed(cut(text));
}

function cut(text: string): string {
  return text.length > ASK_LINE_CHARS ? `${text.slice(0, ASK_LINE_CHARS)}…` : text;
}

function size(base64: string): string {
  return `${Math.ceil((base64.length * 3) / 4 / 1_000)} kB`;
}
