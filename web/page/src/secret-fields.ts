//! The fields that a secret was put into: their values are never told again, also when the page shows
//! them, and are hidden while a picture is taken.

const fields = new WeakSet<Element>();
/** Kept to be found again; none is kept alive. */
let places: WeakRef<HTMLElement>[] = [];
/** What the page itself said of the property, by field, while it is hidden. */
const hidden = new Map<HTMLElement, { readonly value: string; readonly priority: string }>();

const SECURITY = "-webkit-text-security";
const STYLE = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "style")?.get;

/** From now on the field's value is nobody's business. */
export function keepSecret(field: HTMLElement): void {
  if (fields.has(field)) return;
  fields.add(field);
  places = [...places.filter((place) => place.deref()), new WeakRef(field)];
}

/** Whether a secret was put into it. */
export function holdsSecret(element: Element): boolean {
  return fields.has(element);
}

/** Draws their values as dots, whatever the page says, or as before. */
export function veilSecrets(on: boolean): void {
  for (const place of places) {
    const field = place.deref();
    if (field) veil(field, on);
  }
}

function veil(field: HTMLElement, on: boolean): void {
  const style = STYLE?.call(field) as CSSStyleDeclaration | undefined;
  if (!style) return;
  const before = hidden.get(field);
  if (on && !before) {
    const value = style.getPropertyValue(SECURITY);
    hidden.set(field, { value, priority: style.getPropertyPriority(SECURITY) });
    style.setProperty(SECURITY, "disc", "important");
  } else if (!on && before) {
    hidden.delete(field);
    if (before.value === "") style.removeProperty(SECURITY);
    else style.setProperty(SECURITY, before.value, before.priority);
  }
}
