//! Puts a secret into one field. Where it goes is looked at here, in the same task in which it is
//! set, so that no page can make it another place in between. The value is compared and never told.

import type { PageError, Element as WireElement } from "../../wire/page.ts";
import { isDisabled } from "./disabled.ts";
import {
  buttonForm,
  formAction,
  getAttribute,
  getRootNode,
  HTML,
  inputField,
  isConnected,
  isShadowRoot,
  localName,
  namespaceURI,
  submitAction,
} from "./dom.ts";
import { Fault, gone } from "./fault.ts";
import { fieldOf } from "./field.ts";
import { focus, heldValue, setValue, tellChange, tellInput } from "./fill-native.ts";
import { hiddenFault } from "./hidden.ts";
import { elementOf } from "./registry.ts";
import { keepSecret } from "./secret-fields.ts";
import { canBeSeen, described } from "./target.ts";

/** Types that words are typed into. */
const TEXT_TYPES = new Set(["text", "email", "tel", "url", "search", "number", "password"]);
/** Types in which a one-time code is typed. */
const CODE_TYPES = new Set(["text", "tel", "number"]);

/** What came of it. */
export interface SecretFilled {
  /** The page may know the value, also when the field was emptied again. */
  readonly heard: boolean;
  readonly error: PageError | null;
}

/** What the guard has to know of a field before a secret goes there. */
export type SecretLook =
  | {
      readonly element: WireElement;
      /** Where its form goes. */
      readonly form: string | null;
      /** Sites that its form may be sent to. */
      readonly targets: readonly string[];
      /** It is a password or one-time-code field: nobody has to be asked. */
      readonly takes: boolean;
    }
  | { readonly error: PageError };

/** Looks at a field. Changes nothing. */
export function lookForSecret(id: number): SecretLook {
  try {
    const field = mayBeField(id, true);
    const form = inputField.form(field);
    return {
      element: described(field),
      form: form ? formAction(form) : null,
      targets: targetsOf(field).map(originOf),
      takes: takesSecrets(field),
    };
  } catch (failure) {
    return { error: told(failure) };
  }
}

function mayBeField(id: number, any: boolean): HTMLInputElement {
  const element = elementOf(id);
  if (!element) throw gone();
  const field = fieldOf(element) ?? element;
  checkField(field, any);
  return field;
}

/** Fills it in, or says why not. `any`: the user allowed that very field, whatever its type. */
export function fillSecret(
  id: number,
  value: string,
  origins: readonly string[],
  any: boolean,
): SecretFilled {
  let field: HTMLInputElement;
  try {
    field = fieldFor(id, origins, any);
  } catch (failure) {
    return { heard: false, error: told(failure) };
  }
  keepSecret(field);
  setValue(field, value);
  tellInput(field);
  tellChange(field);
  try {
    if (!isConnected(field) || heldValue(field) !== value) throw notKept(field, value);
    checkPlace(field, origins);
    return { heard: true, error: null };
  } catch (failure) {
    setValue(field, "");
    return { heard: true, error: told(failure) };
  }
}

/** The field, with the focus. */
function fieldFor(id: number, origins: readonly string[], any: boolean): HTMLInputElement {
  const field = mayBeField(id, any);
  checkPlace(field, origins);
  focus(field);
  // The page has heard of the focus: what was true may be so no more.
  checkField(field, any);
  checkPlace(field, origins);
  return field;
}

function told(failure: unknown): PageError {
  if (failure instanceof Fault) return failure.wire();
  return new Fault("INTERNAL", "the page agent failed").wire();
}

function checkField(field: Element, any: boolean): asserts field is HTMLInputElement {
  const isInput = localName(field) === "input" && namespaceURI(field) === HTML;
  if (!isInput || !(any ? TEXT_TYPES.has(inputField.type(field)) : takesSecrets(field))) {
    throw new Fault(
      "APPROVAL_DENIED",
      "a secret goes into input fields for a line of text only, and this is none",
      described(field),
    );
  }
  if (isDisabled(field)) throw new Fault("ELEMENT_DISABLED", "it is disabled", described(field));
  if (inputField.readOnly(field)) {
    throw new Fault("ELEMENT_READONLY", "it is read only", described(field));
  }
  if (!canBeSeen(field)) throw hiddenFault(field);
}

/** By what the browser makes of it now: what a name or a label says is the page's affair. */
function takesSecrets(field: Element): boolean {
  const type = inputField.type(field);
  if (type === "password") return true;
  const fills = (getAttribute(field, "autocomplete") ?? "").toLowerCase().split(/\s+/);
  return CODE_TYPES.has(type) && fills.includes("one-time-code");
}

function checkPlace(field: Element, origins: readonly string[]): void {
  const allowed = new Set(origins);
  // Of a sandboxed document it is `null`, whatever its address says.
  const own = globalThis.origin;
  if (own === "null" || !allowed.has(own) || !globalThis.isSecureContext) {
    throw wrong("the secret is not bound to this frame's site", field);
  }
  for (const ancestor of Array.from(globalThis.location.ancestorOrigins)) {
    if (!allowed.has(ancestor)) {
      throw wrong("the field lies in a frame of a page to whose site it is not bound", field);
    }
  }
  for (const target of targetsOf(field)) {
    if (!allowed.has(originOf(target))) {
      throw wrong("the field's form sends to a site to which the secret is not bound", field);
    }
  }
}

/** Where the field's form may be sent: its own address, and those of its buttons. */
function targetsOf(field: Element): string[] {
  const form = inputField.form(field);
  if (!form) return [];
  const root = getRootNode(form);
  const scope = isShadowRoot(root) ? root : (globalThis.document.documentElement ?? form);
  const buttons = Array.from(scope.querySelectorAll("button[formaction],input[formaction]"));
  const own = buttons.filter(
    (button) => (localName(button) === "input" ? inputField.form : buttonForm)(button) === form,
  );
  return [formAction(form), ...own.map(submitAction)];
}

/** Empty for what is no site: `javascript:`, `mailto:`, nonsense. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "";
}

function wrong(why: string, field: Element): Fault {
  return new Fault("SECRET_WRONG_ORIGIN", why, described(field));
}

function notKept(field: Element, value: string): Fault {
  const most = getAttribute(field, "maxlength");
  const isTooLong = most !== null && value.length > Number(most);
  const why = isTooLong ? `the secret is longer than maxlength ${Number(most)}` : "it was not kept";
  return new Fault("VALUE_NOT_SET", why, described(field));
}
