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

  /** Remembers a trusted event while armed; with a way given, also one that we send ourselves. */
  readonly see = (
    event: Event,
    path: EventTarget[] | false = event.isTrusted && event.composedPath(),
  ): void => {
    if (!this.armed || !path) return;
    const { clientX: x = 0, clientY: y = 0 } = event as MouseEvent;
    this.ring.push({
      type: event.type,
      path: path.slice(0, PATH),
      x,
      y,
    });
    if (this.ring.length > RING) this.ring.shift();
  };

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

  private listenMore(): void {
    listen(ARMED_ONLY, this.see, true);
  }
}
