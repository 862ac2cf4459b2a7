// electron-builder's afterPack hook: refuses a package without sharp's addon for its machine, which would only fail at the first image.
import { existsSync } from "node:fs";
import { join } from "node:path";

const archNames = ["ia32", "x64", "armv7l", "arm64", "universal"];

/** @param {{ appOutDir: string, electronPlatformName: string, arch: number }} packed */
export default function verifyPack({ appOutDir, electronPlatformName, arch }) {
  const addon = `sharp-${electronPlatformName}-${archNames[arch]}`;
  if (existsSync(join(appOutDir, "resources/app.asar.unpacked/node_modules/@img", addon))) return;
  throw new Error(`@img/${addon} is not installed: run npm ci --os=${electronPlatformName} --cpu=${archNames[arch]} first`);
}
