import { expect, test } from "vitest";
import { ALLOWED, REQUIRED } from "../src/cdp-table";

test("the link over plain CDP has the same table (npx vitest -u --root web cdp-table-twin writes it)", async () => {
  const table = { allowed: Object.fromEntries(ALLOWED), required: REQUIRED };
  const twin = "../../../crates/cdp/src/commands.json";
  await expect(`${JSON.stringify(table, null, 1)}\n`).toMatchFileSnapshot(twin);
});
