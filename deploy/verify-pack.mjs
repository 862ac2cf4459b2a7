// electron-builder's hooks: they refuse to pack what would only fail on the screen, an old or missing build or the wrong machine's addon.
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";

const archNames = ["ia32", "x64", "armv7l", "arm64", "universal"];
const builds = [
  { made: "dist/main/electron.js", from: ["package.json", "vite.main.config.ts", "src/**/*.ts"] },
  { made: "dist/renderer/player/index.html", from: ["package.json", "vite.config.ts", "src/protocol/**/*.ts", "renderer/player/**/*.*"] },
];

/**
 * Refuses a build that is missing or older than what it is made from.
 * @param {{ packager: { projectDir: string } }} context
 */
export function beforePack({ packager: { projectDir } }) {
  for (const { made, from } of builds) {
    const file = join(projectDir, made);
    if (!existsSync(file)) throw new Error(`${made} is missing. Run: npm run build`);
    const builtAt = statSync(file).mtimeMs;
    const newer = globSync(from, { cwd: projectDir }).find((source) => statSync(join(projectDir, source)).mtimeMs > builtAt);
    if (newer !== undefined) throw new Error(`${made} is older than ${newer}. Run: npm run build`);
  }
}

/**
 * Refuses a package without sharp's addon for its machine, which would only fail at the first image.
 * @param {{ appOutDir: string, electronPlatformName: string, arch: number }} packed
 */
export function afterPack({ appOutDir, electronPlatformName, arch }) {
  const addon = `sharp-${electronPlatformName}-${archNames[arch]}`;
  if (existsSync(join(appOutDir, "resources/app.asar.unpacked/node_modules/@img", addon))) return;
  throw new Error(`@img/${addon} is not installed: run npm ci --os=${electronPlatformName} --cpu=${archNames[arch]} first`);
}
