//! Headers as they may leave the browser: few, short, and without credentials. Pure.

import { HEADER_CHARS, HEADERS_TOLD } from "./limits";

/** Headers whose whole value is a credential. */
const SECRET =
  /^(proxy-)?authorization$|^(set-)?cookie2?$|^authentication-info$|token|secret|api-?key|^x-.*(auth|session|csrf|xsrf)/i;

export const REDACTED = "[redacted]";

/** One header as Chrome's request API gives it. */
export interface Header {
  readonly name: string;
  readonly value?: string | undefined;
}

/** Names and values that may be told. */
export function toldHeaders(headers: readonly Header[] | undefined): [string, string][] {
  return (headers ?? []).slice(0, HEADERS_TOLD).map(({ name, value }) => {
    const short = name.toLowerCase().slice(0, 60);
    return [short, SECRET.test(short) ? REDACTED : (value ?? "").slice(0, HEADER_CHARS)];
  });
}

/** The same of the debugger's object. */
export function toldHeaderObject(headers: unknown): [string, string][] {
  if (typeof headers !== "object" || headers === null) return [];
  return toldHeaders(
    Object.entries(headers).map(([name, value]) => ({ name, value: String(value) })),
  );
}

/** The value of one header. */
export function headerOf(headers: readonly Header[] | undefined, name: string): string | undefined {
  return headers?.find((header) => header.name.toLowerCase() === name)?.value;
}

/** The type without its parameters. */
export function mimeOf(headers: readonly Header[] | undefined): string | undefined {
  return headerOf(headers, "content-type")?.split(";")[0]?.trim().toLowerCase().slice(0, 80);
}

/** An address without login and fragment, cut. */
export function toldUrl(url: string, most: number): string {
  const cut = url.startsWith("data:") ? url.slice(0, 60) : (url.split("#")[0] ?? "");
  return cut.replace(/^([a-z]+:\/\/)[^/?#]*@/i, "$1").slice(0, most);
}
