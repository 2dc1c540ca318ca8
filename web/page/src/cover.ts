//! What lies over an element: the layer as a person would name it, and the button that closes it.

import { getAttribute, querySelectorAll } from "./dom.ts";
import { isWithin } from "./hit.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { flatParent } from "./shadow.ts";
import { isVisible } from "./visible.ts";

const LAYERS = new Set(
  (
    "dialog,alertdialog,menu,listbox,tooltip,banner,contentinfo,navigation,region,complementary," +
    "alert,status,tree,grid,toolbar,progressbar"
  ).split(","),
);
const CLOSES =
  /^(×|✕|✖|x|ok|okay|close|dismiss|got it|accept|agree|allow|reject|decline|continue|cancel|no,? thanks|not now|later|skip|done|schlie|verstanden|akzept|fermer|accepter|cerrar|aceptar|chiudi|accetta)/i;
const BUTTONS = "button,[role=button],input[type=button],input[type=submit],a[href],summary";
const BUTTONS_LOOKED_AT = 40;

/** The whole layer that a hit belongs to: what has a role of its own, else the outermost box. */
export function layerOf(hit: Element, target: Element): Element {
  let outermost = hit;
  for (let at: Element | null = hit; at && !isWithin(target, at); at = flatParent(at)) {
    if (LAYERS.has(roleOf(at)) || getAttribute(at, "aria-modal") === "true") return at;
    outermost = at;
  }
  return outermost;
}

/** The button inside a layer that most likely closes it. */
export function closerOf(layer: Element): Element | null {
  const buttons = Array.from(querySelectorAll(layer, BUTTONS))
    .slice(0, BUTTONS_LOOKED_AT)
    .filter((button) => isVisible(button));
  const closer = buttons.find((button) => CLOSES.test(nameOf(button)));
  if (closer) return closer;
  const byClass = buttons.find((button) =>
    /close|dismiss/i.test(getAttribute(button, "class") ?? ""),
  );
  return byClass ?? (buttons.length === 1 ? (buttons[0] ?? null) : null);
}
