// The part `arm64`: the packages for arm64 in a chroot of Debian for arm64, whose programs an emulator runs. No Pi is needed, and none
// is replaced: no systemd runs there, and no display.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { SystemCopy } from "./debian.ts";
import { packageVersion } from "./machine.ts";
import type { PackagePart, PackageTest } from "./package-part.ts";
import { runEmulated } from "./user-namespace.ts";

const execute = promisify(execFile);
const emulator = "/usr/bin/qemu-aarch64-static";
const base = "systemd,systemd-sysv,libpam-systemd,dbus,ca-certificates";
const mirror = "http://deb.debian.org";

interface Chroot {
  test: PackageTest;
  folder: string;
  call: (script: string) => Promise<string>;
}

const checks: Readonly<Record<string, (chroot: Chroot) => Promise<void>>> = {
  async "apt installs the packages with all that they need"({ call }) {
    await call("apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes /opt/packages/*_arm64.deb");
  },
  async "the programs are for arm64"({ test: { run }, call }) {
    for (const path of ["/usr/lib/signage-player/launcher/node", "/usr/lib/signage-player/application/bin/node"]) {
      const architecture = (await call(`${path} --print process.arch`)).trim();
      if (architecture !== "arm64") run.violate(`${path} is for ${architecture}`);
    }
    const packages = await call(
      "dpkg --print-architecture && dpkg-query --show --showformat='${Architecture} ' signage-player signage-service",
    );
    if (packages.trim() !== "arm64\narm64 arm64") run.violate(`architectures: ${packages}`);
  },
  async "the commands answer"({ test, call }) {
    const version = await packageVersion(test.packages);
    for (const command of ["signage-player --version", "signage-service --version"]) {
      const text = await call(command);
      if (!text.includes(version)) test.run.violate(`${command} says ${text}`);
    }
    for (const command of ["signage-player --help", "signage-player setup --help", "signage-service --help"]) await call(command);
  },
  async "the image and database modules of the bundle load"({ call }) {
    await call(
      `cd /usr/lib/signage-player/application && bin/node --eval 'require("node:sqlite"); const sharp = require("sharp"); sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } }).png().toBuffer().then((bytes) => { if (bytes.length < 50) process.exit(1); })'`,
    );
  },
  async "systemd accepts the units"({ call }) {
    const folder = "/usr/lib/systemd/system";
    await call(`systemd-analyze verify --man=no ${folder}/signage-*.service ${folder}/signage-*.timer`);
  },
  async "the users exist, and the units are enabled"({ call }) {
    await call("getent passwd signage signage-service");
    await call("systemctl is-enabled signage-player.service signage-session.service signage-launcher.service signage-service.service");
  },
  async "purge leaves nothing"({ test: { run }, call }) {
    await call("DEBIAN_FRONTEND=noninteractive apt-get purge --yes signage-player signage-service");
    const left = await call(
      "find / -xdev \\( -path /proc -o -path /sys -o -path /opt -o -path /var/lib/apt -o -path /var/log \\) -prune -o -iname '*signage*' -print",
    );
    if (left.trim() !== "") run.violate(`purge left: ${left.trim()}`);
  },
};

export const arm64: PackagePart = {
  about: "the packages for arm64 in an emulated Debian: installation, commands, modules, units, purge",
  unit: "rounds",
  usual: 1,
  async run(test) {
    if (process.getuid?.() !== 0) return "only root can make a chroot";
    if (!existsSync(emulator)) return "qemu-user-static is missing";
    const debs = (await readdir(join(test.packages, "packages"))).filter((name) => name.endsWith("_arm64.deb"));
    if (debs.length === 0) throw new Error(`${test.packages}/packages has no package for arm64`);
    const system = join(test.cache, "trixie-bare-arm64");
    if (!existsSync(system)) await buildSystem(test, system);
    await using copy = await SystemCopy.create(system, join(test.work, "arm64"));
    const folder = copy.folder;
    await mkdir(join(folder, "opt/packages"), { recursive: true });
    for (const deb of debs) await cp(join(test.packages, "packages", deb), join(folder, "opt/packages", deb));
    await cp("/etc/resolv.conf", join(folder, "etc/resolv.conf"));
    const prepare = `mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && exec chroot "$1" sh -c "$2"`;
    const call = (script: string): Promise<string> => runEmulated("sh", "-c", prepare, "sh", folder, script);
    for (const [check, attempt] of Object.entries(checks)) {
      await test.run.try({ check }, async () => {
        const from = performance.now();
        await attempt({ test, folder, call });
        return performance.now() - from;
      });
    }
    return null;
  },
};

async function buildSystem({ run, cache }: PackageTest, path: string): Promise<void> {
  run.print({ building: path });
  await mkdir(cache, { recursive: true });
  const unfinished = `${path}.new`;
  await execute("rm", ["-rf", unfinished]);
  const sources = [`deb ${mirror}/debian trixie main`, `deb ${mirror}/debian-security trixie-security main`];
  const flags = ["--quiet", "--mode=root", "--variant=minbase", "--architectures=arm64", "--format=directory", `--include=${base}`];
  // It would look for the emulator in this machine's own settings.
  await runEmulated("mmdebstrap", ...flags, "--skip=check/qemu", '--customize-hook=chmod 755 "$1"', "trixie", unfinished, ...sources);
  await execute("mv", [unfinished, path]);
}
