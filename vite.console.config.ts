// Builds the console into dist/renderer/console: relative addresses, hashed assets, nothing from elsewhere.
import { join } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;

export default defineConfig({
  root: join(here, "renderer/console"),
  base: "./",
  publicDir: false,
  build: {
    outDir: join(here, "dist/renderer/console"),
    emptyOutDir: true,
    target: ["chrome120", "firefox128", "safari17"],
    // The content security policy allows no inline code, so nothing may be inlined into the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      onLog(level, log, handle) {
        // Libraries mark modules for React's server components, which there are none of here.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
      },
    },
  },
});
