// A small application in place of the real one: the packages are built from it in a second, without npm.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ApplicationParts } from "../../scripts/package/application.ts";
import type { BuildOptions } from "../../scripts/package/options.ts";

/** The options of a build; the time is in 2026. */
export const buildOptions: BuildOptions = {
  version: "1.2.3",
  epoch: 1_790_000_000,
  root: undefined,
  quick: true,
  cacheFolder: "/nonexistent",
};

const files: Readonly<Record<string, string>> = {
  "node/bin/node": "#!/bin/sh\nexit 0\n",
  "node/LICENSE": "Node's license",
  LICENSE: "Apache-2.0",
  "dist/main/cli.js": "export {};\n",
  "dist/main/cli.js.map": "{}",
  "dist/renderer/player/index.html": "<!doctype html>\n",
  "dist/renderer/console/index.html": "<!doctype html>\n",
  "modules/node_modules/thing/index.js": "export {};\n",
  "dist/launcher/launcher.mjs": "export {};\n",
};

/** Writes the files into a folder, some of them from the tests. @returns the parts, and the launcher's program. */
export async function stubParts(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ApplicationParts & { launcher: string }> {
  for (const [path, text] of Object.entries({ ...files, ...more })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return {
    node: { version: "24.0.0", program: join(folder, "node/bin/node"), license: join(folder, "node/LICENSE") },
    modules: join(folder, "modules"),
    notices: "notices",
    built: folder,
    launcher: join(folder, "dist/launcher/launcher.mjs"),
  };
}
