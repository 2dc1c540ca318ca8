//! The verb `evaluate`: runs a script in a page's own world as the DevTools console does. The guard
//! fills in the context itself; none can be named from outside.

import type { JsonValue } from "../../../wire/serde_json/JsonValue";
import type { Evaluated, Verb } from "../../../wire/verb";
import { attach, command, live, refuseWhileDialog, using } from "../attachment";
import { objectIds } from "../cdp-guard";
import { getTab } from "../chrome";
import { Fault, words } from "../fault";
import { EVALUATE_DEPTH, EVALUATE_STRING_CHARS, PURE_SCRIPT_MS } from "../limits";
import { originOf } from "../url-rule";
import { within } from "../wait";
import type { Call } from "./context";
import { type Place, placeOf } from "./place";
import { looksLikeFunction, looksLikeObject } from "./script";

type Request = Extract<Verb, { verb: "evaluate" }>;

interface RemoteObject {
  type: string;
  subtype?: string;
  value?: unknown;
  objectId?: string;
  deepSerializedValue?: unknown;
}
interface Result {
  result?: RemoteObject;
  exceptionDetails?: { exception?: RemoteObject };
}

/** After the script's own time the debugger gets this long to tell. */
const GRACE_MS = 250;

const GROUP = "pillion-evaluate";
const serializationOptions = { serialization: "deep", maxDepth: EVALUATE_DEPTH };

/** Runs the script. */
export function evaluate(request: Request, call: Call, pure: boolean): Promise<Evaluated> {
  if (pure) return looking(request, call);
  const { tab } = request;
  return using(tab, async () => {
    refuseWhileDialog(tab);
    const before = await getTab(tab);
    await attach(tab);
    releaseEarlier(tab);
    const place = await placeOf(
      tab,
      request.document ?? null,
      request.element ?? null,
      call.signal,
    );
    const run = new Run(tab, place, request, call.signal);
    const began = Date.now();
    const done = await within(run.all(), request.timeoutMs + GRACE_MS, () => null).catch(
      (error) => {
        // How a script that `timeout` ended is told.
        if (words(error) === "Internal error" && Date.now() - began >= request.timeoutMs)
          return null;
        throw error;
      },
    );
    const after = await getTab(tab);
    if (before && after && originOf(before.url ?? "") !== originOf(after.url ?? "")) {
      throw new Fault(
        "POLICY",
        "the page went to another site while the script ran; its result was dropped",
      );
    }
    if (done === null) {
      run.terminate();
      return { timedOut: true };
    }
    return answer(tab, done);
  });
}

/** The same on a site that may only be read: the engine ends the script at its first side effect. */
function looking(request: Request, call: Call): Promise<Evaluated> {
  const { tab } = request;
  if (request.element != null) {
    throw new Fault("READ_ONLY_SITE", "scripts are given no element on a site that is only read");
  }
  const timeout = Math.min(request.timeoutMs, PURE_SCRIPT_MS);
  return using(tab, async () => {
    refuseWhileDialog(tab);
    await attach(tab);
    const { session, context } = await placeOf(tab, request.document ?? null, null, call.signal);
    const params = {
      expression: request.expression,
      objectGroup: GROUP,
      throwOnSideEffect: true,
      awaitPromise: false,
      serializationOptions,
      timeout,
      ...(context !== null && { contextId: context }),
    };
    const run = command(tab, "Runtime.evaluate", params, session, call.signal);
    const done = (await within(run, timeout + GRACE_MS, () => null)) as Result | null;
    if (done === null) return { timedOut: true };
    if (/possible side-effect/i.test(JSON.stringify(done.exceptionDetails ?? null))) {
      throw new Fault("READ_ONLY_SITE", "the script would change something");
    }
    return answer(tab, done);
  });
}

class Run {
  readonly #tab: number;
  readonly #place: Place;
  readonly #request: Request;
  readonly #signal: AbortSignal;

  constructor(tab: number, place: Place, request: Request, signal: AbortSignal) {
    this.#tab = tab;
    this.#place = place;
    this.#request = request;
    this.#signal = signal;
  }

  async all(): Promise<Result> {
    const { element } = this.#place;
    if (element !== null) await this.#onElement(element, BIND);
    try {
      return await this.#whole(element);
    } finally {
      // Not waited for: the script may have opened a dialog, or gone elsewhere.
      if (element !== null) this.#onElement(element, UNBIND).catch(() => undefined);
    }
  }

  /** Stops what still runs. Promises that never settle have nothing to stop. */
  terminate(): void {
    command(this.#tab, "Runtime.terminateExecution", {}, this.#place.session).catch(
      () => undefined,
    );
  }

  async #whole(element: string | null): Promise<Result> {
    const { expression } = this.#request;
    if (looksLikeFunction(expression)) {
      const made = await this.#evaluate(`(${expression}\n)`);
      if (!made.exceptionDetails) {
        if (made.result?.type !== "function") return this.#settled(made);
        return this.#settled(await this.#callFunction(made.result, element));
      }
      if (!isSyntaxError(made)) return made;
    }
    if (looksLikeObject(expression)) {
      // Only parsed, not run: the arrow function is never called.
      const parsed = await this.#evaluate(`(async () => (${expression}\n))`);
      if (!parsed.exceptionDetails) {
        return this.#settled(await this.#evaluate(`(${expression}\n)`));
      }
    }
    return this.#settled(await this.#evaluate(expression));
  }

  #evaluate(expression: string): Promise<Result> {
    const { context } = this.#place;
    return this.#send("Runtime.evaluate", {
      expression,
      objectGroup: GROUP,
      replMode: true,
      awaitPromise: true,
      userGesture: true,
      allowUnsafeEvalBlockedByCSP: true,
      serializationOptions,
      timeout: this.#request.timeoutMs,
      ...(context !== null && { contextId: context }),
    });
  }

  #callFunction(made: RemoteObject, element: string | null): Promise<Result> {
    return this.#send("Runtime.callFunctionOn", {
      functionDeclaration: "function (...given) { return this(...given) }",
      objectId: made.objectId,
      objectGroup: GROUP,
      arguments: element === null ? [] : [{ objectId: element }],
      awaitPromise: true,
      userGesture: true,
      serializationOptions,
    });
  }

  /** `replMode` does not await a promise that is the script's value. */
  async #settled(result: Result): Promise<Result> {
    const value = result.result;
    if (value?.subtype !== "promise" || result.exceptionDetails) return result;
    const settled = await this.#send("Runtime.awaitPromise", { promiseObjectId: value.objectId });
    const object = settled.result?.objectId;
    if (settled.exceptionDetails || object === undefined) return settled;
    return this.#send("Runtime.callFunctionOn", {
      functionDeclaration: "function () { return this }",
      objectId: object,
      serializationOptions,
    });
  }

  #onElement(element: string, functionDeclaration: string): Promise<Result> {
    return this.#send("Runtime.callFunctionOn", { functionDeclaration, objectId: element });
  }

  #send(method: string, params: object): Promise<Result> {
    return command(this.#tab, method, params, this.#place.session, this.#signal);
  }
}

/** Objects of earlier answers are kept for questions about them, until the next script. */
function releaseEarlier(tab: number): void {
  if (live(tab).uses > 1) return;
  // Nobody waits for it: a page that is gone has nothing to release.
  command(tab, "Runtime.releaseObjectGroup", { objectGroup: GROUP }).catch(() => undefined);
}

/** Binds `$0`, and keeps what the page itself may have called so. */
const BIND = `function () {
  const view = this.ownerDocument.defaultView;
  const old = Object.getOwnPropertyDescriptor(view, "$0");
  if (old && !old.configurable) return;
  Object.defineProperty(this, Symbol.for("$0"), { value: old, configurable: true });
  Object.defineProperty(view, "$0", { value: this, configurable: true, writable: true });
}`;
const UNBIND = `function () {
  const view = this.ownerDocument.defaultView;
  const old = this[Symbol.for("$0")];
  delete this[Symbol.for("$0")];
  if (!view) return;
  delete view.$0;
  if (old) Object.defineProperty(view, "$0", old);
}`;

function isSyntaxError(result: Result): boolean {
  const exception = result.exceptionDetails?.exception as { className?: string } | undefined;
  return exception?.className === "SyntaxError";
}

function answer(tab: number, done: Result): Evaluated {
  for (const id of objectIds(done)) live(tab).objects.add(id);
  const reply: Evaluated = { timedOut: false };
  if (done.exceptionDetails) {
    // `timeout` ends a script that runs on with this exception.
    const text = JSON.stringify(done.exceptionDetails);
    if (/execution was terminated/i.test(text)) return { timedOut: true };
    reply.exception = done.exceptionDetails as JsonValue;
    return reply;
  }
  const object = done.result;
  if (object && typeof object.value === "string" && object.value.length > EVALUATE_STRING_CHARS) {
    reply.cutFrom = object.value.length;
    object.value = object.value.slice(0, EVALUATE_STRING_CHARS);
    delete object.deepSerializedValue;
  }
  reply.object = (object ?? null) as JsonValue;
  return reply;
}
