// Builds the page agent and the extension with esbuild. `node web/build.mjs [--dev]`
import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const out = join(web, "extension", "dist");
const dev = process.argv.includes("--dev");

const common = {
  bundle: true,
  target: "chrome125",
  minify: !dev,
  sourcemap: false,
  legalComments: "none",
  logLevel: "warning",
};

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await Promise.all([
  build({
    ...common,
    entryPoints: { agent: join(web, "page/src/main.ts"), keeper: join(web, "page/src/keeper.ts") },
    outdir: out,
    format: "iife",
  }),
  build({
    ...common,
    entryPoints: {
      worker: join(web, "extension/src/worker.ts"),
      popup: join(web, "extension/src/popup.ts"),
    },
    outdir: out,
    format: "esm",
  }),
  cp(join(web, "extension/static"), out, { recursive: true }),
]);
