//! Words of pages and agents, made fit to be shown beside our own: one line, cut, without marks that
//! turn the direction of what follows. Pure. They are put into an element that isolates direction.

/** Longest title or name that is shown. */
export const SHOWN_CHARS = 120;

/** One line of at most `most` characters. */
export function shown(text: string, most: number = SHOWN_CHARS): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/\p{Cf}/gu, "")
    .trim();
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}

/** Several lines, each cut, with their indents. */
export function shownLines(text: string, most: number, each: number): string[] {
  const lines = text.split(/\r?\n/).map((line) => {
    const indent = /^ {0,8}/.exec(line)?.[0] ?? "";
    return `${indent}${shown(line, each)}`;
  });
  return lines.filter((line) => line.trim() !== "").slice(0, most);
}

/** `312 ms`, `1.4 s`, `2 min` */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}\u00a0ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}\u00a0s`;
  return `${Math.round(ms / 60_000)}\u00a0min`;
}

/** `340 chars`, `4.2 k chars`: what an answer cost the agent to read. */
export function size(chars: number): string {
  return chars < 1_000 ? `${chars}` : `${(chars / 1_000).toFixed(1)}\u00a0k`;
}

/** The registrable part of a host as far as it can be told without a list: its last two labels. */
export function splitHost(host: string): { readonly before: string; readonly main: string } {
  const name = host.replace(/:\d+$/, "");
  if (/^[\d.]+$/.test(name) || name.startsWith("[")) return { before: "", main: host };
  const parts = host.split(".");
  const short = parts.length > 2 && (parts.at(-2)?.length ?? 0) <= 3 ? 3 : 2;
  const main = parts.slice(-short).join(".");
  return { before: host.slice(0, host.length - main.length), main };
}
