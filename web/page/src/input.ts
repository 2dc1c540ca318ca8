//! Remembers which trusted input reached this document, so that a receipt can say where a press
//! landed. Seen in capture on window; passes everything on untouched; keeps nothing while unarmed.

import { listen } from "./listen.ts";

/** One trusted event, with the elements that it went through, innermost first. */
export type Seen = { type: string; path: EventTarget[]; x: number; y: number };

const ALWAYS = "pointerdown mousedown click keydown input dragstart drop";
const ARMED_ONLY = "pointermove mousemove wheel";
const RING = 64;
const PATH = 40;

/** Trusted events since the last `arm`. */
export class InputWatch {
  private armed = false;
  private ring: Seen[] = [];

  private readonly see = (event: Event): void => {
    if (event.isTrusted) this.keep(event, event.composedPath());
  };

  /** An event that we are about to send to that target. */
  note(event: Event, target: EventTarget): void {
    const path: EventTarget[] = [];
    for (let at: Node | null = target as Node; at; at = at.parentNode ?? hostOf(at)) path.push(at);
    this.keep(event, path);
  }

  /** Listens on window. Harmless when repeated, and needed again after `document.open`. */
  install(): void {
    listen(ALWAYS, this.see, true);
    if (this.armed) this.listenMore();
  }

  /** Forgets what was seen and sees more from now on. */
  arm(): void {
    this.ring = [];
    this.armed = true;
    this.listenMore();
  }

  /** Sees nothing any more and holds no element. */
  disarm(): void {
    this.armed = false;
    this.ring = [];
    listen(ARMED_ONLY, this.see, true, removeEventListener);
  }

  /** What was seen since `arm`, oldest first. */
  seen(): readonly Seen[] {
    return this.ring;
  }

  private keep(event: Event, path: EventTarget[]): void {
    if (!this.armed) return;
    const { clientX: x = 0, clientY: y = 0 } = event as MouseEvent;
    this.ring.push({ type: event.type, path: path.slice(0, PATH), x, y });
    if (this.ring.length > RING) this.ring.shift();
  }

  private listenMore(): void {
    listen(ARMED_ONLY, this.see, true);
  }
}

function hostOf(node: Node): Element | null {
  return node instanceof ShadowRoot ? node.host : null;
}
