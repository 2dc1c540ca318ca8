//! The one connection to the daemon: finds it, proves both sides, finds it again. Decides; all doing
//! (sockets, helper, keys, clock) is handed in, so that a fake can stand for it.

import type { FromExtension, Refusal, ToExtension } from "../../wire/link";
import { random } from "./bytes";
import {
  ExtensionHandshake,
  type Opening,
  type Self,
  type Shaking,
  type Signer,
} from "./handshake";
import type { Pinned } from "./identity";
import {
  FOREIGN_PORT_MS,
  FRAME_BYTES,
  HANDSHAKE_MS,
  HELPER_PAUSE_MAX_MS,
  HELPER_PAUSE_MS,
  HELPER_WHEN_SILENT_MS,
  LINK_SILENT_MS,
  PAIR_MS,
  PORTS,
  REFUSED_PAUSE_MS,
  SEARCH_FAST_FOR_MS,
  SEARCH_FAST_MS,
  SEARCH_FIRST_FOR_MS,
  SEARCH_FIRST_MS,
  SEARCH_SLOW_MS,
} from "./limits";
import type { Helper } from "./native";
import { type PairFailure, PairingHandshake, worse } from "./pairing";
import { Assembler } from "./parts";
import type { Transport, TransportEvents } from "./transport";

/** Where the link stands, for popup and badge. */
export type LinkState =
  | { readonly is: "searching" }
  | { readonly is: "no_helper"; readonly why: string }
  | { readonly is: "connected"; readonly profile: string; readonly version: string }
  | { readonly is: "refused"; readonly code: Refusal };

/** What the link needs of the world. */
export interface LinkWorld {
  readonly ext: string;
  readonly caps: string[];
  probe(port: number): Promise<boolean>;
  dial(port: number, on: TransportEvents): Promise<Transport>;
  enrol(pk: string): Promise<Helper>;
  keys(): Promise<Signer>;
  pinned(): Promise<Pinned | null>;
  pin(pinned: Pinned): Promise<void>;
  self(): Promise<Self>;
  /** True once a run of the browser. */
  mayAskInSilence(): Promise<boolean>;
  /** The helper says that consent was given at launch, or the user typed a pairing code. */
  consented(how: "launched" | "code"): Promise<void>;
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** What the link tells. */
export interface LinkEvents {
  frame(frame: ToExtension): void;
  state(state: LinkState): void;
  /** Another daemon took the place of the pinned one, through the helper. */
  repinned(): void;
}

type Verdict =
  | { readonly is: "up" }
  | { readonly is: "refused"; readonly code: Refusal }
  | { readonly is: "unpaired"; readonly why: PairFailure }
  | { readonly is: "stranger" | "broken" };

/** The profile's side of one handshake, made when its keys are there. */
type Shake = (opening: Opening, by: Signer, self: Self) => Shaking;

export class Link {
  readonly #world: LinkWorld;
  readonly #on: LinkEvents;
  #state: LinkState = { is: "searching" };
  #transport: Transport | null = null;
  #heard = 0;
  #searching: Promise<void> | null = null;
  #lostAt = 0;
  #helperAt = Number.NEGATIVE_INFINITY;
  #helperPause = HELPER_PAUSE_MS;
  /** Ports that are another program's, and until when they are left alone. */
  readonly #foreign = new Map<number, number>();

  constructor(world: LinkWorld, on: LinkEvents) {
    this.#world = world;
    this.#on = on;
    this.#lostAt = world.now();
  }

  get state(): LinkState {
    return this.#state;
  }

  get up(): boolean {
    return this.#transport !== null;
  }

  /** Sends when the link is up; whoever comes later reads the state anew. */
  send(frame: FromExtension): void {
    const text = JSON.stringify(frame);
    if (text.length <= FRAME_BYTES) {
      this.#transport?.send(text);
      return;
    }
    if (frame.t !== "response") return;
    const message = `the answer has ${text.length} characters`;
    this.send({ t: "error", id: frame.id, error: { code: "RESPONSE_TOO_LARGE", message } });
  }

  /** Starts to search unless the link stands or a search is on. Never rejects. */
  kick(): Promise<void> {
    if (this.#transport) {
      if (this.#world.now() - this.#heard < LINK_SILENT_MS) return Promise.resolve();
      this.#drop();
    }
    this.#searching ??= this.#search().finally(() => {
      this.#searching = null;
    });
    return this.#searching;
  }

  /** Drops the link and begins anew: another key pair, or the user asked for it. */
  restart(): void {
    this.#helperAt = Number.NEGATIVE_INFINITY;
    this.#helperPause = HELPER_PAUSE_MS;
    this.#foreign.clear();
    this.#drop();
    this.#tell({ is: "searching" });
    void this.kick();
  }

  /**
   * Pairs with the daemon that knows this code, whichever port it is behind: null, or why not. Only
   * here a daemon may answer that is not pinned, and it is pinned only when it knew the code.
   */
  async pair(code: string): Promise<PairFailure | null> {
    let failure: PairFailure = "nobody";
    for (const port of PORTS) {
      if (!(await this.#world.probe(port))) continue;
      const shake: Shake = (opening, by, self) => new PairingHandshake(opening, by, self, code);
      const open = (on: TransportEvents) => this.#world.dial(port, on);
      const verdict = await this.#connect(port, "ws", shake, open, PAIR_MS);
      if (verdict.is === "up") return null;
      if (verdict.is === "refused") {
        this.#tell({ is: "refused", code: verdict.code });
        return null;
      }
      failure = worse(failure, verdict.is === "unpaired" ? verdict.why : "nobody");
    }
    return failure;
  }

  async #search(): Promise<void> {
    while (!this.#transport) {
      let pause = this.#pause();
      try {
        await this.#round();
      } catch (error) {
        console.warn("pillion: search failed", error);
      }
      if (this.#state.is === "refused") pause = REFUSED_PAUSE_MS;
      if (!this.#transport) await this.#world.sleep(pause);
    }
  }

  #pause(): number {
    const away = this.#world.now() - this.#lostAt;
    if (away < SEARCH_FIRST_FOR_MS) return SEARCH_FIRST_MS;
    return away < SEARCH_FAST_FOR_MS ? SEARCH_FAST_MS : SEARCH_SLOW_MS;
  }

  async #round(): Promise<void> {
    const pinned = await this.#world.pinned();
    if (!pinned) return this.#throughHelper(null);
    const verdict = await this.#overPorts(pinned);
    switch (verdict?.is) {
      case "up":
        return;
      case "refused":
        if (verdict.code === "unknown_profile") return this.#throughHelper(pinned);
        return this.#tell({ is: "refused", code: verdict.code });
      case "stranger":
        return this.#throughHelper(pinned);
      default:
        this.#tell({ is: "searching" });
        if (await this.#shouldAskHelper(pinned)) await this.#throughHelper(pinned);
    }
  }

  /** The helper starts the daemon: asking it again and again would keep an idle daemon alive. */
  async #shouldAskHelper(pinned: Pinned): Promise<boolean> {
    if (this.#world.now() - this.#lostAt < HELPER_WHEN_SILENT_MS) return false;
    return pinned.relayed === true || (await this.#world.mayAskInSilence());
  }

  /** The first verdict that settles it; null when nobody answered. */
  async #overPorts(pinned: Pinned): Promise<Verdict | null> {
    // Where it was last is asked alone: no other program's slowness holds up the reconnect.
    const there = await this.#overSome([pinned.port], pinned);
    if (there?.is === "up" || there?.is === "refused") return there;
    const elsewhere = await this.#overSome(
      PORTS.filter((port) => port !== pinned.port),
      pinned,
    );
    // Strangers on other ports are other users' daemons: only one in our own daemon's place may
    // mean that it was reset.
    return elsewhere?.is === "up" || elsewhere?.is === "refused" ? elsewhere : there;
  }

  async #overSome(candidates: readonly number[], pinned: Pinned): Promise<Verdict | null> {
    const now = this.#world.now();
    const ports = candidates.filter((port) => port > 0 && (this.#foreign.get(port) ?? 0) <= now);
    const alive = await Promise.all(ports.map((port) => this.#world.probe(port)));
    let last: Verdict | null = null;
    for (const [index, port] of ports.entries()) {
      if (!alive[index]) continue;
      const verdict = await this.#overPort(port, pinned.pk);
      const moved = port !== pinned.port || pinned.relayed === true;
      if (verdict.is === "up" && moved) await this.#world.pin({ pk: pinned.pk, port });
      if (verdict.is === "up" || verdict.is === "refused") return verdict;
      last = verdict.is === "stranger" || last === null ? verdict : last;
    }
    return last;
  }

  #overPort(port: number, pk: string): Promise<Verdict> {
    return this.#connect(port, "ws", pinnedTo(pk), (on) => this.#world.dial(port, on));
  }

  async #throughHelper(pinned: Pinned | null): Promise<void> {
    const now = this.#world.now();
    if (now - this.#helperAt < this.#helperPause) return;
    this.#helperAt = now;
    this.#helperPause = Math.min(this.#helperPause * 2, HELPER_PAUSE_MAX_MS);
    const keys = await this.#world.keys();
    let helper: Helper;
    try {
      helper = await this.#world.enrol(keys.pk);
    } catch (error) {
      if (!pinned) this.#tell({ is: "no_helper", why: message(error) });
      return;
    }
    if (helper.consent) await this.#world.consented("launched");
    if (helper.pk !== pinned?.pk || helper.port !== pinned.port) {
      await this.#world.pin({ pk: helper.pk, port: helper.port });
      if (pinned && helper.pk !== pinned.pk) this.#on.repinned();
    }
    const verdict = await this.#overHelper(helper);
    if (verdict.is === "refused") this.#tell({ is: "refused", code: verdict.code });
    else if (verdict.is !== "up") this.#tell({ is: "searching" });
  }

  /** The port that the helper named, or its own relay where that port cannot be reached. */
  async #overHelper(helper: Helper): Promise<Verdict> {
    for (let tries = 0; helper.port > 0 && tries < 3; tries += 1) {
      if (await this.#world.probe(helper.port)) {
        const verdict = await this.#overPort(helper.port, helper.pk);
        if (verdict.is === "up" || verdict.is === "refused") {
          helper.close();
          return verdict;
        }
      }
      await this.#world.sleep(SEARCH_FAST_MS);
    }
    const verdict = await this.#connect(0, "nm", pinnedTo(helper.pk), async (on) =>
      helper.relay(on),
    );
    if (verdict.is === "up") {
      await this.#world.pin({ pk: helper.pk, port: helper.port, relayed: true });
    }
    return verdict;
  }

  async #connect(
    port: number,
    kind: "ws" | "nm",
    shake: Shake,
    open: (on: TransportEvents) => Promise<Transport>,
    patience = HANDSHAKE_MS,
  ): Promise<Verdict> {
    const { ext, caps } = this.#world;
    const opening = { port, link: kind, ext, caps, nonce: random(32) };
    const [keys, self] = await Promise.all([this.#world.keys(), this.#world.self()]);
    const handshake = shake(opening, keys, self);
    const box = new Mailbox();
    let transport: Transport;
    try {
      transport = await open(box);
    } catch {
      this.#foreign.set(port, this.#world.now() + FOREIGN_PORT_MS);
      return { is: "broken" };
    }
    const timer = setTimeout(() => box.closed(), patience);
    try {
      transport.send(handshake.hello());
      for (;;) {
        const text = await box.next();
        const move = text === null ? null : await handshake.receive(text);
        if (move?.do === "wait") continue;
        if (move?.do === "send") {
          for (const frame of move.frames) transport.send(frame);
          continue;
        }
        if (move?.do === "paired") {
          await this.#world.pin({ pk: move.pk, port });
          await this.#world.consented("code");
          continue;
        }
        if (move?.do === "welcome") {
          this.#up(transport, box, move.profile, move.daemonVersion);
          return { is: "up" };
        }
        transport.close();
        if (move?.do === "unpaired") return { is: "unpaired", why: move.code };
        if (move?.do === "refused") return { is: "refused", code: move.code };
        return { is: move?.why ?? "broken" };
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #up(transport: Transport, box: Mailbox, profile: string, version: string): void {
    this.#transport = transport;
    this.#heard = this.#world.now();
    this.#helperPause = HELPER_PAUSE_MS;
    this.#tell({ is: "connected", profile, version });
    const parts = new Assembler();
    box.handTo({
      text: (text) => this.#take(text, parts),
      closed: () => {
        if (this.#transport !== transport) return;
        this.#drop();
        this.#tell({ is: "searching" });
        void this.kick();
      },
    });
  }

  #take(text: string, parts: Assembler): void {
    this.#heard = this.#world.now();
    let frame: ToExtension | Extract<FromExtension, { t: "part" }>;
    try {
      frame = JSON.parse(text);
    } catch {
      this.#drop();
      void this.kick();
      return;
    }
    if (frame.t === "ping") this.send({ t: "pong" });
    else if (frame.t === "part") {
      const whole = parts.take(frame);
      if (whole !== null) this.#take(whole, parts);
    } else this.#on.frame(frame);
  }

  #drop(): void {
    const transport = this.#transport;
    this.#transport = null;
    if (!transport) return;
    this.#lostAt = this.#world.now();
    transport.close();
  }

  #tell(state: LinkState): void {
    // A search that a code overtook has nothing to say any more.
    if (this.#transport && state.is !== "connected") return;
    const same = JSON.stringify(state) === JSON.stringify(this.#state);
    this.#state = state;
    if (!same) this.#on.state(state);
  }
}

function pinnedTo(pk: string): Shake {
  return (opening, by, self) => new ExtensionHandshake(opening, by, pk, self);
}

/** Holds frames until somebody takes them; null means that the transport is closed. */
class Mailbox implements TransportEvents {
  readonly #waiting: (string | null)[] = [];
  #taker: ((text: string | null) => void) | null = null;
  #receiver: TransportEvents | null = null;

  text(text: string): void {
    this.#put(text);
  }

  closed(): void {
    this.#put(null);
  }

  next(): Promise<string | null> {
    const first = this.#waiting.shift();
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => {
      this.#taker = resolve;
    });
  }

  /** From now on frames go there, first those that wait. */
  handTo(receiver: TransportEvents): void {
    this.#receiver = receiver;
    for (const item of this.#waiting.splice(0)) this.#put(item);
  }

  #put(item: string | null): void {
    if (this.#receiver) {
      if (item === null) this.#receiver.closed();
      else this.#receiver.text(item);
      return;
    }
    const taker = this.#taker;
    this.#taker = null;
    if (taker) taker(item);
    else this.#waiting.push(item);
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
