// Bundles the launcher and everything it imports into one file, dist/launcher/launcher.mjs: it must start whatever an update did.
import { join } from "node:path";
import { defineConfig } from "vite";

const root = join(import.meta.dirname, "..");

export default defineConfig({
  build: {
    ssr: true,
    target: "node24",
    outDir: join(root, "dist/launcher"),
    emptyOutDir: true,
    rolldownOptions: {
      input: join(root, "src/launcher/launcher.ts"),
      output: { entryFileNames: "launcher.mjs", format: "esm", codeSplitting: false },
    },
  },
  ssr: { noExternal: true },
});
