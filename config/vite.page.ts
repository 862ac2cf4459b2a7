// Builds the player's page into dist/renderer/player: relative addresses, hashed assets, nothing from elsewhere.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { shippedFonts } from "./fonts.ts";

const root = join(import.meta.dirname, "..");

/**
 * Writes the build's time to build.json: SOURCE_DATE_EPOCH (reproducible-builds.org), else that of the newest commit, so that equal
 * sources give an equal build. Writes nothing if both are unknown. The player's clock never starts earlier.
 */
function buildStamp(): Plugin {
  return {
    name: "build-stamp",
    generateBundle() {
      const seconds = Number(process.env["SOURCE_DATE_EPOCH"] ?? newestCommit());
      if (!(seconds > 0)) return this.warn("the build's time is unknown: set SOURCE_DATE_EPOCH, or build in a git repository");
      this.emitFile({ type: "asset", fileName: "build.json", source: JSON.stringify({ time_ms: seconds * 1_000 }) });
    },
  };
}

/** The newest commit's time, seconds since the epoch; an empty text outside a repository. */
function newestCommit(): string {
  try {
    return execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return ""; // No git, or no repository: the caller warns.
  }
}

export default defineConfig({
  plugins: [shippedFonts(root), buildStamp()],
  root: join(root, "renderer/player"),
  base: "./",
  publicDir: false,
  build: {
    outDir: join(root, "dist/renderer/player"),
    emptyOutDir: true,
    target: "chrome130",
    // The page's content security policy allows no inline code, so nothing may be inlined or polyfilled into the HTML.
    assetsInlineLimit: 0,
    modulePreload: false,
    // hls.js and pdf.js are large, but come from the local disk and only when an item needs them.
    chunkSizeWarningLimit: 2_000,
    // The page of a player, and the same page as consoles preview it.
    rolldownOptions: {
      input: ["index.html", "preview.html"].map((name) => join(root, "renderer/player", name)),
      // Making the fonts' style sheets takes most of the time, as it should.
      checks: { pluginTimings: false },
    },
  },
});
