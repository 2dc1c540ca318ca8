//! Tells runs of the browser apart. What is kept for the session ends with the browser's run, but also
//! when the extension itself is updated or loaded anew, and then the tabs are still the same ones.

import { runtime, storage } from "./chrome";
import { RUN_KNOWN_MS, STARTUP_TOLD_MS } from "./limits";

/** What Chrome told this worker about its own start. */
const told = { startup: signal(), installed: signal() };

runtime.onStartup.addListener(() => told.startup.happen());
runtime.onInstalled.addListener(() => told.installed.happen());

/** The run's name, if this worker is not the first of the extension in this run of the browser. */
export async function runName(): Promise<string | null> {
  const { boot } = await storage.session.get("boot");
  return typeof boot === "string" ? boot : null;
}

/** Names the run for the workers that follow. */
export function setRunName(boot: string): Promise<void> {
  return storage.session.set({ boot });
}

/**
 * Whether the extension came anew into a browser that ran already: Chrome tells that it was installed
 * (updated, loaded again), and tells of no start of the browser before or shortly after.
 */
export async function cameAnew(): Promise<boolean> {
  const first = await Promise.race([
    told.startup.happened.then(() => "startup" as const),
    told.installed.happened.then(() => "installed" as const),
    after(RUN_KNOWN_MS),
  ]);
  if (first !== "installed") return false;
  const then = told.startup.happened.then(() => "startup" as const);
  return (await Promise.race([then, after(STARTUP_TOLD_MS)])) === null;
}

interface Signal {
  readonly happened: Promise<void>;
  happen(): void;
}

function signal(): Signal {
  let happen = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen };
}

function after(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null));
}
