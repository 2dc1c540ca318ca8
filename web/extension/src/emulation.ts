//! What a tab is made to believe of its surroundings: which commands make it so, and which undo it. Pure.

import type { Emulation } from "../../wire/trying";

/** One command, and the name of what it is for. */
export interface Step {
  readonly what: keyof Emulation;
  readonly method: string;
  readonly params: object;
  /** Frames of other processes need it as well. */
  readonly everywhere: boolean;
}

/** The commands from what holds to what is wished; nothing for what stays as it was. */
export function stepsTo(wish: Emulation, before: Emulation): Step[] {
  const touched = (...names: (keyof Emulation)[]) =>
    names.some((name) => isSet(wish[name]) || isSet(before[name]));
  const steps: Step[] = [];
  const step = (what: keyof Emulation, method: string, params: object, everywhere = false) =>
    steps.push({ what, method, params, everywhere });
  if (touched("viewport")) viewport(wish, step);
  if (touched("network")) {
    const { offline = false, latencyMs = 0, down = -1, up = -1 } = wish.network ?? {};
    const speed = { offline, latency: latencyMs, downloadThroughput: down, uploadThroughput: up };
    step("network", "Network.emulateNetworkConditions", speed, true);
  }
  if (touched("cpu")) step("cpu", "Emulation.setCPUThrottlingRate", { rate: wish.cpu ?? 1 });
  if (touched("geolocation")) {
    const [latitude, longitude, accuracy] = wish.geolocation ?? [];
    const place = { latitude, longitude, accuracy };
    if (wish.geolocation) step("geolocation", "Emulation.setGeolocationOverride", place);
    else step("geolocation", "Emulation.clearGeolocationOverride", {});
  }
  if (touched("colorScheme", "reducedMotion")) {
    const motion = { true: "reduce", false: "no-preference" };
    const reduced = wish.reducedMotion;
    const features = [
      { name: "prefers-color-scheme", value: wish.colorScheme ?? "" },
      { name: "prefers-reduced-motion", value: isSet(reduced) ? motion[`${reduced}`] : "" },
    ];
    step("colorScheme", "Emulation.setEmulatedMedia", { features }, true);
  }
  if (touched("userAgent")) {
    const userAgent = wish.userAgent ?? "";
    step("userAgent", "Emulation.setUserAgentOverride", { userAgent }, true);
  }
  if (touched("locale")) {
    step("locale", "Emulation.setLocaleOverride", wish.locale ? { locale: wish.locale } : {});
  }
  if (touched("timezone")) {
    step("timezone", "Emulation.setTimezoneOverride", { timezoneId: wish.timezone ?? "" });
  }
  return steps;
}

function viewport(
  wish: Emulation,
  step: (what: keyof Emulation, method: string, params: object) => void,
): void {
  const size = wish.viewport;
  if (size) {
    const { width, height, scale, mobile } = size;
    const metrics = { width, height, deviceScaleFactor: scale, mobile };
    step("viewport", "Emulation.setDeviceMetricsOverride", metrics);
  } else step("viewport", "Emulation.clearDeviceMetricsOverride", {});
  step("viewport", "Emulation.setTouchEmulationEnabled", { enabled: size?.mobile ?? false });
}

/** Without what Chrome refused. */
export function without(wish: Emulation, refused: readonly (keyof Emulation)[]): Emulation {
  const kept = Object.entries(wish).filter(
    ([name, value]) => isSet(value) && !(refused as readonly string[]).includes(name),
  );
  return Object.fromEntries(kept);
}

function isSet<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
