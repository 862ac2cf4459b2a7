// The Debian package signage-player: launcher, first application, units, and what the system must know about a player.
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import type { Architecture } from "../../src/protocol/device/updates.ts";
import { buildDeb, PackageTree } from "./deb.ts";
import { addDocuments } from "./documents.ts";
import { playerManual } from "./manual/manuals.ts";
import { nodeDepends } from "./node-release.ts";
import type { BuildOptions } from "./options.ts";

// What the package brings beside its programs.
const playerFolder = join(rootFolder, "packaging/player");
const root = "usr/lib/signage-player";

const units = ["setup", "usb@", "session", "session-failed", "sound@", "rotation", "launcher", "player"].map(
  (name) => `signage-${name}.service`,
);
/** Files of `packaging/player/system`, and where they go. */
const systemFiles = {
  "sysusers.conf": "usr/lib/sysusers.d/signage-player.conf",
  "tmpfiles.conf": "usr/lib/tmpfiles.d/signage-player.conf",
  "journald.conf": "usr/lib/systemd/journald.conf.d/signage-player.conf",
  "display.rules": "usr/lib/udev/rules.d/90-signage-display.rules",
  "devices.rules": "usr/lib/udev/rules.d/90-signage-devices.rules",
  "usb.rules": "usr/lib/udev/rules.d/90-signage-usb.rules",
  "polkit.rules": "usr/share/polkit-1/rules.d/signage-player.rules",
  "chromium-policy.json": "etc/chromium/policies/managed/signage-player.json",
  "apt.conf": "etc/apt/apt.conf.d/90signage-player",
  "watchdog.conf": "usr/share/doc/signage-player/examples/watchdog.conf",
} as const;

/** The units of the login session's own sound server, which `sound-user.conf` keeps from starting for the player's user. */
const soundUnits = ["pipewire.service", "pipewire.socket", "pipewire-pulse.service", "pipewire-pulse.socket", "wireplumber.service"];

/** What the player controls the machine with. Without one of them it is not able to do that, and says so. */
export const controlTools = [
  // Power of the displays by the compositor. Not in Debian 12, where wlr-randr does it.
  "wlopm",
  // cec-ctl: power and input of televisions, by the kernel's own interface; cec-client (cec-utils) needs an adapter of one maker.
  "v4l-utils",
  "ddcutil",
  // PipeWire: the only one of the sound servers with outputs that keep their names and a tool that chooses one for a running browser.
  "wireplumber",
  "pipewire-pulse",
  // The name and signal of the Wi-Fi.
  "iw",
];

/**
 * Fonts for web pages that bring none, and for PDF files that name fonts without containing them. All else is drawn in the fonts of the
 * player's page. Chromium's own dependencies bring the one font without which it draws nothing.
 */
export const webFonts = ["fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji"];

/** What the package is built from. */
export interface PlayerParts {
  /** An application's folder. */
  application: string;
  /** The launcher's program, one file. */
  launcher: string;
}

/** Builds it in the folder `work`. @returns the package's path. */
export function buildPlayerDeb(
  architecture: Architecture,
  parts: PlayerParts,
  options: BuildOptions,
  work: string,
  output: string,
): string {
  const { version, epoch, quick } = options;
  const tree = new PackageTree(join(work, `player-${architecture}`));
  tree.copyFolder(`${root}/application`, parts.application);
  // The launcher and the first application are of the same build, so that they share one Node.
  tree.copy(`${root}/launcher/node`, join(parts.application, "bin/node"), 0o755);
  tree.link(`${root}/application/bin/node`, "../../launcher/node");
  tree.copy(`${root}/launcher/launcher.mjs`, parts.launcher);
  const built = { launcher_version: version, built_at: new Date(epoch * 1_000).toISOString() };
  tree.write(`${root}/launcher/launcher.json`, `${JSON.stringify(built)}\n`);
  tree.copyFolder(`${root}/labwc`, join(playerFolder, "session/labwc"));
  for (const script of ["rotate", "explain-failure"])
    tree.copy(`${root}/session/${script}`, join(playerFolder, `session/${script}.sh`), 0o755);
  tree.copy("usr/bin/signage-player", join(playerFolder, "signage-player.sh"), 0o755);
  for (const unit of units) tree.copy(`usr/lib/systemd/system/${unit}`, join(playerFolder, "units", unit));
  for (const [from, to] of Object.entries(systemFiles)) tree.copy(to, join(playerFolder, "system", from));
  for (const unit of soundUnits) {
    tree.copy(`usr/lib/systemd/user/${unit}.d/signage-player.conf`, join(playerFolder, "system/sound-user.conf"));
  }
  if (options.root !== undefined) tree.copy("usr/share/signage-player/root.json", options.root);
  const notices = `/${root}/application/THIRD-PARTY-NOTICES.txt`;
  const overrides = join(playerFolder, "lintian-overrides");
  addDocuments(tree, { name: "signage-player", manuals: [playerManual], overrides, notices }, version, epoch);
  const fields = {
    name: "signage-player",
    version,
    architecture,
    section: "video",
    depends: [
      ...nodeDepends,
      "init-system-helpers (>= 1.54~)",
      "systemd (>= 252)",
      "libpam-systemd",
      "login (>= 1:4)",
      "passwd",
      "dbus-user-session",
      "chromium",
      "tzdata",
      "labwc",
      "wlr-randr",
    ],
    recommends: ["chromium-sandbox", "polkitd", ...controlTools, ...webFonts],
    // smartctl tells something only where the player's user may open the disk.
    suggests: ["network-manager", "signage-service", "smartmontools"],
    synopsis: "digital-signage player for one screen",
    description: [
      "Shows layouts and playlists fullscreen and unattended, and keeps playing when the network is gone. After the installation the screen shows a code to pair it with a service.",
      "This package has the launcher, which installs signed updates of the player beside the running version and returns to it when they fail, the first version of the player, and the units that run it with Chromium on the compositor labwc.",
    ],
    conffiles: Object.values(systemFiles).flatMap((path) => (path.startsWith("etc/") ? [`/${path}`] : [])),
    scripts: join(playerFolder, "debian"),
  };
  return buildDeb(tree, fields, epoch, quick, output);
}
