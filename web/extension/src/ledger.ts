//! Ids that were seen, the oldest forgotten first. Pure.

export class Ledger {
  readonly #ids = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(id: string): void {
    this.#ids.delete(id);
    this.#ids.add(id);
    if (this.#ids.size <= this.#limit) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }
}

/** What is known by an id, the oldest forgotten first. */
export class Notes<T> {
  readonly #notes = new Map<string, T>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(id: string, note: T): void {
    this.#notes.delete(id);
    this.#notes.set(id, note);
    if (this.#notes.size <= this.#limit) return;
    for (const oldest of this.#notes.keys()) {
      this.#notes.delete(oldest);
      return;
    }
  }

  get(id: string): T | undefined {
    return this.#notes.get(id);
  }
}
