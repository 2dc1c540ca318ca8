//! The source map of a script or sheet: part of the file, or served by the document's own origin, and
//! asked for without cookies. Nothing of another site is ever asked for.

import type { SourceMapReply } from "../../wire/looking.ts";

const FILE_BYTES = 4 * 1024 * 1024;
const MAP_BYTES = 8 * 1024 * 1024;
const FETCH_MS = 2_000;
/** Where a file names its map: near its end. */
const TAIL_CHARS = 4_000;

/** Answers `source_map`. */
export async function sourceMap(url: string, given: string | null): Promise<SourceMapReply> {
  const asked: string[] = [];
  const map = await mapOf(url, given, asked);
  return map === null ? { asked } : { map, asked };
}

async function mapOf(url: string, given: string | null, asked: string[]): Promise<string | null> {
  const named = given ?? (await mapNamedBy(url, asked));
  if (named === null) return null;
  if (named.startsWith("data:")) return inline(named);
  if (!URL.canParse(named, url)) return null;
  const place = new URL(named, url).href;
  if (!isOwn(place)) return null;
  asked.push(place);
  return read(place, MAP_BYTES);
}

async function mapNamedBy(url: string, asked: string[]): Promise<string | null> {
  if (!isOwn(url)) return null;
  asked.push(url);
  const text = await read(url, FILE_BYTES);
  const tail = text?.slice(-TAIL_CHARS) ?? "";
  // The comment of a data: map is as long as the map.
  const whole = /[#@]\s*sourceMappingURL=data:/.test(text ?? "") ? (text ?? "") : tail;
  const found = [...whole.matchAll(/(?:\/\/|\/\*)[#@]\s*sourceMappingURL=([^\s*'"]+)/g)].at(-1);
  return found?.[1] ?? null;
}

function isOwn(url: string): boolean {
  return URL.canParse(url) && /^https?:/.test(url) && new URL(url).origin === location.origin;
}

function inline(url: string): string | null {
  const found = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url);
  if (!found || url.length > MAP_BYTES) return null;
  const [, base64, body = ""] = found;
  try {
    if (!base64) return decodeURIComponent(body);
    const bytes = Uint8Array.from(atob(body), (c) => c.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    // Damaged: as good as none.
    return null;
  }
}

async function read(url: string, most: number): Promise<string | null> {
  try {
    const answer = await fetch(url, {
      credentials: "omit",
      mode: "same-origin",
      redirect: "error",
      cache: "force-cache",
      signal: AbortSignal.timeout(FETCH_MS),
    });
    if (!answer.ok || !answer.body) return null;
    return await bounded(answer.body, most);
  } catch {
    // Not reachable.
    return null;
  }
}

async function bounded(body: ReadableStream<Uint8Array>, most: number): Promise<string | null> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > most) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
