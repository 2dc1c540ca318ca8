//! What an agent wants to do, in words for the person and as data that an approval is bound to. Pure.

import type { Element, PageCall } from "../../wire/page";
import type { MockRule } from "../../wire/trying";
import type { CdpCommand, Verb } from "../../wire/verb";
import type { Target } from "./aim";
import { commandGroup, type Group, paramOf } from "./levels";
import { ASK_LINE_CHARS } from "./limits";
import { strings } from "./strings";

export interface Wish {
  readonly kind: "act" | "code" | "files";
  /** The kind of act, which an approval is bound to. */
  readonly verb: string;
  /** The same for the person. */
  readonly words: string;
  readonly lines: readonly string[];
  /** Everything that makes this wish another one than the next. */
  readonly arguments: string;
  /** The same act may send input to the same element in a second step. */
  readonly beginsTwoSteps: boolean;
  /** It may be such a second step. */
  readonly isFollowUp: boolean;
}

/** Describes what a verb would do to some elements. */
export function describeWish(
  verb: Verb,
  groups: readonly Group[],
  targets: readonly Target[],
): Wish {
  const elements = targets.map(({ element, form, place }) => line(element, form, place.url));
  const isMasked = targets.some(({ element }) => masked(element));
  const base = { kind: "act", beginsTwoSteps: false, isFollowUp: false } as const;
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
        beginsTwoSteps: true,
      };
    }
    case "cdp":
      return ofBatch(verb.commands, groups, elements, isMasked);
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
  const coded = groups.some((group) => ["script", "code", "mock", "store"].includes(group));
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
    beginsTwoSteps: false,
    isFollowUp: true,
  };
}

function code(words: string, lines: readonly string[], given: unknown): Wish {
  return {
    kind: "code",
    verb: "run",
    words,
    lines,
    arguments: JSON.stringify(given),
    beginsTwoSteps: false,
    isFollowUp: false,
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
