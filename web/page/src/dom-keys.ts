//! Keys made of DOM events, with the defaults that a script can bring about: text goes in where the
//! caret is, Enter submits and presses, Tab moves on. Not trusted: a page can tell.

import { COMMON, modifierKeys, send } from "./dom-events.ts";
import { editableOf } from "./field.ts";
import { isValueField } from "./fill-native.ts";
import { focusedElement } from "./focus.ts";
import { isVisible } from "./visible.ts";

/** `Input.dispatchKeyEvent`. */
export interface KeyCommand {
  readonly type: string;
  readonly key: string;
  readonly code?: string;
  readonly windowsVirtualKeyCode?: number;
  readonly modifiers?: number;
  readonly text?: string;
  readonly commands?: readonly string[];
}

const PRESSED_BY_SPACE = "button,summary,input[type=checkbox],input[type=radio],input[type=button]";
const PRESSED_BY_ENTER = "button,summary,a[href],input[type=button],input[type=submit]";
const TABBABLE =
  "a[href],area[href],button,input,select,textarea,summary,iframe,[tabindex],[contenteditable]";
const SHIFT = 8;

/** Does one command where the focus is. */
export function key(command: KeyCommand): void {
  const target = focusedElement() ?? document.body ?? document.documentElement;
  if (!target) return;
  const init = {
    ...COMMON,
    ...modifierKeys(command.modifiers ?? 0),
    view: window,
    key: command.key,
    code: command.code ?? "",
    keyCode: command.windowsVirtualKeyCode ?? 0,
    which: command.windowsVirtualKeyCode ?? 0,
  };
  if (command.type === "keyUp") {
    const goes = send(target, new KeyboardEvent("keyup", init));
    if (goes && command.key === " " && target.matches(PRESSED_BY_SPACE)) click(target);
    return;
  }
  if (!send(target, new KeyboardEvent("keydown", init))) return;
  if (command.text !== undefined && !send(target, new KeyboardEvent("keypress", init))) return;
  act(focusedElement() ?? target, command);
}

/** Text at the caret, as a paste of keys. */
export function insertText(text: string): void {
  document.execCommand("insertText", false, text);
}

function act(target: Element, command: KeyCommand): void {
  const { key, text, commands = [] } = command;
  const bits = command.modifiers ?? 0;
  const isPlain = (bits & ~SHIFT) === 0;
  if (commands.length > 0) for (const name of commands) document.execCommand(name);
  else if (key === "Tab") moveFocus(target, (bits & SHIFT) !== 0);
  else if (key === "Enter") enter(target);
  else if (key === "Backspace") document.execCommand("delete");
  else if (key === "Delete") document.execCommand("forwardDelete");
  else if (key === "Escape") cancel();
  else if (/^(Arrow|Home|End)/.test(key)) moveCaret(target, key, (bits & SHIFT) !== 0);
  else if (text !== undefined && isPlain && takesText(target)) insertText(text);
}

function takesText(target: Element): boolean {
  return isValueField(target) || editableOf(target) !== null;
}

function click(target: Element): void {
  if (target instanceof HTMLElement) target.click();
}

function enter(target: Element): void {
  if (target instanceof HTMLTextAreaElement) insertText("\n");
  else if (editableOf(target)) document.execCommand("insertParagraph");
  else if (target.matches(PRESSED_BY_ENTER)) click(target);
  else if (target instanceof HTMLInputElement && target.form) submit(target.form);
}

/** Implicit submission: by the form's default button, which may be disabled. */
function submit(form: HTMLFormElement): void {
  const buttons = [...form.elements].filter((at) =>
    at.matches("button:not([type]),button[type=submit],input[type=submit],input[type=image]"),
  );
  const [first] = buttons;
  if (!first) HTMLFormElement.prototype.requestSubmit.call(form);
  else if (!first.matches(":disabled")) click(first);
}

function cancel(): void {
  const open = [...document.querySelectorAll("dialog:modal")].at(-1);
  if (!(open instanceof HTMLDialogElement)) return;
  if (send(open, new Event("cancel", { cancelable: true }))) open.close();
}

function moveFocus(from: Element, back: boolean): void {
  const all = [...document.querySelectorAll<HTMLElement>(TABBABLE)].filter(
    (at) => at.tabIndex >= 0 && !at.matches(":disabled") && isVisible(at),
  );
  const order = [
    ...all.filter((at) => at.tabIndex > 0).sort((a, b) => a.tabIndex - b.tabIndex),
    ...all.filter((at) => at.tabIndex === 0),
  ];
  const at = order.indexOf(from as HTMLElement);
  const next = order.at(at < 0 ? (back ? -1 : 0) : (at + (back ? -1 : 1)) % order.length);
  next?.focus();
  if (next instanceof HTMLInputElement && isValueField(next)) next.select();
}

function moveCaret(target: Element, key: string, extend: boolean): void {
  if (target instanceof HTMLSelectElement) chooseNext(target, key);
  else if (target instanceof HTMLInputElement && target.type === "radio") nextRadio(target, key);
  else if (target instanceof HTMLInputElement && /^(range|number)$/.test(target.type)) {
    if (key === "ArrowUp" || key === "ArrowRight") target.stepUp();
    else if (key === "ArrowDown" || key === "ArrowLeft") target.stepDown();
    changed(target);
  } else {
    const back = /Left|Up|Home/.test(key);
    const by = /Left|Right/.test(key)
      ? "character"
      : /Home|End/.test(key)
        ? "lineboundary"
        : "line";
    getSelection()?.modify(extend ? "extend" : "move", back ? "backward" : "forward", by);
  }
}

function changed(target: Element): void {
  send(target, new Event("input", { bubbles: true, composed: true }));
  send(target, new Event("change", { bubbles: true }));
}

function chooseNext(select: HTMLSelectElement, key: string): void {
  const usable = [...select.options].filter((option) => !option.matches(":disabled"));
  const now = usable.findIndex((option) => option.selected);
  const last = usable.length - 1;
  const next = key === "Home" ? 0 : key === "End" ? last : now + (/Up|Left/.test(key) ? -1 : 1);
  const option = usable[Math.min(last, Math.max(0, next))];
  if (!option || option.selected) return;
  option.selected = true;
  changed(select);
}

function nextRadio(radio: HTMLInputElement, key: string): void {
  const root = radio.form ?? document;
  const group = [...root.querySelectorAll<HTMLInputElement>("input[type=radio]")].filter(
    (at) => at.name === radio.name && !at.disabled,
  );
  const step = /Up|Left/.test(key) ? -1 : 1;
  const next = group.at((group.indexOf(radio) + step) % group.length);
  next?.focus();
  next?.click();
}
