// The commands that the packages install, with their programs: what manual pages and completions are made from.
import { dataFolder } from "../../../src/main/folders.ts";
import type { Usage } from "../../../src/base/config.ts";
import { migrateUsage, moveUsage } from "../../../src/main/database.ts";
import { backupKeyUsage, backupUsage, restoreKeyUsage, restoreUsage } from "../../../src/main/backup.ts";
import { usage as mirrorUsage } from "../../../src/main/mirror.ts";
import { usage as mcpUsage } from "../../../src/main/mcp/mcp.ts";
import { usage as playerUsage } from "../../../src/main/player/player-flags.ts";
import { usage as serviceUsage } from "../../../src/main/service.ts";
import { usages as releaseUsages } from "../../../src/main/release/usages.ts";
import { usage as setupUsage } from "../../../src/main/setup/setup-flags.ts";
import { usage as showUsage } from "../../../src/main/show/show.ts";
import { usage as signInLinkUsage } from "../../../src/main/sign-in-link.ts";

/** A program of a command. */
export interface DocumentedProgram {
  name: string;
  usage: Usage;
}

/** A command, as its manual page describes it. */
export interface Manual {
  name: string;
  summary: string;
  /** Paragraphs. */
  description: readonly string[];
  programs: readonly DocumentedProgram[];
  files: Readonly<Record<string, string>>;
  see: readonly string[];
}

const status: Usage = {
  command: "signage-player status",
  summary: "Prints which version of the player runs, from where and why, and how the last update ended.",
  flags: { json: { help: "Print JSON" } },
};

export const playerManual: Manual = {
  name: "signage-player",
  summary: "digital-signage player for one screen",
  description: [
    "The player shows what a service assigns to its screen. The unit signage-player.service runs it on the compositor of signage-session.service; its log is in the journal.",
    "The program that runs comes from the package, or from a newer signed release that signage-launcher.service has installed beside it.",
  ],
  programs: [
    { name: "setup", usage: setupUsage },
    { name: "status", usage: status },
    { name: "start", usage: playerUsage },
    { name: "show", usage: showUsage },
    { name: "mcp", usage: mcpUsage },
  ],
  files: {
    "/etc/signage-player/player.env": "The service's address (SIGNAGE_SERVER) and more flags for the player (SIGNAGE_FLAGS).",
    "/etc/signage-player/session.env": "The rotation of the screen in degrees clockwise (SIGNAGE_ROTATION): 0, 90, 180 or 270.",
    "/etc/signage-player/scripts": "Scripts that the command run starts, with --allow-scripts. They belong to root.",
    "/etc/signage-player/wired-displays.json": "Serial ports and hosts that the commands serial.write and network.send may use.",
    "/etc/signage-player/root.json": "The keys of the releases that this player accepts, instead of those of the package.",
    "/var/lib/signage-player": "The player's identity, content and settings. Only a purge of the package deletes them.",
    "/var/lib/signage-launcher": "Installed releases.",
    "/run/signage-launcher/status.json": "What signage-player status prints.",
  },
  see: ["signage-service(1)", "journalctl(1)", "labwc(1)"],
};

export const serviceManual: Manual = {
  name: "signage-service",
  summary: "digital-signage service that players connect to",
  description: [
    "The unit signage-service.service runs the program serve with the settings of /etc/default/signage-service. The first access token is in /var/lib/signage-service/admin-token, the documentation of the API at http://127.0.0.1:8080/docs.",
    "The programs backup, restore, backup-key, restore-key, mirror and sign-in-link use /var/lib/signage-service unless --data names another folder; as root they run as the user signage-service or give it the files. A restore needs an empty folder: stop the service and move the old one away first.",
    "sign-in-link prints a link that signs you in to the console: run it as root after the installation, or if a password is lost.",
    "signage-backup.timer makes a backup every night.",
  ],
  programs: [
    { name: "serve", usage: serviceUsage },
    { name: "backup", usage: backupUsage },
    { name: "restore", usage: restoreUsage },
    { name: "backup-key", usage: backupKeyUsage },
    { name: "restore-key", usage: restoreKeyUsage },
    { name: "migrate", usage: migrateUsage },
    { name: "move", usage: moveUsage },
    { name: "mirror", usage: mirrorUsage },
    { name: "sign-in-link", usage: signInLinkUsage },
    { name: "show", usage: showUsage },
    { name: "mcp", usage: mcpUsage },
  ],
  files: {
    "/etc/default/signage-service": "Address, port and flags of the service.",
    "/var/lib/signage-service": "All data of the service. Only a purge of the package deletes it.",
    "/var/backups/signage-service": "The newest seven nightly backups.",
  },
  see: ["signage-player(1)", "signage-release(1)", "systemctl(1)"],
};

export const releaseManual: Manual = {
  name: "signage-release",
  summary: "makes and signs release repositories of signage-player",
  description: [
    "Players install only releases that the keys of their trust anchor have signed. This command makes those keys and repositories. It needs no network, so that the keys can stay on a machine without one.",
  ],
  programs: Object.entries(releaseUsages).map(([name, usage]) => ({ name, usage })),
  files: {},
  see: ["signage-service(1)", "signage-player(1)"],
};

/** A flag's or a program's text, without the home folder of whoever builds the package. */
export function portable(text: string): string {
  return text.replaceAll(dataFolder(), "~/.local/share/signage-player");
}
