// The player's configuration: its flags, and what the program and the machine around it tell.
import type { PlayerConfig } from "../../player/player-config.ts";
import { rendererFolder } from "../folders.ts";
import { localAccessRule } from "./local-exceptions.ts";
import type { PlayerFlags } from "./player-flags.ts";

// Where the machine's root user declares what commands may use.
const declaredFolder = "/etc/signage-player";
const rootUid = 0;

export function playerConfig(flags: PlayerFlags, program: Pick<PlayerConfig, "version" | "notice" | "launcher">): PlayerConfig {
  const { folder, ntp, triggers, preload, quota, allowScripts, allowLocal } = flags;
  const scripts = allowScripts ? `${declaredFolder}/scripts` : null;
  return {
    ...program,
    folder,
    ntp,
    triggers,
    preload,
    quota,
    rendererFolder,
    deviceZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    declared: { scripts, wiredDisplays: `${declaredFolder}/wired-displays.json`, ownerUid: rootUid },
    mayReachLocal: localAccessRule(allowLocal),
  };
}
