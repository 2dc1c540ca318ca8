//! IndexedDB by names: `database/store/key`. Names may hold slashes, so the longest that is there wins.

import type { Stored, StoredEntry } from "../../wire/trying.ts";
import { Fault } from "./fault.ts";
import { entry, nothing, type StorageAsk } from "./storage.ts";

const OPEN_MS = 4_000;
const DATABASES_MOST = 50;

/** Answers `storage` for IndexedDB. */
export async function databases(ask: StorageAsk): Promise<Stored> {
  const names = await namesNow();
  if (ask.key === "" && ask.what === "list") return overview(names, ask);
  const name = longest(ask.key, names);
  if (name === null) throw nothing();
  const rest = ask.key.slice(name.length + 1);
  if (rest === "" && ask.what === "delete") {
    await closed(indexedDB.deleteDatabase(name));
    return { entries: [{ name, size: 0, marks: ["database"] }], total: 1 };
  }
  return using(name, (db) => inDatabase(db, rest, ask));
}

async function namesNow(): Promise<string[]> {
  try {
    const all = await indexedDB.databases();
    return all.flatMap(({ name }) => name ?? []);
  } catch {
    throw new Fault("PROTECTED_PAGE", "this page has no storage of its own");
  }
}

async function overview(names: readonly string[], { limit }: StorageAsk): Promise<Stored> {
  const entries: StoredEntry[] = [];
  for (const name of names.slice(0, DATABASES_MOST)) {
    entries.push(...(await using(name, (db) => storesOf(db))));
  }
  return { entries: entries.slice(0, limit), total: entries.length };
}

async function storesOf(db: IDBDatabase): Promise<StoredEntry[]> {
  const stores = [...db.objectStoreNames];
  if (stores.length === 0) return [{ name: db.name, size: 0, marks: ["database"] }];
  const counts = stores.map(async (store) => {
    const size = await done(db.transaction(store).objectStore(store).count());
    return { name: `${db.name}/${store}`, size, marks: ["store"] };
  });
  return Promise.all(counts);
}

async function inDatabase(db: IDBDatabase, path: string, ask: StorageAsk): Promise<Stored> {
  if (path === "") {
    if (ask.what !== "list") throw new Fault("INVALID_ARGUMENT", "the key is database/store/key");
    const entries = await storesOf(db);
    return { entries: entries.slice(0, ask.limit), total: entries.length };
  }
  const name = longest(path, [...db.objectStoreNames]);
  if (name === null) throw nothing();
  const key = path.slice(name.length + 1);
  const writes = ask.what === "set" || ask.what === "delete";
  const store = db.transaction(name, writes ? "readwrite" : "readonly").objectStore(name);
  const full = (word: string) => `${db.name}/${name}/${word}`;
  switch (ask.what) {
    case "list":
      return records(store, key, full, ask);
    case "get": {
      const found = await look(store, key);
      if (!found) throw nothing();
      return { entries: [entry(full(key), shown(found.value), true)], total: 1 };
    }
    case "set": {
      const value = parsed(ask.value ?? "");
      if (store.keyPath === null && key === "") {
        throw new Fault("INVALID_ARGUMENT", "the key is database/store/key");
      }
      const known = store.keyPath === null ? ((await look(store, key))?.key ?? key) : undefined;
      try {
        await done(store.put(value, known));
      } catch {
        throw new Fault("VALUE_NOT_SET", "the store does not take that value");
      }
      return { entries: [entry(full(key), shown(value), false)], total: 1 };
    }
    case "delete": {
      if (key === "") {
        const size = await done(store.count());
        await done(store.clear());
        return { entries: [{ name: `${db.name}/${name}`, size, marks: ["store"] }], total: 1 };
      }
      const found = await look(store, key);
      if (!found) throw nothing();
      await done(store.delete(found.key));
      return { entries: [entry(full(key), shown(found.value), false)], total: 1 };
    }
  }
}

async function records(
  store: IDBObjectStore,
  part: string,
  full: (word: string) => string,
  { values, limit }: StorageAsk,
): Promise<Stored> {
  const entries: StoredEntry[] = [];
  const total = await done(store.count());
  await new Promise<void>((resolve, reject) => {
    const cursor = store.openCursor();
    cursor.onerror = () => reject(failed());
    cursor.onsuccess = () => {
      const at = cursor.result;
      if (!at || entries.length >= limit) return resolve();
      const word = keyWord(at.key);
      if (word.includes(part)) entries.push(entry(full(word), shown(at.value), values));
      at.continue();
    };
  });
  return { entries, total: part === "" ? total : entries.length };
}

interface Record_ {
  readonly key: IDBValidKey;
  readonly value: unknown;
}

/** Under its text, or under the number, date or list that the text is JSON of. */
async function look(store: IDBObjectStore, word: string): Promise<Record_ | null> {
  const parsedKey = parsed(word);
  for (const key of typeof parsedKey === "string" ? [word] : [word, parsedKey]) {
    try {
      const valid = key as IDBValidKey;
      if ((await done(store.count(valid))) > 0) {
        return { key: valid, value: await done(store.get(valid)) };
      }
    } catch {
      // Not a key at all.
    }
  }
  return null;
}

function keyWord(key: IDBValidKey): string {
  return typeof key === "string" ? key : shown(key);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** As JSON where it can be; what JSON cannot say is named. */
function shown(value: unknown): string {
  if (typeof value === "string") return value;
  const seen = new Set<object>();
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "bigint") return `${part}n`;
    if (typeof part !== "object" || part === null) return part;
    if (seen.has(part)) return "(seen above)";
    seen.add(part);
    if (part instanceof Map) return { map: [...part] };
    if (part instanceof Set) return { set: [...part] };
    if (part instanceof Blob) return `(${part.type || "blob"}, ${part.size} bytes)`;
    if (part instanceof ArrayBuffer) return `(${part.byteLength} bytes)`;
    if (ArrayBuffer.isView(part)) return `(${part.byteLength} bytes)`;
    return part;
  });
  return text ?? String(value);
}

function longest(path: string, names: readonly string[]): string | null {
  const fits = names.filter((name) => path === name || path.startsWith(`${name}/`));
  return fits.sort((a, b) => b.length - a.length)[0] ?? null;
}

async function using<T>(name: string, work: (db: IDBDatabase) => Promise<T>): Promise<T> {
  const db = await closed(indexedDB.open(name));
  // Whoever wants to upgrade it is not held up.
  db.onversionchange = () => db.close();
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(failed());
  });
}

/** An opening or deletion, which somebody else's use may hold up. */
function closed<T>(request: IDBOpenDBRequest & IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const held = () =>
      reject(new Fault("VALUE_NOT_SET", "the page itself uses that database: it is held open"));
    setTimeout(held, OPEN_MS);
    request.onblocked = held;
    request.onerror = () => reject(failed());
    request.onsuccess = () => resolve(request.result);
  });
}

function failed(): Fault {
  return new Fault("INTERNAL", "the database failed");
}
