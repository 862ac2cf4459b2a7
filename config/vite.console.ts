// Builds the console into dist/renderer/console: relative addresses, hashed assets, nothing from elsewhere.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import en from "../renderer/console/i18n/en.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const outDir = join(root, "dist/renderer/console");

export default defineConfig({
  root: join(root, "renderer/console"),
  base: "./",
  publicDir: false,
  plugins: [splitMessages(), listPackages(), precompress()],
  build: {
    outDir,
    emptyOutDir: true,
    // Since these versions, `light-dark()` is understood.
    target: ["chrome123", "firefox128", "safari17.5"],
    // The content security policy allows no inline code, so nothing may be inlined into the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What every page needs is one file on purpose (see below): React, the router and the components that all pages share.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // What main.tsx imports first comes first, also if chunks share modules: it sets what libraries read when they are loaded.
      output: {
        strictExecutionOrder: true,
        // Requests, not bytes, make a first visit slow: what every page needs comes in one file, and what many need in another.
        codeSplitting: {
          groups: [
            { name: "start", tags: ["$initial"], priority: 1 },
            // What many pages share: fields, lists, dialogs.
            {
              name: "shared",
              test: /node_modules\/(?:@?react-(?:aria|stately)|@internationalized)|renderer\/console\/ui\//,
              minShareCount: 6,
            },
          ],
        },
      },
      // Compressing as far as possible takes most of the time, as it should.
      checks: { pluginTimings: false },
      onLog(level, log, handle) {
        // Libraries mark modules for React's server components, which there are none of here.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
      },
    },
  },
});

/** Makes a module of each part of the English messages, imported where `texts` names the part: a page loads only what it shows. */
function splitMessages(): Plugin {
  const all = "\0messages";
  return {
    name: "split-messages",
    enforce: "pre",
    resolveId: (id) => (id === "./en.json" ? all : id.startsWith(all) ? id : undefined),
    load(id) {
      if (id === all) return "export default {};";
      const part = id.split(`${all}/`)[1] as keyof typeof en | undefined;
      return part && `import en from "${all}"; en.${part} = ${JSON.stringify(en[part])};`;
    },
    transform(code, id) {
      if (!/renderer.console.*\.tsx?$/.test(id)) return;
      const parts = [...code.matchAll(/\btexts\(([\w",\s]+)\)/g)].flatMap(([, names]) => names!.match(/(?<=")\w+/g) ?? []);
      return parts.map((part) => `import "${all}/${part}";`).join("") + code;
    },
  };
}

/** Lists the packages that are part of the console, for the notices of third parties (scripts/package). */
function listPackages(): Plugin {
  return {
    name: "list-packages",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === "chunk" ? Object.keys(chunk.modules) : []));
      const folders = modules.flatMap((id) => /.*\/(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []);
      this.emitFile({ type: "asset", fileName: "packages.json", source: JSON.stringify([...new Set(folders)].toSorted()) });
    },
  };
}

/** Compresses the built assets once and as far as possible, so that the service does not compress each response. */
function precompress(): Plugin {
  return {
    name: "precompress",
    async writeBundle() {
      const folder = join(outDir, "assets");
      const names = (await readdir(folder)).filter((name) => /\.(?:js|css|svg)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const plain = await readFile(join(folder, name));
          // A packet holds what is smaller: compressing it saves nothing.
          if (plain.length < 1_000) return;
          const size = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } };
          await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(plain, size));
          await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(plain, { level: 9 }));
        }),
      );
    },
  };
}
