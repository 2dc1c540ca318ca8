// Runs the reading checks without a test runner: `node web/page/test/read.mjs [part of a name]`.
import { checks } from "./read-checks.mjs";
import { start } from "./read-harness.mjs";

const wanted = process.argv[2] ?? "";
const reader = await start();
let failed = 0;
for (const { name, run } of checks) {
  if (!name.includes(wanted)) continue;
  try {
    await run(reader);
    process.stdout.write(`ok   ${name}\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`FAIL ${name}\n${error.stack}\n`);
  }
}
await reader.close();
process.exitCode = failed === 0 ? 0 : 1;
