// Builds the page agent and the extension with esbuild. `node web/build.mjs [--dev]`
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const out = join(web, "extension", "dist");
const axe = dirname(createRequire(import.meta.url).resolve("axe-core/package.json"));
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
    entryPoints: {
      agent: join(web, "page/src/main.ts"),
      keeper: join(web, "page/src/keeper.ts"),
      shield: join(web, "page/src/shield.ts"),
    },
    outdir: out,
    format: "iife",
  }),
  build({
    ...common,
    entryPoints: {
      worker: join(web, "extension/src/worker.ts"),
      popup: join(web, "extension/src/popup.ts"),
      panel: join(web, "extension/src/panel.ts"),
      options: join(web, "extension/src/options.ts"),
      "first-run": join(web, "extension/src/first-run.ts"),
    },
    outdir: out,
    format: "esm",
  }),
  cp(join(web, "extension/static"), out, { recursive: true }),
  // Unchanged, with its licences beside it: it is under the MPL-2.0.
  cp(join(axe, "axe.min.js"), join(out, "axe.js")),
  cp(join(axe, "LICENSE"), join(out, "axe.LICENSE.txt")),
  cp(join(axe, "LICENSE-3RD-PARTY.txt"), join(out, "axe.LICENSE-3RD-PARTY.txt")),
]);

// Chrome may run the cached worker of an extension whose files changed under an unchanged version:
// each build that differs gets a version of its own.
const hash = createHash("sha256");
for (const name of (await readdir(out))
  .filter((name) => /\.(js|css|html|json)$/.test(name))
  .sort()) {
  hash.update(name).update(await readFile(join(out, name)));
}
const file = join(out, "manifest.json");
const manifest = JSON.parse(await readFile(file, "utf8"));
const build16 = hash.digest().readUInt16BE(0);
manifest.version_name = manifest.version;
manifest.version = `${manifest.version}.${build16}`;
await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
