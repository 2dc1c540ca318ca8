import { describe, expect, it } from "vitest";
import json from "../../../tests/vectors/handshake.json";
import { fromBase64Url, random, toBase64Url } from "../src/bytes";
import {
  ExtensionHandshake,
  LABEL_DAEMON,
  LABEL_EXTENSION,
  type Signer,
  signedBytes,
  signer,
  transcript,
  verify,
} from "../src/handshake";

interface Run {
  name: string;
  port: number;
  link: "ws" | "nm";
  frames: string[];
  transcripts: string[];
  daemon_signature: string;
  extension_signature: string;
}
interface Vectors {
  daemon: { pk: string; jwk: JsonWebKey; pkcs8: string };
  extension: { pk: string; jwk: JsonWebKey; pkcs8: string };
  profile_id: string;
  runs: Run[];
}

const vectors = json as Vectors;
const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function keys(): Promise<Signer> {
  return signer(
    await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, [
      "sign",
      "verify",
    ]),
  );
}

describe.each(vectors.runs)("vectors: $name", (run) => {
  it("hashes the frames as they were sent", async () => {
    for (const [index, expected] of run.transcripts.entries()) {
      expect(hex(await transcript(run.frames.slice(0, index + 1)))).toBe(expected);
    }
  });

  it("accepts the given signatures and no others", async () => {
    const { daemon, extension } = vectors;
    const two = run.frames.slice(0, 2);
    const four = run.frames.slice(0, 4);
    expect(await verify(daemon.pk, LABEL_DAEMON, two, run.daemon_signature)).toBe(true);
    expect(await verify(extension.pk, LABEL_EXTENSION, four, run.extension_signature)).toBe(true);
    expect(await verify(daemon.pk, LABEL_EXTENSION, two, run.daemon_signature)).toBe(false);
    expect(await verify(extension.pk, LABEL_DAEMON, two, run.daemon_signature)).toBe(false);
  });

  it("goes through with the daemon's frames of the vector", async () => {
    const hello = JSON.parse(run.frames[0] ?? "");
    const profile = JSON.parse(run.frames[3] ?? "");
    const opening = { ...hello, nonce: fromBase64Url(hello.nonce) };
    const by = { pk: vectors.extension.pk, sign: async () => fixed(run.extension_signature) };
    const self = { boot: profile.boot, label: profile.label, consent: true };
    const ours = new ExtensionHandshake(opening, by, vectors.daemon.pk, self);
    expect(ours.hello()).toBe(run.frames[0]);
    expect(await ours.receive(run.frames[1] ?? "")).toEqual({ do: "wait" });
    expect(await ours.receive(run.frames[2] ?? "")).toEqual({
      do: "send",
      frames: [run.frames[3], run.frames[4]],
    });
    expect(await ours.receive(run.frames[5] ?? "")).toMatchObject({
      do: "welcome",
      profile: "work-laptop",
    });
  });

  it("says no more than hello when a byte of the daemon's frames is flipped", async () => {
    for (const index of [1, 2]) {
      const frame = run.frames[index] ?? "";
      for (let at = 0; at < frame.length; at += 1) {
        const flipped =
          frame.slice(0, at) + String.fromCharCode(frame.charCodeAt(at) ^ 1) + frame.slice(at + 1);
        expect(await outcome(run, index, flipped), `frame ${index} byte ${at}`).toBe("close");
      }
    }
  }, 30_000);
});

/** What becomes of a run with one of the daemon's frames replaced. */
async function outcome(run: Run, index: number, replaced: string): Promise<string> {
  const hello = JSON.parse(run.frames[0] ?? "");
  const opening = { ...hello, nonce: fromBase64Url(hello.nonce) };
  const by = { pk: vectors.extension.pk, sign: async () => fixed(run.extension_signature) };
  const self = { boot: "", label: "", consent: false };
  const ours = new ExtensionHandshake(opening, by, vectors.daemon.pk, self);
  ours.hello();
  const second = await ours.receive(index === 1 ? replaced : (run.frames[1] ?? ""));
  if (second.do !== "wait") return second.do;
  return (await ours.receive(index === 2 ? replaced : (run.frames[2] ?? ""))).do;
}

function fixed(sig: string): Uint8Array {
  return fromBase64Url(sig) ?? new Uint8Array();
}

interface Peer {
  hello: string;
  daemon: Signer;
  ours: ExtensionHandshake;
}

async function start(pinned?: string, port = 47_613): Promise<Peer> {
  const daemon = await keys();
  const ours = new ExtensionHandshake(
    { port, link: "ws", ext: "0.1.0", caps: [], nonce: random(32) },
    await keys(),
    pinned ?? daemon.pk,
    { boot: "b", label: "Work", consent: true },
  );
  return { hello: ours.hello(), daemon, ours };
}

function second(peer: Peer, change: object = {}): string {
  const nonce = toBase64Url(random(32));
  const { pk } = peer.daemon;
  const frame = { t: "daemon", proto: 1, nonce, pk, port: 47_613, ver: "0.1.0", caps: [] };
  return JSON.stringify({ ...frame, ...change });
}

async function third(peer: Peer, frame: string, label = LABEL_DAEMON): Promise<string> {
  const sig = await peer.daemon.sign(await signedBytes(label, [peer.hello, frame]));
  return JSON.stringify({ t: "sig", sig: toBase64Url(sig) });
}

describe("the extension refuses", () => {
  it("a daemon whose key is not the pinned one", async () => {
    const peer = await start((await keys()).pk);
    expect(await peer.ours.receive(second(peer))).toEqual({ do: "close", why: "stranger" });
  });

  it("a daemon that listens elsewhere, with its own good signature", async () => {
    const peer = await start();
    const moved = second(peer, { port: 47_614 });
    expect(await peer.ours.receive(moved)).toEqual({ do: "close", why: "broken" });
  });

  it.each([{ proto: 2 }, { proto: 0 }, { nonce: "AAAA" }, { nonce: 7 }, { pk: "AAAA" }])(
    "a second frame with %j",
    async (change) => {
      const peer = await start();
      expect((await peer.ours.receive(second(peer, change))).do).toBe("close");
    },
  );

  it("a signature under another label, or over another hello", async () => {
    const peer = await start();
    const frame = second(peer);
    await peer.ours.receive(frame);
    const wrong = await third(peer, frame, LABEL_EXTENSION);
    expect(await peer.ours.receive(wrong)).toEqual({ do: "close", why: "stranger" });

    const other = await start();
    const replayed = second(other);
    await other.ours.receive(replayed);
    const foreign = await third({ ...other, hello: peer.hello }, replayed);
    expect(await other.ours.receive(foreign)).toEqual({ do: "close", why: "stranger" });
  });

  it("to believe a refusal before the proof", async () => {
    const refused = JSON.stringify({ t: "refused", code: "copy" });
    const early = await start();
    expect(await early.ours.receive(refused)).toEqual({ do: "close", why: "broken" });
    const later = await start();
    await later.ours.receive(second(later));
    expect(await later.ours.receive(refused)).toEqual({ do: "close", why: "broken" });
  });

  it("frames that are too long, no JSON, or after the end", async () => {
    for (const bad of ["", "null", "[]", "{", '{"t":"welcome"}', `"${"x".repeat(5_000)}"`]) {
      const peer = await start();
      expect((await peer.ours.receive(bad)).do).toBe("close");
      expect((await peer.ours.receive(second(peer))).do).toBe("close");
    }
  });
});

it("a proven daemon's refusal is believed", async () => {
  const peer = await start();
  const frame = second(peer);
  await peer.ours.receive(frame);
  const move = await peer.ours.receive(await third(peer, frame));
  expect(move.do).toBe("send");
  const refused = JSON.stringify({ t: "refused", code: "copy" });
  expect(await peer.ours.receive(refused)).toEqual({ do: "refused", code: "copy" });
});

it("both of the extension's proofs verify under its key", async () => {
  const peer = await start();
  const frame = second(peer);
  const proof = await third(peer, frame);
  await peer.ours.receive(frame);
  const move = await peer.ours.receive(proof);
  if (move.do !== "send") throw new Error("not sent");
  const [profile, sig] = move.frames.map((text) => JSON.parse(text));
  const frames = [peer.hello, frame, proof, move.frames[0] ?? ""];
  expect(profile).toMatchObject({ t: "profile", label: "Work", consent: true });
  expect(await verify(profile.pk, LABEL_EXTENSION, frames, sig.sig)).toBe(true);
});
