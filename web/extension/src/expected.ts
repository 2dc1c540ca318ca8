//! What a batch of debugger commands makes the page see: the list by which the keeper tells the
//! agent's input from the user's. Pure.

import type { CdpCommand } from "../../wire/verb";

/** An event's type, a key's name or nothing, and a place in the tab's viewport in CSS px. */
export type Expected = readonly [type: string, key: string, x: number, y: number];

/** Where the pointer goes, and whether it presses there. */
export type Pointed = readonly [x: number, y: number, press: boolean];

/** The input of a batch, in order; null when it holds none. */
export function expectedOf(commands: readonly CdpCommand[]): Expected[] | null {
  if (!commands.some(({ method }) => method.startsWith("Input."))) return null;
  return commands.flatMap(({ method, params }) => ofCommand(method, fields(params)));
}

/** What a press at a prepared place may be: up to a triple click. Null when it is not known here. */
export function expectedAt(replies: unknown): Expected[] | null {
  const [reply] = Array.isArray(replies) ? (replies as { frame?: number; value?: unknown }[]) : [];
  const { point, chosen } = (reply?.value ?? {}) as { point?: unknown; chosen?: boolean };
  // A child frame's place is another one in the tab.
  if (reply?.frame !== 0 || !point || chosen) return null;
  const { x, y } = fields(point);
  const presses = Array.from({ length: 3 }, (): Expected => ["pointerdown", "", x, y]);
  return [["pointermove", "", x, y], ["pointermove", "", x, y], ...presses];
}

/** Where a batch leaves the pointer; null when it moves none. */
export function pointedBy(commands: readonly CdpCommand[]): Pointed | null {
  const mouse = commands.filter(({ method }) => method === "Input.dispatchMouseEvent");
  const last = mouse.at(-1);
  if (!last) return null;
  const { x, y } = fields(last.params);
  return [x, y, mouse.some(({ params }) => fields(params).type === "mousePressed")];
}

function ofCommand(method: string, { type, key, x, y }: Fields): Expected[] {
  // Wherever the pointer is used it may have moved.
  const moved: Expected = ["pointermove", "", x, y];
  switch (`${method} ${type}`) {
    case "Input.dispatchMouseEvent mouseMoved":
    case "Input.dispatchMouseEvent mouseReleased":
      return [moved];
    case "Input.dispatchMouseEvent mousePressed":
      return [moved, ["pointerdown", "", x, y]];
    case "Input.dispatchMouseEvent mouseWheel":
      return [moved, ["wheel", "", x, y]];
    case "Input.dispatchKeyEvent keyDown":
    case "Input.dispatchKeyEvent rawKeyDown":
      return [["keydown", key, 0, 0]];
    default:
      return [];
  }
}

interface Fields {
  readonly type: string;
  readonly key: string;
  readonly x: number;
  readonly y: number;
}

function fields(params: unknown): Fields {
  const { type, key, x, y } = (params ?? {}) as Record<string, unknown>;
  return {
    type: String(type ?? ""),
    key: String(key ?? ""),
    x: Number(x ?? 0),
    y: Number(y ?? 0),
  };
}
