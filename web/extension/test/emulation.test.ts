import { expect, it } from "vitest";
import { stepsTo, without } from "../src/emulation";

const methods = (...args: Parameters<typeof stepsTo>) =>
  stepsTo(...args).map(({ method, params }) => [method.split(".")[1], params]);

it("does nothing for what stays as it is by itself", () => {
  expect(stepsTo({}, {})).toEqual([]);
});

it("sets what is wished and takes back what was wished before", () => {
  const viewport = { width: 390, height: 844, scale: 3, mobile: true };
  expect(methods({ viewport }, { cpu: 4, timezone: "Europe/Berlin" })).toEqual([
    ["setDeviceMetricsOverride", { width: 390, height: 844, deviceScaleFactor: 3, mobile: true }],
    ["setTouchEmulationEnabled", { enabled: true }],
    ["setCPUThrottlingRate", { rate: 1 }],
    ["setTimezoneOverride", { timezoneId: "" }],
  ]);
  const all = {
    viewport,
    network: { offline: true, latencyMs: 0, down: -1, up: -1 },
    geolocation: [1, 2, 3] as [number, number, number],
    colorScheme: "dark",
    reducedMotion: false,
    userAgent: "x",
    locale: "de-DE",
  };
  expect(methods({}, all)).toEqual([
    ["clearDeviceMetricsOverride", {}],
    ["setTouchEmulationEnabled", { enabled: false }],
    [
      "emulateNetworkConditions",
      { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
    ],
    ["clearGeolocationOverride", {}],
    [
      "setEmulatedMedia",
      {
        features: [
          { name: "prefers-color-scheme", value: "" },
          { name: "prefers-reduced-motion", value: "" },
        ],
      },
    ],
    ["setUserAgentOverride", { userAgent: "" }],
    ["setLocaleOverride", {}],
  ]);
});

it("keeps nothing of what was refused", () => {
  expect(without({ cpu: 2, locale: "x", timezone: null as never }, ["locale"])).toEqual({ cpu: 2 });
});
