// A copy of the project without build results, for tests that build it or need it unbuilt.
import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { rootFolder } from "../../../src/main/folders.ts";

const copied = [
  "src",
  "renderer",
  "scripts/build",
  "scripts/build.ts",
  "scripts/fonts",
  "demo",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "sdk/typescript/client.ts",
  "sdk/typescript/types.ts",
  "config/vite.page.ts",
  "config/vite.console.ts",
  "config/fonts.ts",
  "config/vite.programs.ts",
];

/** Copies sources and build settings into `folder`. The copy shares this project's packages. */
export async function copyCheckout(folder: string): Promise<void> {
  for (const name of copied) await cp(join(rootFolder, name), join(folder, name), { recursive: true });
  await symlink(join(rootFolder, "node_modules"), join(folder, "node_modules"));
}
