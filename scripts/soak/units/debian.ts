// The folder of a Debian system with what the package signage-player depends on, built once from Debian's packages by debootstrap and apt.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { SoakRun } from "../soak-run.ts";

const execute = promisify(execFile);
// The first Debian with labwc.
const release = "trixie";
// The last two look at the display and switch it off.
const packages = "systemd systemd-sysv libpam-systemd login dbus-user-session chromium labwc grim wlr-randr";
// apt orders the configuration of so many packages better than debootstrap, which failed.
const build = `set -e
debootstrap --variant=minbase "$1" "$2"
mount -t proc proc "$2/proc"
export DEBIAN_FRONTEND=noninteractive
chroot "$2" apt-get install --yes --no-install-recommends $3
chroot "$2" apt-get clean
chmod 755 "$2"
printf %s "$3" > "$2/signage-packages"
`;
const cacheFolder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "signage-player");

/** @returns its path in the user's cache. */
export async function debianFolder(run: SoakRun): Promise<string> {
  const path = join(cacheFolder, `debian-${release}`);
  const list = join(path, "signage-packages");
  if ((await readFile(list, "utf8").catch(() => "")) === packages) return path;
  run.print({ building: path });
  await mkdir(dirname(path), { recursive: true });
  const unfinished = await mkdtemp(`${path}-`);
  try {
    // When unshare is killed, its namespaces end, and with them all processes and mounts.
    const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    await execute("unshare", [...namespaces, "sh", "-c", build, "sh", release, unfinished, packages], {
      signal: run.signal,
      killSignal: "SIGKILL",
      maxBuffer: 64 * 2 ** 20,
    });
    await rm(path, { recursive: true, force: true });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return path;
}
