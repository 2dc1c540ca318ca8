//! The bytes of a document that is a PDF. Chrome's viewer keeps everybody out of what it shows; the
//! document around it may ask for its own address, as it was asked for when it was opened. Nothing else is
//! ever asked for, and nothing is kept longer than the pieces are taken.

import type { PdfPiece } from "../../wire/page.ts";
import { Fault } from "./fault.ts";
import { isPdf } from "./frames.ts";

const BYTES_MOST = 50 * 1024 * 1024;
/** A whole number of three bytes, so that pieces of base64 can be put together. */
const PIECE_BYTES = 3 * 1024 * 1024;
const FETCH_MS = 20_000;
const KEPT_MS = 30_000;
const MAKE_CHARS = 0x8000;

let kept: Uint8Array | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Answers `pdf`. */
export async function pdfPiece(from: number): Promise<PdfPiece> {
  if (!isPdf(document)) throw new Fault("INVALID_ARGUMENT", "the document is no PDF");
  if (from === 0 || kept === null) kept = await ownBytes();
  const bytes = kept;
  clearTimeout(timer);
  const end = from + PIECE_BYTES;
  if (end >= bytes.length) kept = null;
  else timer = setTimeout(() => (kept = null), KEPT_MS);
  return { size: bytes.length, data: base64(bytes.subarray(from, end)) };
}

async function ownBytes(): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(FETCH_MS);
  const failed = () =>
    new Fault("NAVIGATION_FAILED", "the PDF could not be fetched once more from its address");
  // What the viewer was given, where Chrome still has it.
  const options = { credentials: "include", cache: "force-cache", signal } as const;
  const answer = await fetch(location.href, options).catch(() => null);
  if (!answer?.ok || !answer.body) throw failed();
  const reader = answer.body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const piece = await reader.read().catch(() => {
      throw failed();
    });
    if (piece.done) break;
    size += piece.value.length;
    if (size > BYTES_MOST) {
      await reader.cancel();
      throw new Fault("RESPONSE_TOO_LARGE", `the PDF has more than ${BYTES_MOST / 1048576} MB`);
    }
    pieces.push(piece.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += MAKE_CHARS) {
    text += String.fromCharCode(...bytes.subarray(at, at + MAKE_CHARS));
  }
  return btoa(text);
}
