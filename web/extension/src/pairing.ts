//! Pairing by code: what a person types, and the extension's side of F1 to F3 and P4 to P7. Pure but
//! for WebCrypto: it pins nothing. Here alone the daemon's key is not known before: who cannot
//! answer with P7 does not know the code and stays a stranger.

import type { Handshake, Unpaired } from "../../wire/link";
import { concat, fromBase64Url, toBase64Url, utf8 } from "./bytes";
import {
  helloOf,
  LABEL_DAEMON,
  type Move,
  nonceOf,
  type Opening,
  parse,
  type Self,
  type Shaking,
  type Signer,
  signedBytes,
  verify,
} from "./handshake";
import { PAIR_ROUNDS, PAIR_TYPED_CHARS } from "./limits";

export const LABEL_PAIR = "pillion/1/pair";
export const LABEL_PAIR_EXTENSION = "pillion/1/pair/extension";
export const LABEL_PAIR_DAEMON = "pillion/1/pair/daemon";

const MAC_BYTES = 32;
const MAC = { name: "HMAC", hash: "SHA-256", length: MAC_BYTES * 8 } as const;

/** Why there is no pairing. `nobody`: no Pillion answered that knows what a code is. */
export type PairFailure = Unpaired | "nobody";

/** Where an attempt stands, for the popup. */
export type PairingView =
  | { readonly is: "idle" | "trying" }
  | { readonly is: "failed"; readonly why: PairFailure | "not_a_code" };

/** From what says least to what says most. */
const TELLING: readonly PairFailure[] = ["nobody", "no_code", "wrong_code", "full", "failed"];

/** The failure to show, of two daemons'. */
export function worse(one: PairFailure, other: PairFailure): PairFailure {
  return TELLING.indexOf(other) > TELLING.indexOf(one) ? other : one;
}

/**
 * The eight characters of what was typed, or null: any case, O for 0, I or L for 1, hyphens and
 * blanks anywhere.
 */
export function readCode(typed: string): string | null {
  const letters = typed.replaceAll(/[-\s]/g, "");
  // Before any change of case: letters of other scripts become ours by it.
  if (typed.length > PAIR_TYPED_CHARS || !/^[0-9A-Za-z]*$/.test(letters)) return null;
  const code = letters.toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return /^[0-9A-HJKMNP-TV-Z]{8}$/.test(code) ? code : null;
}

/** The key that both sides make of the code and both nonces. */
export async function pairingKey(code: string, ours: Uint8Array, theirs: Uint8Array) {
  const base = await crypto.subtle.importKey("raw", utf8(code), "PBKDF2", false, ["deriveKey"]);
  const how = {
    name: "PBKDF2",
    hash: "SHA-256",
    salt: concat(ours, theirs),
    iterations: PAIR_ROUNDS,
  };
  return crypto.subtle.deriveKey(how, base, MAC, false, ["sign", "verify"]);
}

/** One pairing on one connection. */
export class PairingHandshake implements Shaking {
  readonly #frames: string[] = [];
  readonly #opening: Opening;
  readonly #signer: Signer;
  readonly #self: Self;
  readonly #code: string;
  #stage: "daemon" | "proof" | "mac" | "verdict" | "over" = "daemon";
  #daemon: { pk: string; nonce: Uint8Array; version: string } | null = null;
  #key: CryptoKey | null = null;

  /** `code` as [`readCode`] gives it. */
  constructor(opening: Opening, by: Signer, self: Self, code: string) {
    this.#opening = opening;
    this.#signer = by;
    this.#self = self;
    this.#code = code;
  }

  /** F1. */
  hello(): string {
    return this.#record(helloOf(this.#opening));
  }

  /** Takes the next frame of the daemon. */
  async receive(text: string): Promise<Move> {
    const frame = parse(text);
    const move = frame ? await this.#step(frame, text) : null;
    if (move) return move;
    return this.#end({ do: "close", why: "broken" });
  }

  /** Null for a frame that is not this stage's. */
  #step(frame: Handshake, text: string): Move | null | Promise<Move | null> {
    switch (this.#stage) {
      case "daemon":
        return frame.t === "daemon" ? this.#meet(frame, text) : null;
      case "proof":
        return frame.t === "sig" ? this.#prove(frame.sig, text) : null;
      case "mac":
        // Of somebody unproven: it only says which words to show.
        if (frame.t === "unpaired") return this.#end({ do: "unpaired", code: frame.code });
        return frame.t === "mac" ? this.#trust(frame.mac) : null;
      case "verdict":
        return this.#verdict(frame);
      case "over":
        return null;
    }
  }

  #meet(frame: Extract<Handshake, { t: "daemon" }>, text: string): Move | null {
    const nonce = nonceOf(frame, this.#opening);
    if (!nonce) return null;
    this.#daemon = { pk: frame.pk, nonce, version: frame.ver };
    this.#frames.push(text);
    this.#stage = "proof";
    return { do: "wait" };
  }

  /** F3 proves the key that F2 named, not yet whose it is. Then P4, P5 and P6. */
  async #prove(sig: string, text: string): Promise<Move | null> {
    const daemon = this.#daemon;
    if (!daemon || !(await verify(daemon.pk, LABEL_DAEMON, this.#frames, sig))) {
      return this.#end({ do: "close", why: "stranger" });
    }
    this.#frames.push(text);
    const { boot, label } = this.#self;
    const pair = this.#record({ t: "pair", pk: this.#signer.pk, boot, label });
    const proof = await this.#signer.sign(await signedBytes(LABEL_PAIR, this.#frames));
    const signed = this.#record({ t: "sig", sig: toBase64Url(proof) });
    const key = await pairingKey(this.#code, this.#opening.nonce, daemon.nonce);
    const over = await signedBytes(LABEL_PAIR_EXTENSION, this.#frames);
    const ours = new Uint8Array(await crypto.subtle.sign("HMAC", key, over));
    const mac = this.#record({ t: "mac", mac: toBase64Url(ours) });
    this.#key = key;
    this.#stage = "mac";
    return { do: "send", frames: [pair, signed, mac] };
  }

  /** P7: only who knows the code can have made it over these very frames. */
  async #trust(mac: string): Promise<Move | null> {
    const [daemon, key, theirs] = [this.#daemon, this.#key, fromBase64Url(mac)];
    this.#key = null;
    if (!daemon || !key || theirs?.length !== MAC_BYTES) return null;
    const over = await signedBytes(LABEL_PAIR_DAEMON, this.#frames);
    if (!(await crypto.subtle.verify("HMAC", key, theirs, over))) {
      return this.#end({ do: "close", why: "stranger" });
    }
    this.#stage = "verdict";
    return { do: "paired", pk: daemon.pk };
  }

  #verdict(frame: Handshake): Move | null {
    if (frame.t === "welcome") {
      const daemonVersion = this.#daemon?.version ?? "";
      return this.#end({ do: "welcome", profile: frame.profile, daemonVersion });
    }
    return frame.t === "refused" ? this.#end({ do: "refused", code: frame.code }) : null;
  }

  #record(frame: Handshake): string {
    const text = JSON.stringify(frame);
    this.#frames.push(text);
    return text;
  }

  #end(move: Move): Move {
    this.#stage = "over";
    this.#key = null;
    return move;
  }
}
