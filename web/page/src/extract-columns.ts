//! Columns as they turn up: each with one name, in the order in which a reader meets them.

import type { Column, Row } from "../../wire/page.ts";

/** Columns that one answer may have. */
export const COLUMNS_MOST = 200;

/** Gathers rows whose values have keys. */
export class Sheet {
  readonly columns: Column[] = [];
  readonly rows: Row[] = [];
  /** Characters of all values. */
  size = 0;
  private readonly places = new Map<string, number>();
  private readonly names = new Set<string>();

  /** The place of a column, which is made when it is new. Nothing when there are too many. */
  column(key: string, name: string, aside = false): number | null {
    const known = this.places.get(key);
    if (known !== undefined) return known;
    if (this.columns.length >= COLUMNS_MOST) return null;
    const place = this.columns.length;
    this.columns.push({ name: this.unused(name), aside });
    this.places.set(key, place);
    return place;
  }

  row(values: Map<number, string>, at?: number): void {
    const last = Math.max(-1, ...values.keys());
    const cells = Array.from({ length: last + 1 }, (_, place) => values.get(place) ?? "");
    for (const cell of cells) this.size += cell.length + 1;
    this.rows.push(at === undefined ? { cells } : { cells, at });
  }

  private unused(name: string): string {
    let free = name;
    for (let count = 2; this.names.has(free); count += 1) free = `${name} ${count}`;
    this.names.add(free);
    return free;
  }
}
