import { describe, expect, it } from "vitest";
import json from "../../../tests/vectors/handshake.json";
import { concat, fromBase64Url, random, toBase64Url, utf8 } from "../src/bytes";
import {
  LABEL_DAEMON,
  LABEL_EXTENSION,
  type Signer,
  signedBytes,
  signer,
  transcript,
  verify,
} from "../src/handshake";
import { PAIR_ROUNDS } from "../src/limits";
import {
  LABEL_PAIR,
  LABEL_PAIR_DAEMON,
  LABEL_PAIR_EXTENSION,
  PairingHandshake,
  pairingKey,
  readCode,
  worse,
} from "../src/pairing";

interface Pairing {
  name: string;
  port: number;
  link: "ws" | "nm";
  typed: string;
  code: string;
  rounds: number;
  key: string;
  frames: string[];
  transcripts: string[];
  pair_signature: string;
  extension_mac: string;
  daemon_mac: string;
}
interface Vectors {
  labels: Record<string, string>;
  daemon: { pk: string };
  extension: { pk: string };
  pairings: Pairing[];
}

const vectors = json as Vectors;
const CODE = "0M1Z8KQ7";
const hex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const at = (frames: readonly string[], index: number) => frames[index] ?? "";
const flip = (text: string, place: number) =>
  text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ 1) + text.slice(place + 1);

describe("what a person types", () => {
  it.each(["0M1Z-8KQ7", "om1z8kq7", " oMiz 8KQ7 ", "OMLZ-8KQ7\n", "-0-m-1-z-8-k-q-7-"])(
    "%j is the code",
    (typed) => expect(readCode(typed)).toBe(CODE),
  );

  it.each([
    "",
    "0M1Z-8KQ",
    "0M1Z-8KQ77",
    "0M1Z-8KQU",
    "0M1Z_8KQ7",
    "０M1Z8KQ7",
    "ſM1Z8KQ7",
    "x".repeat(99),
  ])("%j is none", (typed) => expect(readCode(typed)).toBeNull());
});

it("of two daemons' failures the one that says more is shown", () => {
  expect(worse("nobody", "no_code")).toBe("no_code");
  expect(worse("wrong_code", "no_code")).toBe("wrong_code");
});

it("the labels are those of the vectors", () => {
  const { pair, pair_extension, pair_daemon } = vectors.labels;
  expect([pair, pair_extension, pair_daemon]).toEqual([
    LABEL_PAIR,
    LABEL_PAIR_EXTENSION,
    LABEL_PAIR_DAEMON,
  ]);
});

function replay(run: Pairing): PairingHandshake {
  const hello = JSON.parse(at(run.frames, 0));
  const pair = JSON.parse(at(run.frames, 3));
  const opening = { ...hello, nonce: fromBase64Url(hello.nonce) };
  const sign = async () => fromBase64Url(run.pair_signature) ?? new Uint8Array();
  const self = { boot: pair.boot, label: pair.label, consent: false };
  return new PairingHandshake(opening, { pk: vectors.extension.pk, sign }, self, run.code);
}

describe.each(vectors.pairings)("vectors: $name", (run) => {
  it("hashes, derives and signs as they say", async () => {
    expect([run.rounds, readCode(run.typed)]).toEqual([PAIR_ROUNDS, run.code]);
    for (const [index, expected] of run.transcripts.entries()) {
      expect(hex(await transcript(run.frames.slice(0, index + 1)))).toBe(expected);
    }
    const four = run.frames.slice(0, 4);
    expect(await verify(vectors.extension.pk, LABEL_PAIR, four, run.pair_signature)).toBe(true);
    expect(await verify(vectors.extension.pk, LABEL_EXTENSION, four, run.pair_signature)).toBe(
      false,
    );
    const nonce = (index: number) =>
      fromBase64Url(JSON.parse(at(run.frames, index)).nonce) ?? new Uint8Array();
    const key = await pairingKey(run.code, nonce(0), nonce(1));
    const bytes = fromHex(run.key);
    const same = await crypto.subtle.importKey(
      "raw",
      bytes,
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    const over = utf8("x");
    expect(hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, over)))).toBe(
      hex(new Uint8Array(await crypto.subtle.sign("HMAC", same, over))),
    );
  });

  it("goes through with the daemon's frames of the vector", async () => {
    const ours = replay(run);
    expect(ours.hello()).toBe(run.frames[0]);
    expect(await ours.receive(at(run.frames, 1))).toEqual({ do: "wait" });
    expect(await ours.receive(at(run.frames, 2))).toEqual({
      do: "send",
      frames: run.frames.slice(3, 6),
    });
    expect(await ours.receive(at(run.frames, 6))).toEqual({ do: "paired", pk: vectors.daemon.pk });
    expect(await ours.receive(at(run.frames, 7))).toMatchObject({ do: "welcome", profile: "buro" });
  });

  it("says no more than hello when a byte of F2 or F3 is flipped", async () => {
    for (const index of [1, 2]) {
      const frame = at(run.frames, index);
      for (let place = 0; place < frame.length; place += 1) {
        const ours = replay(run);
        ours.hello();
        const second = await ours.receive(index === 1 ? flip(frame, place) : at(run.frames, 1));
        const last =
          second.do === "wait"
            ? await ours.receive(index === 2 ? flip(frame, place) : at(run.frames, 2))
            : second;
        expect(last.do, `frame ${index + 1} byte ${place}`).toBe("close");
      }
    }
  }, 30_000);

  it("pins nothing when a byte of P7 is flipped", async () => {
    const frame = at(run.frames, 6);
    for (let place = 0; place < frame.length; place += 3) {
      const ours = await upToTheMac(run);
      expect((await ours.receive(flip(frame, place))).do, `byte ${place}`).toBe("close");
      // Nor later with the right one.
      expect((await ours.receive(frame)).do).toBe("close");
    }
  }, 60_000);
});

async function upToTheMac(run: Pairing): Promise<PairingHandshake> {
  const ours = replay(run);
  ours.hello();
  await ours.receive(at(run.frames, 1));
  await ours.receive(at(run.frames, 2));
  return ours;
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

async function keys(): Promise<Signer> {
  return signer(
    await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, [
      "sign",
      "verify",
    ]),
  );
}

/** A listener with a key of its own, good or bad, and what it saw. */
class Listener {
  readonly nonce = random(32);
  frames: string[] = [];

  constructor(
    readonly signer: Signer,
    readonly ours: PairingHandshake,
    readonly opening: { nonce: Uint8Array },
  ) {
    this.frames.push(ours.hello());
  }

  second(change: object = {}): string {
    const { pk } = this.signer;
    const nonce = toBase64Url(this.nonce);
    const frame = { t: "daemon", proto: 1, nonce, pk, port: 47_613, ver: "0", caps: [] };
    return JSON.stringify({ ...frame, ...change });
  }

  async third(label = LABEL_DAEMON): Promise<string> {
    const sig = await this.signer.sign(await signedBytes(label, this.frames));
    return JSON.stringify({ t: "sig", sig: toBase64Url(sig) });
  }

  /** F2 and F3, and what the extension answered: P4, P5, P6. */
  async meet(): Promise<void> {
    for (const frame of [this.second()]) {
      this.frames.push(frame);
      expect(await this.ours.receive(frame)).toEqual({ do: "wait" });
    }
    const third = await this.third();
    this.frames.push(third);
    const move = await this.ours.receive(third);
    if (move.do !== "send") throw new Error(move.do);
    this.frames.push(...move.frames);
  }

  async mac(code: string, label = LABEL_PAIR_DAEMON): Promise<string> {
    const key = await pairingKey(code, this.opening.nonce, this.nonce);
    const mac = await crypto.subtle.sign("HMAC", key, await signedBytes(label, this.frames));
    return JSON.stringify({ t: "mac", mac: toBase64Url(new Uint8Array(mac)) });
  }
}

async function listener(): Promise<Listener> {
  const opening = { port: 47_613, link: "ws", ext: "0.1.0", caps: [], nonce: random(32) } as const;
  const self = { boot: "b", label: "Work", consent: false };
  const ours = new PairingHandshake({ ...opening, caps: [] }, await keys(), self, CODE);
  return new Listener(await keys(), ours, opening);
}

describe("who does not know the code", () => {
  it("cannot finish P7", async () => {
    for (const guess of ["00000000", "0M1Z8KQ8"]) {
      const squatter = await listener();
      await squatter.meet();
      expect(await squatter.ours.receive(await squatter.mac(guess))).toEqual({
        do: "close",
        why: "stranger",
      });
    }
  });

  it("cannot hand the extension's own MAC back, or one under another label", async () => {
    const echo = await listener();
    await echo.meet();
    expect((await echo.ours.receive(at(echo.frames, 5))).do).toBe("close");
    const wrong = await listener();
    await wrong.meet();
    expect((await wrong.ours.receive(await wrong.mac(CODE, LABEL_PAIR_EXTENSION))).do).toBe(
      "close",
    );
  });

  it("cannot say welcome in place of P7, nor refuse", async () => {
    for (const frame of [
      { t: "welcome", profile: "x" },
      { t: "refused", code: "copy" },
    ]) {
      const squatter = await listener();
      await squatter.meet();
      expect(await squatter.ours.receive(JSON.stringify(frame))).toEqual({
        do: "close",
        why: "broken",
      });
    }
  });

  it("may say why not, and that is no more than words", async () => {
    const squatter = await listener();
    await squatter.meet();
    const no = JSON.stringify({ t: "unpaired", code: "wrong_code" });
    expect(await squatter.ours.receive(no)).toEqual({ do: "unpaired", code: "wrong_code" });
    expect((await squatter.ours.receive(await squatter.mac(CODE))).do).toBe("close");
  });

  it.each([{ port: 47_614 }, { proto: 2 }, { nonce: "AAAA" }, { pk: "AAAA" }])(
    "learns no more than hello with %j",
    async (change) => {
      const squatter = await listener();
      expect((await squatter.ours.receive(squatter.second(change))).do).toBe("close");
    },
  );

  it("learns no more than hello without a good signature of its own key", async () => {
    const squatter = await listener();
    const second = squatter.second();
    squatter.frames.push(second);
    await squatter.ours.receive(second);
    expect(await squatter.ours.receive(await squatter.third(LABEL_EXTENSION))).toEqual({
      do: "close",
      why: "stranger",
    });
  });
});

it("who knows the code is trusted, once", async () => {
  const daemon = await listener();
  await daemon.meet();
  const mac = await daemon.mac(CODE);
  expect(await daemon.ours.receive(mac)).toEqual({ do: "paired", pk: daemon.signer.pk });
  expect((await daemon.ours.receive(mac)).do).toBe("close");
});

it("random and changed frames never pair and never throw", async () => {
  // A small generator of numbers, so that a failure can be repeated.
  let seed = 7;
  const draw = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 300; round += 1) {
    const peer = await listener();
    const samples = [
      peer.second(),
      JSON.stringify({ t: "sig", sig: toBase64Url(random(64)) }),
      JSON.stringify({ t: "mac", mac: toBase64Url(random(32)) }),
      JSON.stringify({ t: "welcome", profile: "x" }),
      JSON.stringify({ t: "unpaired", code: "full" }),
      "[".repeat(4_000),
      "null",
      '{"t":"mac"}',
    ];
    for (let step = 0; step < 4; step += 1) {
      const sample = at(samples, draw(samples.length));
      const frame = draw(2) === 0 ? sample : flip(sample, draw(sample.length));
      const move = await peer.ours.receive(frame);
      expect(["wait", "close"]).toContain(move.do);
    }
  }
});

it("the key is made of both nonces in their order", async () => {
  const [one, two] = [random(32), random(32)];
  const mac = async (a: Uint8Array, b: Uint8Array) =>
    hex(
      new Uint8Array(
        await crypto.subtle.sign("HMAC", await pairingKey(CODE, a, b), concat(one, two)),
      ),
    );
  expect(await mac(one, two)).not.toBe(await mac(two, one));
});
