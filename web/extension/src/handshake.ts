//! The extension's side of the handshake F1 to F6. Pure but for WebCrypto: it never opens a socket
//! and never changes what is pinned. An unproven daemon learns F1 and nothing else.

import type { Handshake, LinkKind, Refusal, Unpaired } from "../../wire/link";
import { concat, fromBase64Url, toBase64Url, u32be, utf8 } from "./bytes";
import { HANDSHAKE_FRAME_BYTES, HANDSHAKE_FRAMES, PROTOCOL } from "./limits";

export const LABEL_DAEMON = "pillion/1/daemon";
export const LABEL_EXTENSION = "pillion/1/extension";

const ECDSA = { name: "ECDSA", namedCurve: "P-256" } as const;
const SHA256 = { name: "ECDSA", hash: "SHA-256" } as const;
const NONCE_BYTES = 32;
const KEY_BYTES = 65;
const REFUSALS: readonly string[] = ["unknown_profile", "version", "copy", "full"];
const UNPAIRED: readonly Unpaired[] = ["no_code", "wrong_code", "full", "failed"];

/** The profile's key pair, as far as the handshake needs it. */
export interface Signer {
  /** 65-byte SEC1 key, base64url. */
  readonly pk: string;
  sign(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
}

/** What the extension says in F1. */
export interface Opening {
  readonly port: number;
  readonly link: LinkKind;
  readonly ext: string;
  readonly caps: string[];
  readonly nonce: Uint8Array;
}

/** What the extension says in F4. */
export interface Self {
  readonly boot: string;
  readonly label: string;
  readonly consent: boolean;
}

/** What to do after a frame. */
export type Move =
  | { readonly do: "wait" }
  | { readonly do: "send"; readonly frames: readonly string[] }
  | { readonly do: "welcome"; readonly profile: string; readonly daemonVersion: string }
  | { readonly do: "refused"; readonly code: Refusal }
  | { readonly do: "paired"; readonly pk: string }
  | { readonly do: "unpaired"; readonly code: Unpaired }
  | { readonly do: "close"; readonly why: "stranger" | "broken" };

/** The extension's side of one connection until the verdict. */
export interface Shaking {
  /** F1. */
  hello(): string;
  /** Takes the next frame of the daemon. After `close`, `welcome`, `refused`, `unpaired` it is over. */
  receive(text: string): Promise<Move>;
}

/** F1 as a frame. */
export function helloOf({ port, link, ext, caps, nonce }: Opening): Handshake {
  const proto: [number, number] = [PROTOCOL, PROTOCOL];
  return { t: "hello", proto, nonce: toBase64Url(nonce), port, link, ext, caps };
}

/** The nonce of an F2 that fits F1: the dialled port, our protocol, a key of the right size. */
export function nonceOf(
  frame: Extract<Handshake, { t: "daemon" }>,
  opening: Opening,
): Uint8Array | null {
  const nonce = fromBase64Url(frame.nonce);
  const fits =
    frame.port === opening.port &&
    frame.proto === PROTOCOL &&
    fromBase64Url(frame.pk)?.length === KEY_BYTES;
  return fits && nonce?.length === NONCE_BYTES ? nonce : null;
}

/** Hash over the frames exactly as sent. */
export async function transcript(frames: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const parts = frames.flatMap((frame) => {
    const bytes = utf8(frame);
    return [u32be(bytes.length), bytes];
  });
  return new Uint8Array(await crypto.subtle.digest("SHA-256", concat(...parts)));
}

/** What a signature is over: `label ‖ 0x00 ‖ T(k)`. */
export async function signedBytes(
  label: string,
  frames: readonly string[],
): Promise<Uint8Array<ArrayBuffer>> {
  return concat(utf8(label), new Uint8Array(1), await transcript(frames));
}

/** Whether the signature over `label ‖ 0 ‖ T` is good under a SEC1 key. */
export async function verify(
  pk: string,
  label: string,
  frames: readonly string[],
  sig: string,
): Promise<boolean> {
  const key = fromBase64Url(pk);
  const signature = fromBase64Url(sig);
  if (key?.length !== KEY_BYTES || signature?.length !== 64) return false;
  try {
    const imported = await crypto.subtle.importKey("raw", key, ECDSA, false, ["verify"]);
    return await crypto.subtle.verify(
      SHA256,
      imported,
      signature,
      await signedBytes(label, frames),
    );
  } catch {
    // Not a point of the curve.
    return false;
  }
}

/** A signer over a WebCrypto key pair. */
export async function signer(pair: CryptoKeyPair): Promise<Signer> {
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return {
    pk: toBase64Url(raw),
    sign: async (data) => new Uint8Array(await crypto.subtle.sign(SHA256, pair.privateKey, data)),
  };
}

/** One handshake on one connection. */
export class ExtensionHandshake implements Shaking {
  readonly #frames: string[] = [];
  readonly #opening: Opening;
  readonly #signer: Signer;
  readonly #pinned: string;
  readonly #self: Self;
  #stage: "daemon" | "proof" | "verdict" | "over" = "daemon";
  #version = "";

  constructor(opening: Opening, by: Signer, pinned: string, self: Self) {
    this.#opening = opening;
    this.#signer = by;
    this.#pinned = pinned;
    this.#self = self;
  }

  /** F1. */
  hello(): string {
    return this.#record(helloOf(this.#opening));
  }

  /** Takes the next frame of the daemon. After `close`, `welcome` and `refused` it is over. */
  async receive(text: string): Promise<Move> {
    const frame = this.#frames.length < HANDSHAKE_FRAMES ? parse(text) : null;
    if (!frame) return this.#end({ do: "close", why: "broken" });
    switch (this.#stage) {
      case "daemon":
        return this.#daemon(frame, text);
      case "proof":
        return this.#proof(frame, text);
      case "verdict":
        return this.#verdict(frame);
      case "over":
        return { do: "close", why: "broken" };
    }
  }

  #daemon(frame: Handshake, text: string): Move {
    // A refusal before the proof changes nothing: anybody may have said it.
    if (frame.t !== "daemon") return this.#end({ do: "close", why: "broken" });
    if (frame.pk !== this.#pinned) return this.#end({ do: "close", why: "stranger" });
    if (!nonceOf(frame, this.#opening)) return this.#end({ do: "close", why: "broken" });
    this.#frames.push(text);
    this.#version = frame.ver;
    this.#stage = "proof";
    return { do: "wait" };
  }

  async #proof(frame: Handshake, text: string): Promise<Move> {
    if (frame.t !== "sig") return this.#end({ do: "close", why: "broken" });
    if (!(await verify(this.#pinned, LABEL_DAEMON, this.#frames, frame.sig))) {
      return this.#end({ do: "close", why: "stranger" });
    }
    this.#frames.push(text);
    const profile = this.#record({ t: "profile", pk: this.#signer.pk, ...this.#self });
    const proof = await this.#signer.sign(await signedBytes(LABEL_EXTENSION, this.#frames));
    const sig = this.#record({ t: "sig", sig: toBase64Url(proof) });
    this.#stage = "verdict";
    return { do: "send", frames: [profile, sig] };
  }

  #verdict(frame: Handshake): Move {
    if (frame.t === "welcome") {
      return this.#end({ do: "welcome", profile: frame.profile, daemonVersion: this.#version });
    }
    if (frame.t === "refused") return this.#end({ do: "refused", code: frame.code });
    return this.#end({ do: "close", why: "broken" });
  }

  #record(frame: Handshake): string {
    const text = JSON.stringify(frame);
    this.#frames.push(text);
    return text;
  }

  #end(move: Move): Move {
    this.#stage = "over";
    return move;
  }
}

/** A handshake frame of the daemon with the fields that it must have, or null. */
export function parse(text: string): Handshake | null {
  if (utf8(text).length > HANDSHAKE_FRAME_BYTES) return null;
  let frame: Record<string, unknown>;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof frame !== "object" || frame === null) return null;
  const text_ = (key: string) => (typeof frame[key] === "string" ? (frame[key] as string) : null);
  switch (frame.t) {
    case "daemon": {
      const [nonce, pk, ver] = [text_("nonce"), text_("pk"), text_("ver")];
      if (nonce === null || pk === null || ver === null) return null;
      if (typeof frame.proto !== "number" || typeof frame.port !== "number") return null;
      const caps = Array.isArray(frame.caps) ? frame.caps.filter((c) => typeof c === "string") : [];
      return { t: "daemon", proto: frame.proto, nonce, pk, port: frame.port, ver, caps };
    }
    case "sig": {
      const sig = text_("sig");
      return sig === null ? null : { t: "sig", sig };
    }
    case "mac": {
      const mac = text_("mac");
      return mac === null ? null : { t: "mac", mac };
    }
    case "unpaired": {
      const code = UNPAIRED.find((one) => one === frame.code);
      return code === undefined ? null : { t: "unpaired", code };
    }
    case "welcome": {
      const profile = text_("profile");
      return profile === null ? null : { t: "welcome", profile };
    }
    case "refused": {
      const code = text_("code");
      return code !== null && REFUSALS.includes(code)
        ? { t: "refused", code: code as Refusal }
        : null;
    }
    default:
      return null;
  }
}
