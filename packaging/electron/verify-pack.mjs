// Hooks of electron-builder: fail the packaging when the build is missing or outdated, or an addon is for another platform.
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";

const archNames = ["ia32", "x64", "armv7l", "arm64", "universal"];
const builds = [
  { output: "dist/main/electron.js", from: ["package.json", "config/vite.programs.ts", "src/**/*.ts"] },
  {
    output: "dist/renderer/player/index.html",
    from: ["package.json", "config/vite.page.ts", "src/protocol/**/*.ts", "renderer/player/**/*.*"],
  },
  {
    output: "dist/renderer/console/index.html",
    from: ["package.json", "config/vite.console.ts", "src/protocol/**/*.ts", "sdk/typescript/*.ts", "renderer/console/**/*.*"],
  },
];

/**
 * Throws if a build is missing or older than its sources.
 * @param {{ packager: { projectDir: string } }} context
 */
export function beforePack({ packager: { projectDir } }) {
  for (const { output, from } of builds) {
    const file = join(projectDir, output);
    if (!existsSync(file)) throw new Error(`${output} is missing. Run: npm run build`);
    const builtAt = statSync(file).mtimeMs;
    const newer = globSync(from, { cwd: projectDir }).find((source) => statSync(join(projectDir, source)).mtimeMs > builtAt);
    if (newer !== undefined) throw new Error(`${output} is older than ${newer}. Run: npm run build`);
  }
}

/**
 * Throws if the package lacks sharp's addon for its platform: the player would fail at the first image.
 * @param {{ appOutDir: string, electronPlatformName: string, arch: number }} packed
 */
export function afterPack({ appOutDir, electronPlatformName, arch }) {
  const addon = `sharp-${electronPlatformName}-${archNames[arch]}`;
  if (existsSync(join(appOutDir, "resources/app.asar.unpacked/node_modules/@img", addon))) return;
  throw new Error(`@img/${addon} is not installed: run npm ci --os=${electronPlatformName} --cpu=${archNames[arch]} first`);
}
