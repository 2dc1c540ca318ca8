//! Refs drawn on a picture, in the worker: the page never sees them. What is drawn is a ref and nothing else,
//! whatever the daemon sends.

import type { Rect, Verb } from "../../wire/verb";
import { toBase64 } from "./bytes";
import { Fault } from "./fault";

type Request = Extract<Verb, { verb: "screenshot" }>;

const MOST = 400;
const REF = /^e\d{1,9}$/;
const FONT_PX = 12;
const PAD_PX = 2;

/** Where the picture is in the viewport. */
export interface Frame {
  left: number;
  top: number;
  cssPerPixel: number;
}

/** A label's box and its tag, in pixels of the picture. */
export interface Placed {
  box: Rect;
  tag: { x: number; y: number };
}

/** Where a label is drawn; null when its element is not in the picture. Pure. */
export function placedIn(rect: Rect, frame: Frame, width: number, height: number): Placed | null {
  const scale = (css: number) => Math.round(css / frame.cssPerPixel);
  const box = {
    x: scale(rect.x - frame.left),
    y: scale(rect.y - frame.top),
    width: scale(rect.width),
    height: scale(rect.height),
  };
  const isIn = box.x < width && box.y < height && box.x + box.width > 0 && box.y + box.height > 0;
  if (!isIn) return null;
  const tall = FONT_PX + 2 * PAD_PX;
  // Above its element where there is room, so that it hides as little as possible of it.
  const y = box.y >= tall ? box.y - tall : Math.max(0, box.y);
  return { box, tag: { x: Math.max(0, box.x), y } };
}

/** The picture with its labels. */
export async function drawn(request: Request, data: string, frame: Frame): Promise<string> {
  const labels = request.labels ?? [];
  if (labels.length > MOST || !labels.every((label) => REF.test(label.text))) {
    throw new Fault("INVALID_ARGUMENT", "labels are refs, at most 400");
  }
  const type = `image/${request.format}`;
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  if (!context) throw new Fault("INTERNAL", "the labels cannot be drawn");
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  context.font = `bold ${FONT_PX}px sans-serif`;
  context.textBaseline = "top";
  for (const { text, rect } of labels) {
    const placed = placedIn(rect, frame, canvas.width, canvas.height);
    if (placed) draw(context, text, placed);
  }
  const quality = request.quality == null ? {} : { quality: request.quality / 100 };
  const painted = await canvas.convertToBlob({ type, ...quality });
  return toBase64(new Uint8Array(await painted.arrayBuffer()));
}

function draw(context: OffscreenCanvasRenderingContext2D, text: string, placed: Placed): void {
  const { box, tag } = placed;
  context.strokeStyle = "#d6004b";
  context.lineWidth = 1;
  context.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
  const width = Math.ceil(context.measureText(text).width) + 2 * PAD_PX;
  context.fillStyle = "#d6004b";
  context.fillRect(tag.x, tag.y, width, FONT_PX + 2 * PAD_PX);
  context.fillStyle = "#ffffff";
  context.fillText(text, tag.x + PAD_PX, tag.y + PAD_PX);
}
