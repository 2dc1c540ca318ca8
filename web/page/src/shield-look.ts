//! What the shield looks like: a frame around the viewport, a sign with the agent's name and a button,
//! and the agent's cursor. Takes no place in the page, and no presses but on the button.

const XHTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const NAME = "pillion-shield";

const STYLE = `
:host { --brand: #0f766e; --ground: #ffffff; --ink: #13201e; --soft: #53625f; --edge: #7d8d89; --shade: #0004; }
.frame { position: absolute; inset: 0; box-shadow: inset 0 0 0 3px var(--brand), inset 0 0 14px 2px color-mix(in srgb, var(--brand) 45%, transparent); }
.sign { position: absolute; bottom: 14px; left: 50%; transform: translateX(-50%); display: flex; align-items: center; gap: 12px; box-sizing: border-box; max-width: calc(100% - 28px);
  padding: 6px 6px 6px 14px; border-radius: 999px; background: var(--ground); color: var(--ink); border: 1px solid var(--edge); box-shadow: 0 2px 12px var(--shade); font: 13px/1.4 system-ui, sans-serif; white-space: nowrap; }
.who { overflow: hidden; text-overflow: ellipsis; }
.dot { flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--brand); animation: beat 1.6s ease-in-out infinite; }
.keys { flex: none; color: var(--soft); }
button { all: unset; flex: none; box-sizing: border-box; pointer-events: auto; cursor: default; padding: 4px 12px; border-radius: 999px; background: var(--brand); color: var(--ground); font-weight: 600; }
button:hover { box-shadow: inset 0 0 0 2px var(--ink); }
.aside button { pointer-events: none; }
.cursor { position: absolute; left: 0; top: 0; width: 40px; height: 40px; opacity: 0; transition: transform 160ms ease-out, opacity 160ms; filter: drop-shadow(0 1px 2px var(--shade)); }
.cursor.on { opacity: 1; }
.cursor path { fill: var(--brand); stroke: #ffffff; stroke-width: 1.5; stroke-linejoin: round; }
.ring { fill: none; stroke: var(--brand); stroke-width: 2; opacity: 0; }
.press .ring { animation: press 350ms ease-out; }
.all { position: absolute; inset: 0; opacity: 1; transition: opacity 250ms; }
.all.idle { opacity: 0; }
@keyframes beat { 50% { opacity: 0.35; } }
@keyframes press { 0% { opacity: 0.9; r: 2px; } 100% { opacity: 0; r: 11px; } }
@media (prefers-color-scheme: dark) { :host { --brand: #2dd4bf; --ground: #1b2322; --ink: #e8eeed; --soft: #a3b4b1; --edge: #72827f; --shade: #000a; } button { color: #05302b; } .cursor path { stroke: #05302b; } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
@media (max-width: 420px) { .keys { display: none; } }
@media print { :host { display: none !important; } }
`;

// Important in the style attribute: no rule of the page is stronger.
const PLACE =
  "all:initial;position:fixed;inset:0;width:auto;height:auto;margin:0;padding:0;border:0;background:none;overflow:hidden;pointer-events:none;display:block;visibility:visible;opacity:1;z-index:2147483647;color-scheme:normal";

/** Words that are shown. */
export type Words = {
  /** Who acts: `Atlas is acting here`. */
  who: string;
  /** Of the button. */
  take: string;
  /** The other way to stop it. */
  keys: string;
};

/** The parts that change. */
export type Look = {
  host: HTMLElement;
  all: HTMLElement;
  who: HTMLElement;
  take: HTMLElement;
  keys: HTMLElement;
  cursor: SVGElement;
};

function part(name: string, parent: Node, kind = "div"): HTMLElement {
  const made = document.createElementNS(XHTML, kind) as HTMLElement;
  made.className = name;
  parent.appendChild(made);
  return made;
}

/** Makes it, not yet in the document. */
export function makeLook(): Look {
  const host = document.createElementNS(XHTML, NAME) as HTMLElement;
  placed(host);
  host.popover = "manual";
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const all = part("all idle", root);
  part("frame", all).ariaHidden = "true";
  const sign = part("sign", all);
  part("dot", sign, "span");
  const who = part("who", sign, "bdi");
  const keys = part("keys", sign, "span");
  const take = part("take", sign, "button");
  // Not in the page's own order of Tab.
  take.tabIndex = -1;
  return { host, all, who, take, keys, cursor: cursorIn(all) };
}

/** Puts the host's own style (back) in place. */
export function placed(host: HTMLElement): void {
  const wanted = PLACE.split(";").map((rule) => rule.split(":"));
  host.removeAttribute("style");
  for (const [name = "", value = ""] of wanted) host.style.setProperty(name, value, "important");
}

/** Whether the page changed what the host looks like. */
export function isPlaced(host: HTMLElement, style: string): boolean {
  return host.getAttribute("style") === style && host.attributes.length === 2;
}

/** Writes the words. */
export function say(look: Look, words: Words): void {
  look.who.textContent = words.who;
  look.take.textContent = words.take;
  look.keys.textContent = words.keys;
}

function cursorIn(parent: Node): SVGElement {
  const svg = document.createElementNS(SVG, "svg") as SVGElement;
  svg.setAttribute("class", "cursor");
  svg.setAttribute("viewBox", "-12 -12 24 24");
  svg.setAttribute("aria-hidden", "true");
  const ring = document.createElementNS(SVG, "circle");
  ring.setAttribute("class", "ring");
  const arrow = document.createElementNS(SVG, "path");
  arrow.setAttribute("d", "M0 0 L0 11.2 L2.9 8.6 L4.9 12 L7 11.9 L5.2 7.6 L9 7.3 Z");
  svg.append(ring, arrow);
  svg.style.overflow = "visible";
  parent.appendChild(svg);
  return svg;
}

/** Moves the cursor; a press is shown as a ring. */
export function point(cursor: SVGElement, x: number, y: number, isPress: boolean): void {
  cursor.style.transform = `translate(${x - 20}px, ${y - 20}px)`;
  cursor.classList.add("on");
  cursor.classList.remove("press");
  if (!isPress) return;
  // Read in between, so that the animation begins anew.
  cursor.getBoundingClientRect();
  cursor.classList.add("press");
}
