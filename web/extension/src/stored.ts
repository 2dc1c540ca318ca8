//! State that survives the worker's death. Read once on wake, changed in memory, written through one
//! promise chain, so that writes keep their order. Pure but for the area that is handed in.

/** The part of a storage area that is used. */
export interface Area {
  get(key: string): Promise<Record<string, unknown>>;
  set(items: Record<string, unknown>): Promise<void>;
}

export class Stored<T extends object> {
  readonly #area: Area;
  readonly #key: string;
  #value: T;
  #writes: Promise<void> = Promise.resolve();
  #dirty = false;
  /** Resolves when the value of the last life was read. */
  readonly ready: Promise<void>;

  constructor(area: Area, key: string, initial: T) {
    this.#area = area;
    this.#key = key;
    this.#value = initial;
    this.ready = area.get(key).then((items) => {
      const stored = items[key];
      if (stored && typeof stored === "object") this.#value = { ...initial, ...stored };
    });
  }

  /** The value now. Only to be read after `ready`. */
  get value(): T {
    return this.#value;
  }

  /** Changes the value at once; resolves when the change is written. */
  change(edit: (value: T) => void): Promise<void> {
    edit(this.#value);
    if (!this.#dirty) {
      this.#dirty = true;
      const write = () => {
        this.#dirty = false;
        return this.#area.set({ [this.#key]: this.#value });
      };
      // A write that failed must not keep the next one from being tried.
      this.#writes = this.#writes.then(write, write);
    }
    return this.#writes;
  }
}
