// Bundles the launcher and everything it imports into one file, dist/launcher/launcher.mjs: it must start whatever an update did.
import { join } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;

export default defineConfig({
  build: {
    ssr: true,
    target: "node24",
    outDir: join(here, "dist/launcher"),
    emptyOutDir: true,
    rolldownOptions: {
      input: join(here, "src/launcher/launcher.ts"),
      output: { entryFileNames: "launcher.mjs", format: "esm", codeSplitting: false },
    },
  },
  ssr: { noExternal: true },
});
