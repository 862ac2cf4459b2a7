// The folder with the image's system: Debian and signage-player by mmdebstrap, with the files of packaging/image.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import { controlTools, webFonts } from "../package/player-package.ts";
import { run } from "../package/run-program.ts";
import type { ImageOptions } from "./options.ts";

export const imageFolder = join(rootFolder, "packaging/image");

const packages = [
  ["systemd", "systemd-sysv", "systemd-repart", "systemd-timesyncd", "libpam-systemd", "dbus", "dbus-user-session", "polkitd", "udev"],
  ["linux-image-amd64", "initramfs-tools", "zstd", "kmod", "e2fsprogs", "dosfstools"],
  ["network-manager", "wpasupplicant", "iproute2", "ca-certificates", "tzdata", "unattended-upgrades", "less"],
  ["chromium-sandbox", "mesa-va-drivers", "signage-player"],
  // What signage-player recommends: mmdebstrap installs no recommended packages.
  controlTools,
  webFonts,
].flat();
const firmware = [
  ["intel-microcode", "amd64-microcode", "firmware-intel-graphics", "firmware-amd-graphics", "firmware-misc-nonfree"],
  ["firmware-iwlwifi", "firmware-realtek", "firmware-atheros", "intel-media-va-driver"],
].flat();
// The boot loader comes from these packages, but is not installed as one: scripts/image/boot.ts says why.
const loaders = "shim-signed grub-efi-amd64-signed";
// Translations and documentation that nobody reads on a screen. Copyright files and manual pages stay.
const excluded = ["doc", "locale", "info", "lintian", "help", "gnome/help"].map((folder) => `path-exclude=/usr/share/${folder}/*`);
const included = ["path-include=/usr/share/doc/*/copyright", "path-include=/usr/share/doc/signage-player/*"];

/** Builds the system in the folder `to`, which must not exist, and the boot loader's packages in `loaderFolder`. */
export function buildSystem(options: ImageOptions, to: string, loaderFolder: string): void {
  const browserFolder = `${loaderFolder}-browser`;
  for (const folder of [loaderFolder, browserFolder]) mkdirSync(folder, { recursive: true });
  const names = [
    ...packages,
    ...(options["no-firmware"] ? [] : firmware),
    ...(options["ssh-keys"] === undefined ? [] : ["openssh-server"]),
  ];
  // apt runs outside the new system here. It reads files as another user, so it must copy them.
  const from = options.apt.startsWith("/") ? `copy://${options.apt}` : options.apt;
  const components = "main non-free-firmware";
  const security = options.mirror.replace(/\/debian\/?$/, "/debian-security");
  const debian = [
    `deb ${options.mirror} ${options.suite} ${components}`,
    `deb ${options.mirror} ${options.suite}-updates ${components}`,
    `deb ${security} ${options.suite}-security ${components}`,
  ];
  run("mmdebstrap", [
    "--variant=minbase",
    "--architectures=amd64",
    `--include=${names.join(",")}`,
    ...[...excluded, ...included].map((option) => `--dpkgopt=${option}`),
    // The packages' scripts must not start anything here.
    `--essential-hook=printf '#!/bin/sh\\nexit 101\\n' > "$1/usr/sbin/policy-rc.d" && chmod 755 "$1/usr/sbin/policy-rc.d"`,
    `--customize-hook=rm "$1/usr/sbin/policy-rc.d"`,
    `--customize-hook=chroot "$1" sh -c 'cd /tmp && apt-get download ${loaders}'`,
    `--customize-hook=mv "$1"/tmp/*.deb ${quote(loaderFolder)}`,
    `--customize-hook=chroot "$1" sh -c 'cd /tmp && apt-get download chromium chromium-common chromium-sandbox'`,
    `--customize-hook=mv "$1"/tmp/*.deb ${quote(browserFolder)}`,
    `--customize-hook=cp --recursive --no-preserve=ownership ${quote(`${imageFolder}/files`)}/. "$1"`,
    `--customize-hook=sh ${quote(`${imageFolder}/finish.sh`)} "$1"`,
    options.suite,
    to,
    ...debian,
    `deb [signed-by=${options.key!}] ${from} stable main`,
  ]);
  // As after an installation by apt-get: the launcher keeps these for the case that a newer browser fails.
  for (const deb of readdirSync(browserFolder))
    run("install", ["--mode=644", join(browserFolder, deb), join(to, "var/cache/apt/archives")]);
  writeSources(to, options, debian);
  if (options["ssh-keys"] !== undefined) {
    mkdirSync(join(to, "root/.ssh"), { recursive: true, mode: 0o700 });
    run("install", ["--mode=600", options["ssh-keys"], join(to, "root/.ssh/authorized_keys")]);
  }
}

function writeSources(to: string, { source, key }: ImageOptions, debian: readonly string[]): void {
  const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
  const lines = debian.map((line) => line.replace(/^deb /, `deb [signed-by=${keyring}] `));
  if (source !== undefined) {
    const installed = "/etc/apt/keyrings/signage-player.asc";
    run("install", ["-D", "--mode=644", key!, join(to, installed)]);
    lines.push(`deb [signed-by=${installed}] ${source} stable main`);
  }
  writeFileSync(join(to, "etc/apt/sources.list"), `${lines.join("\n")}\n`);
  run("sh", ["-c", 'rm -f "$1"/etc/apt/sources.list.d/0000*', "sh", to]);
}

/** For the shell by which mmdebstrap runs its hooks. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
