import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALLOWED, REQUIRED } from "../src/cdp-table";

const twin = join(import.meta.dirname, "../../../crates/cdp/src/commands.json");

test("the link over plain CDP has the same table (UPDATE_TABLE=1 writes it)", () => {
  const table = { allowed: Object.fromEntries(ALLOWED), required: REQUIRED };
  if (process.env.UPDATE_TABLE) writeFileSync(twin, `${JSON.stringify(table, null, 1)}\n`);
  expect(JSON.parse(readFileSync(twin, "utf8"))).toEqual(table);
});
