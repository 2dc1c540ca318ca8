// The reading checks in vitest; one browser serves them all.
import { afterAll, beforeAll, test } from "vitest";
import { checks } from "./read-checks.mjs";
import { start } from "./read-harness.mjs";

let reader;
beforeAll(async () => {
  reader = await start();
}, 60_000);
afterAll(() => reader?.close());

for (const { name, run } of checks) test(name, () => run(reader), 30_000);
