//! The verb `cookies`: those of the tab's own document, by name and size, with values only when the
//! site's rule lets them be told.

import type { Stored, StoredEntry } from "../../../wire/trying";
import { attach, command, using } from "../attachment";
import { getTab } from "../chrome";
import { COOKIE_CHARS, COOKIES_MOST } from "../limits";
import type { Call } from "./context";

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly session: boolean;
  readonly sameSite?: string;
}

/** Reads them. */
export function cookies(tab: number, values: boolean, call: Call): Promise<Stored> {
  return using(tab, async () => {
    await attach(tab);
    const urls = [(await getTab(tab))?.url ?? ""];
    const got = await command(tab, "Network.getCookies", { urls }, undefined, call.signal);
    const all = (got as { cookies?: Cookie[] }).cookies ?? [];
    return {
      entries: all.slice(0, COOKIES_MOST).map((one) => told(one, values)),
      total: all.length,
    };
  });
}

function told(cookie: Cookie, values: boolean): StoredEntry {
  const { name, value, domain, path, httpOnly, secure, session, sameSite } = cookie;
  const marks = [
    ...(httpOnly ? ["HttpOnly"] : []),
    ...(secure ? ["Secure"] : []),
    ...(sameSite ? [`SameSite=${sameSite}`] : []),
    ...(session ? ["session"] : []),
    ...(domain.startsWith(".") ? [domain] : []),
    ...(path === "/" ? [] : [path]),
  ];
  return {
    name,
    size: value.length,
    marks,
    ...(values && { value: value.slice(0, COOKIE_CHARS) }),
  };
}
