// Bundles the programs into dist/main, for the packages: neither Electron's asar nor a Debian package holds TypeScript.
import { builtinModules } from "node:module";
import { join } from "node:path";
import { defineConfig } from "vite";
import manifest from "./package.json" with { type: "json" };

const here = import.meta.dirname;
// What lives in node_modules at run time stays there: native code, and packages that find their own files.
const outside = new Set([...builtinModules, "electron", ...Object.keys(manifest.dependencies)]);

export default defineConfig({
  build: {
    ssr: true,
    target: "node24",
    outDir: join(here, "dist/main"),
    emptyOutDir: true,
    sourcemap: true,
    rolldownOptions: {
      input: {
        electron: join(here, "src/main/electron/electron.ts"),
        cli: join(here, "src/main/cli.ts"),
        release: join(here, "src/main/release/release.ts"),
        "media-child": join(here, "src/service/media/child.ts"),
      },
      external: (id) => id.startsWith("node:") || outside.has(id) || [...outside].some((name) => id.startsWith(`${name}/`)),
      // Beside the entries: programs find their files relative to their own place.
      output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", format: "esm" },
    },
  },
  ssr: { external: true },
});
