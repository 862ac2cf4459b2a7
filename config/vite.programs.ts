// Bundles the programs into dist/main, for the packages: neither Electron's asar nor a Debian package holds TypeScript.
import { builtinModules } from "node:module";
import { join } from "node:path";
import { defineConfig } from "vite";
import manifest from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
// What lives in node_modules at run time stays there: native code, and packages that find their own files.
const outside = new Set([...builtinModules, "electron", ...Object.keys(manifest.dependencies)]);

export default defineConfig({
  build: {
    ssr: true,
    target: "node24",
    outDir: join(root, "dist/main"),
    emptyOutDir: true,
    sourcemap: true,
    rolldownOptions: {
      input: {
        electron: join(root, "src/main/electron/electron.ts"),
        cli: join(root, "src/main/cli.ts"),
        release: join(root, "src/main/release/release.ts"),
        "media-child": join(root, "src/service/media/child.ts"),
      },
      external: (id) => id.startsWith("node:") || outside.has(id) || [...outside].some((name) => id.startsWith(`${name}/`)),
      // Beside the entries: programs find their files relative to their own place.
      output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", format: "esm" },
    },
  },
  ssr: { external: true },
});
