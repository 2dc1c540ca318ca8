//! Paints boxes of a picture over. What lies under them is gone from it before it leaves the extension.

import type { Picture } from "../../wire/verb";
import { Fault } from "./fault";
import type { Box } from "./never-boxes";

/** One colour that no page's frame has by chance and that is easy on the eye, light or dark. */
const COLOUR = "#7a7a7a";
/** Edges are drawn soft, and boxes lie between pixels. */
const MARGIN_CSS = 2;

/** The picture without what lies in the boxes. */
export async function paintedOver(
  picture: Picture,
  format: string,
  quality: number | null,
  boxes: readonly Box[],
): Promise<Picture> {
  const type = `image/${format}`;
  const bytes = Uint8Array.from(atob(picture.data), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  if (!context) throw new Fault("INTERNAL", "the picture cannot be painted");
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  context.fillStyle = COLOUR;
  for (const box of boxes) {
    const [left, top, right, bottom] = pixels(box, picture);
    context.fillRect(left, top, right - left, bottom - top);
  }
  const blob = await canvas.convertToBlob({
    type,
    ...(quality !== null && format !== "png" && { quality: quality / 100 }),
  });
  // A browser that cannot write a format writes another one in its place.
  if (blob.type !== type) throw new Fault("INTERNAL", `the picture cannot be written as ${format}`);
  return { ...picture, data: base64(new Uint8Array(await blob.arrayBuffer())) };
}

/** A box in pixels of the picture, whole ones and a little more. Pure. */
export function pixels(
  [left, top, right, bottom]: Box,
  { left: x, top: y, cssPerPixel }: Pick<Picture, "left" | "top" | "cssPerPixel">,
): Box {
  return [
    Math.floor((left - x - MARGIN_CSS) / cssPerPixel),
    Math.floor((top - y - MARGIN_CSS) / cssPerPixel),
    Math.ceil((right - x + MARGIN_CSS) / cssPerPixel),
    Math.ceil((bottom - y + MARGIN_CSS) / cssPerPixel),
  ];
}

const CHUNK = 32_768;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}
