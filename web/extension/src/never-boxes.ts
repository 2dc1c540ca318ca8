//! Where frames of never-sites lie in a tab's viewport, so that they can be painted over in a picture.
//! The browser itself is asked for the places of their elements, session by session: no page can tell it
//! anything else. What cannot be known is said to be so.

import { attachment, command } from "./attachment";
import { words } from "./fault";
import { isNever } from "./places";

/** A box in CSS px of the viewport: left, top, right, bottom. */
export type Box = readonly [number, number, number, number];

/** Four corners in turn, as Chrome gives them: x, y, x, y, … */
export type Quad = readonly number[];

interface Tree {
  readonly frame: { readonly id: string; readonly url: string };
  readonly childFrames?: readonly Tree[];
}

/** A frame's element: in which session, and its number there. */
interface Owner {
  readonly session: string | undefined;
  readonly node: number;
}

/** The boxes of at least `least` such frames; null when one cannot be known. */
export async function neverBoxes(
  tab: number,
  least: number,
  signal: AbortSignal,
): Promise<Box[] | null> {
  const finder = new Finder(tab, signal);
  try {
    const frames = await finder.frames();
    if (frames.length < least) return null;
    const boxes: Box[] = [];
    for (const frame of frames) {
      const quads = await finder.quadsOf(frame);
      boxes.push(...quads.map(boxOf));
    }
    return boxes;
  } catch {
    // A frame that went away meanwhile, a session that ended: the place is not known.
    return null;
  } finally {
    finder.end();
  }
}

class Finder {
  readonly #tab: number;
  readonly #signal: AbortSignal;
  readonly #sessions: readonly (string | undefined)[];

  constructor(tab: number, signal: AbortSignal) {
    this.#tab = tab;
    this.#signal = signal;
    this.#sessions = [undefined, ...Object.keys(attachment(tab)?.sessions ?? {})];
  }

  /** Ids of all frames of never-sites. */
  async frames(): Promise<string[]> {
    const found: string[] = [];
    for (const session of this.#sessions) {
      await this.#send("DOM.enable", {}, session);
      const { frameTree } = await this.#send("Page.getFrameTree", {}, session);
      found.push(...neverIn(frameTree as Tree, ""));
    }
    return found;
  }

  /** A frame's corners in the tab's viewport; none when it is not shown at all. */
  async quadsOf(frame: string): Promise<Quad[]> {
    const owner = await this.#ownerOf(frame);
    const { node, session } = owner;
    let quads: Quad[];
    try {
      const told = await this.#send("DOM.getContentQuads", { backendNodeId: node }, session);
      quads = told.quads as Quad[];
    } catch (error) {
      if (/could not compute content quads/i.test(words(error))) return [];
      throw error;
    }
    return session === undefined ? quads : this.#raised(quads, session);
  }

  /** From the viewport of a session's root to that of the tab. */
  async #raised(quads: readonly Quad[], session: string): Promise<Quad[]> {
    const target = attachment(this.#tab)?.sessions[session]?.target ?? "";
    const { node, session: above } = await this.#ownerOf(target);
    const told = await this.#send("DOM.getBoxModel", { backendNodeId: node }, above);
    const model = told.model as Model;
    const raised = quads.map((quad) => through(quad, model));
    return above === undefined ? raised : this.#raised(raised, above);
  }

  async #ownerOf(frame: string): Promise<Owner> {
    for (const session of this.#sessions) {
      try {
        const told = await this.#send("DOM.getFrameOwner", { frameId: frame }, session);
        return { session, node: Number(told.backendNodeId) };
      } catch {
        // It is another session's.
      }
    }
    throw new Error("no session knows the frame's element");
  }

  end(): void {
    for (const session of this.#sessions) {
      this.#send("DOM.disable", {}, session).catch(() => undefined);
    }
  }

  #send(method: string, params: object, session: string | undefined) {
    return command(this.#tab, method, params, session, this.#signal);
  }
}

/** Frames of never-sites in a tree; what has no address of its own is its parent's. Pure. */
export function neverIn(
  { frame, childFrames }: Tree,
  above: string,
  never: (url: string) => boolean = isNever,
): string[] {
  const url = frame.url === "" || /^(about|data|javascript):/i.test(frame.url) ? above : frame.url;
  const inside = (childFrames ?? []).flatMap((child) => neverIn(child, url, never));
  return never(url) ? [frame.id, ...inside] : inside;
}

/** What `DOM.getBoxModel` gives. */
export interface Model {
  readonly content: Quad;
  readonly border: Quad;
  readonly width: number;
  readonly height: number;
}

/** A quad in a frame's own viewport, seen from the viewport around the frame. Pure. */
export function through(quad: Quad, { content, border, width, height }: Model): Quad {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0, , , x3 = 0, y3 = 0] = border;
  const [left = 0, top = 0] = content;
  const right = [(x1 - x0) / width, (y1 - y0) / width] as const;
  const down = [(x3 - x0) / height, (y3 - y0) / height] as const;
  const out: number[] = [];
  for (let at = 0; at + 1 < quad.length; at += 2) {
    const [x = 0, y = 0] = [quad[at], quad[at + 1]];
    out.push(left + x * right[0] + y * down[0], top + x * right[1] + y * down[1]);
  }
  return out;
}

/** The box around a quad. Pure. */
export function boxOf(quad: Quad): Box {
  const xs = quad.filter((_, at) => at % 2 === 0);
  const ys = quad.filter((_, at) => at % 2 === 1);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
