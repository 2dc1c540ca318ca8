//! The profile's own key pair and the pinned daemon, in IndexedDB. The private key is not
//! extractable and never leaves the profile; nothing here is synced.

import { type Signer, signer } from "./handshake";

const DATABASE = "pillion";
const STORE = "identity";

/** The daemon that this profile trusts. */
export interface Pinned {
  /** 65-byte SEC1 key, base64url. */
  readonly pk: string;
  /** Where it was last. */
  readonly port: number;
  /** The last link went through the helper: no socket could be opened. */
  readonly relayed?: boolean;
}

let keys: Promise<Signer> | null = null;

/** The profile's key pair; made at first use, read once a life. */
export function profileKeys(): Promise<Signer> {
  keys ??= readKeys();
  return keys;
}

async function readKeys(): Promise<Signer> {
  const stored = await read<CryptoKeyPair>("profile");
  if (stored) return signer(stored);
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, [
    "sign",
    "verify",
  ]);
  await write("profile", pair);
  return signer(pair);
}

/** The pinned daemon, if any. */
export async function pinnedDaemon(): Promise<Pinned | null> {
  return (await read<Pinned>("daemon")) ?? null;
}

/** Trust this daemon from now on. */
export async function pinDaemon(pinned: Pinned): Promise<void> {
  await write("daemon", pinned);
}

/** Forget the key pair and the pin: the profile becomes a new one. */
export async function forgetIdentity(): Promise<void> {
  keys = null;
  await write("profile", undefined);
  await write("daemon", undefined);
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return done(request);
}

async function read<T>(key: string): Promise<T | undefined> {
  const database = await open();
  try {
    return await done(database.transaction(STORE).objectStore(STORE).get(key));
  } finally {
    database.close();
  }
}

async function write(key: string, value: unknown): Promise<void> {
  const database = await open();
  try {
    const store = database.transaction(STORE, "readwrite").objectStore(STORE);
    if (value === undefined) await done(store.delete(key));
    else await done(store.put(value, key));
  } finally {
    database.close();
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
