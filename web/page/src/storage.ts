//! The stores of a page's origin that its own scripts reach: `localStorage`, `sessionStorage`, IndexedDB.
//! Opens nothing that is not there.

import type { Store, Stored, StoredEntry, StoreOp } from "../../wire/trying.ts";
import { Fault } from "./fault.ts";
import { databases } from "./storage-idb.ts";

const VALUE_CHARS = 4_000;

export interface StorageAsk {
  readonly what: StoreOp;
  readonly key: string;
  readonly value: string | null;
  readonly values: boolean;
  readonly limit: number;
}

/** Answers `storage`. */
export function storage(store: Store, ask: StorageAsk): Stored | Promise<Stored> {
  if (store === "indexeddb") return databases(ask);
  return plain(open(store), ask);
}

function open(store: "local" | "session"): Storage {
  try {
    return store === "local" ? localStorage : sessionStorage;
  } catch {
    throw new Fault("PROTECTED_PAGE", "this page has no storage of its own");
  }
}

function plain(store: Storage, { what, key, value, values, limit }: StorageAsk): Stored {
  const found = store.getItem(key);
  switch (what) {
    case "list": {
      const names = Object.keys(store).filter((name) => name.includes(key));
      return {
        entries: names
          .slice(0, limit)
          .map((name) => entry(name, store.getItem(name) ?? "", values)),
        total: names.length,
      };
    }
    case "get":
      if (found === null) throw nothing();
      return { entries: [entry(key, found, true)], total: 1 };
    case "set":
      try {
        store.setItem(key, value ?? "");
      } catch {
        throw new Fault("VALUE_NOT_SET", "the store is full or closed");
      }
      if (store.getItem(key) !== (value ?? "")) {
        throw new Fault("VALUE_NOT_SET", "the store did not keep the value");
      }
      return { entries: [entry(key, value ?? "", false)], total: 1 };
    case "delete":
      if (found === null) throw nothing();
      store.removeItem(key);
      return { entries: [entry(key, found, false)], total: 1 };
  }
}

/** One entry, its value cut. */
export function entry(name: string, value: string, values: boolean): StoredEntry {
  const size = value.length;
  return { name, size, marks: [], ...(values && { value: value.slice(0, VALUE_CHARS) }) };
}

/** Nothing has that name. */
export function nothing(): Fault {
  return new Fault("TARGET_NOT_FOUND", "nothing is stored under that name");
}
