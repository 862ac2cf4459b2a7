// Where the launcher's files are. All paths are below one root, so that an image or a test can have its own.
import { join } from "node:path";
import type { SlotName } from "../protocol/device/updates.ts";

export interface LauncherFolders {
  /** Root's: slots, state, trusted metadata, kept browser packages. */
  readonly data: string;
  /** In memory, empty after a boot. World-readable. */
  readonly run: string;
  readonly state: string;
  /** A copy of the state that is newer than `state` while the disk is full. */
  readonly stateInMemory: string;
  /** The last start of the player's unit. */
  readonly unitStart: string;
  readonly status: string;
  readonly tuf: string;
  readonly browser: string;
  /** The player's data folder, and in it its downloads. */
  readonly player: string;
  readonly updates: string;
  /** Where the player writes its health: in memory, because it does so every five seconds. */
  readonly health: string;
  /** The machine's serial number, which only root may read, for the player. */
  readonly serial: string;
  readonly serialOfFirmware: string;
  readonly launcherInfo: string;
  /** Trust anchors: the operator's, which takes precedence, and the package's. */
  readonly anchors: readonly string[];
  readonly bootId: string;
  readonly aptArchives: string;
  slot(name: SlotName): string;
  /** Says that a slot is complete, and lists its files. */
  marker(name: "a" | "b"): string;
}

/** @param root `/` on a device. */
export function launcherFolders(root: string): LauncherFolders {
  const [data, run, player] = [
    join(root, "var/lib/signage-launcher"),
    join(root, "run/signage-launcher"),
    join(root, "var/lib/signage-player"),
  ];
  return {
    data,
    run,
    state: join(data, "state.json"),
    stateInMemory: join(run, "state.json"),
    unitStart: join(run, "started.json"),
    status: join(run, "status.json"),
    tuf: join(data, "tuf"),
    browser: join(data, "browser"),
    player,
    updates: join(player, "updates"),
    health: join(root, "run/signage-player/health.json"),
    serial: join(run, "serial"),
    serialOfFirmware: join(root, "sys/class/dmi/id/product_serial"),
    launcherInfo: join(root, "usr/lib/signage-player/launcher/launcher.json"),
    anchors: [join(root, "etc/signage-player/root.json"), join(root, "usr/share/signage-player/root.json")],
    bootId: join(root, "proc/sys/kernel/random/boot_id"),
    aptArchives: join(root, "var/cache/apt/archives"),
    slot: (name) => (name === "package" ? join(root, "usr/lib/signage-player/application") : join(data, "slots", name)),
    marker: (name) => join(data, "slots", `${name}.json`),
  };
}
