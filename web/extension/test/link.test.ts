import { expect, it, vi } from "vitest";
import type { ToExtension } from "../../wire/link";
import { fromBase64Url, random, toBase64Url } from "../src/bytes";
import { LABEL_DAEMON, type Signer, signedBytes, signer } from "../src/handshake";
import type { Pinned } from "../src/identity";
import { HANDSHAKE_MS, PAIR_MS, PORTS } from "../src/limits";
import { Link, type LinkState } from "../src/link";
import type { Helper } from "../src/native";
import { LABEL_PAIR_DAEMON, pairingKey } from "../src/pairing";
import type { Transport, TransportEvents } from "../src/transport";

const [A = 0, B = 0] = PORTS;

async function keys(): Promise<Signer> {
  return signer(
    await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, [
      "sign",
      "verify",
    ]),
  );
}

/** P7 of a daemon that has this code. */
async function mac(code: string, frames: readonly string[]): Promise<{ t: "mac"; mac: string }> {
  const nonce = (at: number) =>
    fromBase64Url(JSON.parse(frames[at] ?? "").nonce) ?? new Uint8Array();
  const key = await pairingKey(code, nonce(0), nonce(1));
  const made = await crypto.subtle.sign("HMAC", key, await signedBytes(LABEL_PAIR_DAEMON, frames));
  return { t: "mac", mac: toBase64Url(new Uint8Array(made)) };
}

/** A daemon that answers as it should, until it is told otherwise. */
class FakeDaemon {
  sent: string[] = [];
  verdict: object = { t: "welcome", profile: "work" };
  connections = 0;
  /** What it answers to P6: P7 made of this code, or a frame of the test's. */
  code: string | object = { t: "unpaired", code: "no_code" };
  #on: TransportEvents | null = null;

  constructor(readonly keys: Signer) {}

  open(on: TransportEvents, port: number): Transport {
    this.connections += 1;
    this.#on = on;
    const frames: string[] = [];
    const take = async (text: string) => {
      this.sent.push(text);
      frames.push(text);
      if (frames.length === 1) {
        const nonce = toBase64Url(random(32));
        const { pk } = this.keys;
        const daemon = { t: "daemon", proto: 1, nonce, pk, port, ver: "0.1.0", caps: [] };
        frames.push(JSON.stringify(daemon));
        on.text(frames[1] ?? "");
        const sig = toBase64Url(await this.keys.sign(await signedBytes(LABEL_DAEMON, frames)));
        frames.push(JSON.stringify({ t: "sig", sig }));
        on.text(frames[2] ?? "");
      } else if (frames.length === 6 && frames[3]?.includes('"pair"')) {
        const answer = typeof this.code === "string" ? await mac(this.code, frames) : this.code;
        on.text(JSON.stringify(answer));
        if ("mac" in answer) on.text(JSON.stringify(this.verdict));
      } else if (frames.length === 5 && !frames[3]?.includes('"pair"')) {
        on.text(JSON.stringify(this.verdict));
      }
    };
    return { send: (text) => void take(text), close: () => on.closed() };
  }

  say(frame: object): void {
    this.#on?.text(JSON.stringify(frame));
  }

  die(): void {
    this.#on?.closed();
  }
}

class World {
  readonly ports = new Map<number, FakeDaemon>();
  helper: { pk: string; port: number; consent?: boolean; relay?: FakeDaemon } | null = null;
  stored: Pinned | null = null;
  dials: number[] = [];
  /** The helper answers after this. */
  slowly: Promise<void> = Promise.resolve();
  enrolments = 0;
  consents = 0;
  repins = 0;
  silent = 0;
  states: LinkState[] = [];
  frames: ToExtension[] = [];
  clock = 0;
  readonly link: Link;

  constructor(own: Signer) {
    this.link = new Link(
      {
        ext: "0.1.0",
        caps: [],
        probe: async (port) => this.ports.has(port),
        dial: async (port, on) => {
          this.dials.push(port);
          const daemon = this.ports.get(port);
          if (!daemon) throw new Error("refused");
          return daemon.open(on, port);
        },
        enrol: async () => {
          await this.slowly;
          return this.#enrol();
        },
        keys: async () => own,
        pinned: async () => this.stored,
        pin: async (pinned) => {
          this.stored = pinned;
        },
        self: async () => ({ boot: "b", label: "Work", consent: false }),
        mayAskInSilence: async () => {
          this.silent += 1;
          return this.silent === 1;
        },
        consented: async () => {
          this.consents += 1;
        },
        now: () => this.clock,
        sleep: async (ms) => {
          this.clock += ms;
          await new Promise((resolve) => setTimeout(resolve, 1));
        },
      },
      {
        frame: (frame) => this.frames.push(frame),
        state: (state) => this.states.push(state),
        repinned: () => {
          this.repins += 1;
        },
      },
    );
  }

  #enrol(): Helper {
    this.enrolments += 1;
    const { helper } = this;
    if (!helper) throw new Error("Specified native messaging host not found.");
    return {
      pk: helper.pk,
      port: helper.port,
      consent: helper.consent === true,
      close: () => undefined,
      relay: (on) => {
        if (!helper.relay) throw new Error("no relay");
        return helper.relay.open(on, 0);
      },
    };
  }

  async until(condition: () => boolean): Promise<void> {
    for (let tries = 0; tries < 2_000 && !condition(); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(condition()).toBe(true);
  }
}

async function world(): Promise<{ world: World; daemon: FakeDaemon }> {
  return { world: new World(await keys()), daemon: new FakeDaemon(await keys()) };
}

it("a new profile enrols through the helper and dials the port that it names", async () => {
  const { world: w, daemon } = await world();
  w.ports.set(B, daemon);
  w.helper = { pk: daemon.keys.pk, port: B, consent: true };
  await w.link.kick();
  expect(w.link.state).toEqual({ is: "connected", profile: "work", version: "0.1.0" });
  expect(w.stored).toEqual({ pk: daemon.keys.pk, port: B });
  expect([w.dials, w.consents, w.repins]).toEqual([[B], 1, 0]);
});

it("without a helper and a pin the popup says so, and a later helper is found", async () => {
  const { world: w, daemon } = await world();
  void w.link.kick();
  await w.until(() => w.link.state.is === "no_helper");
  w.ports.set(A, daemon);
  w.helper = { pk: daemon.keys.pk, port: A };
  await w.until(() => w.link.up);
});

it("a pinned daemon is found on another port without the helper", async () => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(B, daemon);
  await w.link.kick();
  expect(w.link.up).toBe(true);
  expect([w.enrolments, w.stored?.port]).toEqual([0, B]);
});

it("a dead port is never dialled", async () => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  void w.link.kick();
  await w.until(() => w.clock > 2_000);
  expect(w.dials).toEqual([]);
  w.ports.set(A, daemon);
  await w.until(() => w.link.up);
});

it("a lost link is searched for at once, and requests flow again", async () => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(A, daemon);
  await w.link.kick();
  daemon.die();
  expect(w.link.state.is).toBe("searching");
  await w.until(() => w.link.up);
  daemon.say({ t: "ping" });
  daemon.say({ t: "request", id: 1, deadlineMs: 1, verb: { verb: "tabs" } });
  expect(daemon.sent.at(-1)).toBe('{"t":"pong"}');
  expect(w.frames).toHaveLength(1);
});

it("a squatter learns hello and nothing else, and changes no pin", async () => {
  const { world: w, daemon } = await world();
  const squatter = new FakeDaemon(await keys());
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(A, squatter);
  w.ports.set(B, daemon);
  await w.link.kick();
  expect(w.link.up).toBe(true);
  expect(squatter.sent).toHaveLength(1);
  expect(w.stored?.pk).toBe(daemon.keys.pk);
  expect(w.enrolments).toBe(0);
});

it("another daemon takes the pinned one's place only through the helper", async () => {
  const { world: w, daemon } = await world();
  const fresh = new FakeDaemon(await keys());
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(A, fresh);
  void w.link.kick();
  await w.until(() => w.enrolments > 0);
  expect([w.link.up, w.stored?.pk]).toEqual([false, daemon.keys.pk]);
  w.helper = { pk: fresh.keys.pk, port: A };
  await w.until(() => w.link.up);
  expect([w.stored?.pk, w.repins]).toEqual([fresh.keys.pk, 1]);
});

it("a daemon that does not know the profile any more is asked through the helper", async () => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(A, daemon);
  daemon.verdict = { t: "refused", code: "unknown_profile" };
  w.helper = { pk: daemon.keys.pk, port: A };
  void w.link.kick();
  await w.until(() => w.enrolments > 0);
  daemon.verdict = { t: "welcome", profile: "work" };
  await w.until(() => w.link.up);
});

it.each(["version", "copy", "full"])("refused %s is shown and tried again", async (code) => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(A, daemon);
  daemon.verdict = { t: "refused", code };
  void w.link.kick();
  await w.until(() => w.link.state.is === "refused");
  expect(w.link.state).toEqual({ is: "refused", code });
  daemon.verdict = { t: "welcome", profile: "work" };
  await w.until(() => w.link.up);
});

it("frames go through the helper where no socket can be opened", async () => {
  const { world: w, daemon } = await world();
  w.helper = { pk: daemon.keys.pk, port: A, relay: daemon };
  await w.link.kick();
  expect(w.link.up).toBe(true);
  expect(w.dials).toEqual([]);
  expect(JSON.parse(daemon.sent[0] ?? "")).toMatchObject({ t: "hello", link: "nm", port: 0 });
});

it("there is one search and one connection however often it is kicked", async () => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(A, daemon);
  await Promise.all([w.link.kick(), w.link.kick(), w.link.kick()]);
  await w.link.kick();
  expect(daemon.connections).toBe(1);
});

it("a link that was silent too long is dropped on the next kick", async () => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(A, daemon);
  await w.link.kick();
  w.clock += 60_000;
  await w.link.kick();
  await w.until(() => w.link.up && daemon.connections === 2);
});

it("a daemon that is away is not started by the helper again and again", async () => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  void w.link.kick();
  await w.until(() => w.clock > 300_000);
  expect(w.enrolments).toBe(1);
  w.ports.set(A, daemon);
  await w.until(() => w.link.up);
});

it("a relayed link is found again through the helper", async () => {
  const { world: w, daemon } = await world();
  w.helper = { pk: daemon.keys.pk, port: A, relay: daemon };
  await w.link.kick();
  expect(w.stored?.relayed).toBe(true);
  daemon.die();
  await w.until(() => w.link.up && daemon.connections === 2);
});

it("a stranger on another port does not make the helper start", async () => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(B, new FakeDaemon(await keys()));
  void w.link.kick();
  await w.until(() => w.clock > 60_000);
  expect(w.enrolments).toBe(1);
  w.ports.set(A, daemon);
  await w.until(() => w.link.up);
});

const CODE = "0M1Z8KQ7";

it("a typed code pairs, pins, gives consent, and the link stands", async () => {
  const { world: w, daemon } = await world();
  daemon.code = CODE;
  w.ports.set(B, daemon);
  expect(await w.link.pair(CODE)).toBeNull();
  expect([w.link.up, w.stored, w.consents]).toEqual([true, { pk: daemon.keys.pk, port: B }, 1]);
  expect(w.enrolments).toBe(0);
});

it("ports are tried in turn: squatters before the daemon change nothing", async () => {
  const { world: w, daemon } = await world();
  const squatter = new FakeDaemon(await keys());
  squatter.code = { t: "welcome", profile: "squat" };
  daemon.code = CODE;
  w.ports.set(A, squatter);
  w.ports.set(B, daemon);
  expect(await w.link.pair(CODE)).toBeNull();
  expect([w.stored?.pk, w.dials]).toEqual([daemon.keys.pk, [A, B]]);
});

it.each([
  ["another code", "00000000", "nobody"],
  ["no code", { t: "unpaired", code: "no_code" }, "no_code"],
  ["a wrong code", { t: "unpaired", code: "wrong_code" }, "wrong_code"],
  ["a refusal", { t: "refused", code: "copy" }, "nobody"],
  ["a welcome", { t: "welcome", profile: "x" }, "nobody"],
] as const)("a listener with %s pins nothing and is not let in", async (_, code, failure) => {
  const { world: w, daemon } = await world();
  daemon.code = code;
  w.ports.set(A, daemon);
  expect(await w.link.pair(CODE)).toBe(failure);
  expect([w.link.up, w.stored, w.consents]).toEqual([false, null, 0]);
  expect(w.states.some((state) => state.is === "refused")).toBe(false);
});

it("a code without any Pillion says so, and a pinned daemon stays pinned", async () => {
  const { world: w, daemon } = await world();
  w.stored = { pk: daemon.keys.pk, port: A };
  expect(await w.link.pair(CODE)).toBe("nobody");
  expect(w.stored?.pk).toBe(daemon.keys.pk);
});

it("a code takes over where the pinned daemon was reset and no helper is there", async () => {
  const { world: w, daemon } = await world();
  const fresh = new FakeDaemon(await keys());
  fresh.code = CODE;
  w.stored = { pk: daemon.keys.pk, port: A };
  w.ports.set(A, fresh);
  void w.link.kick();
  await w.until(() => w.enrolments > 0);
  expect(fresh.sent.every((frame) => frame.includes('"hello"'))).toBe(true);
  expect(await w.link.pair(CODE)).toBeNull();
  expect([w.stored?.pk, w.repins]).toEqual([fresh.keys.pk, 0]);
});

it("a proven daemon's refusal after the code is shown", async () => {
  const { world: w, daemon } = await world();
  daemon.code = CODE;
  daemon.verdict = { t: "refused", code: "full" };
  w.ports.set(A, daemon);
  expect(await w.link.pair(CODE)).toBeNull();
  expect(w.link.state).toEqual({ is: "refused", code: "full" });
});

it("the key of a daemon before its reset opens nothing any more", async () => {
  const { world: w, daemon: old } = await world();
  const fresh = new FakeDaemon(await keys());
  w.stored = { pk: old.keys.pk, port: A };
  w.ports.set(A, fresh);
  w.helper = { pk: fresh.keys.pk, port: A };
  await w.link.kick();
  expect([w.link.up, w.repins]).toEqual([true, 1]);
  // Whoever kept the old key, refuses or says welcome with it, and even proves it.
  old.verdict = { t: "refused", code: "unknown_profile" };
  w.ports.set(A, old);
  fresh.die();
  const before = w.clock;
  await w.until(() => w.clock > before + 20_000);
  expect([w.link.up, w.stored?.pk, w.repins]).toEqual([false, fresh.keys.pk, 1]);
  expect(old.sent.every((frame) => frame.includes('"hello"'))).toBe(true);
});

/** Takes the connection and never says a word. */
class Silent extends FakeDaemon {
  override open(on: TransportEvents, _port: number): Transport {
    return { send: (text) => void this.sent.push(text), close: () => on.closed() };
  }
}

it.each([
  ["looking for the pinned daemon", HANDSHAKE_MS, null],
  ["pairing", PAIR_MS, CODE],
] as const)("a listener that never answers holds up %s for so long only", async (_, ms, code) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { world: w, daemon } = await world();
    const silent = new Silent(await keys());
    daemon.code = CODE;
    w.ports.set(A, silent);
    w.ports.set(B, daemon);
    if (code === null) w.stored = { pk: daemon.keys.pk, port: A };
    const done = code === null ? w.link.kick() : w.link.pair(code);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(w.link.up).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await done;
    expect([w.link.up, w.stored?.pk]).toEqual([true, daemon.keys.pk]);
    expect(silent.sent).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

it("a search that a code overtook does not undo what the popup shows", async () => {
  const { world: w, daemon } = await world();
  daemon.code = CODE;
  w.ports.set(A, daemon);
  let fail = () => {};
  w.slowly = new Promise((resolve) => {
    fail = resolve;
  });
  const search = w.link.kick();
  expect(await w.link.pair(CODE)).toBeNull();
  fail();
  await search;
  expect(w.link.state.is).toBe("connected");
});
