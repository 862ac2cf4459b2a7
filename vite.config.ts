// Builds the player's page into dist/renderer/player: relative addresses, hashed assets, nothing from elsewhere.
import { join } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;

export default defineConfig({
  root: join(here, "renderer/player"),
  base: "./",
  publicDir: false,
  build: {
    outDir: join(here, "dist/renderer/player"),
    emptyOutDir: true,
    target: "chrome130",
    // The page's content security policy allows no inline code, so nothing may be inlined or polyfilled into the HTML.
    assetsInlineLimit: 0,
    modulePreload: false,
    // hls.js and pdf.js are large, but come from the local disk and only when an item needs them.
    chunkSizeWarningLimit: 2_000,
  },
});
