// Provides labwc for the long tests: Debian 13 has it, so on an older system root unpacks Debian 13 into a folder.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInstalled } from "../../test/support/is-installed.ts";

const packages = ["labwc", "grim", "wlopm", "wlr-randr", "wlrctl"];
const folder = "/var/tmp/signage-labwc";

/**
 * The environment in which the tests find labwc, or why there is none.
 * @throws Error when Debian's packages cannot be downloaded.
 */
export function provideLabwc(): Record<string, string> | { missing: string } {
  const given = process.env["SIGNAGE_LABWC_ROOT"];
  if (given !== undefined || packages.every(isInstalled)) return {};
  if (process.getuid?.() !== 0) return { missing: `Install ${packages.join(", ")} (Debian 13), or run this as root, which unpacks them` };
  if (!existsSync(join(folder, "usr/bin/labwc"))) {
    execFileSync("debootstrap", ["--variant=minbase", `--include=${packages.join(",")}`, "trixie", folder], { stdio: "inherit" });
  }
  return { SIGNAGE_LABWC_ROOT: folder };
}
