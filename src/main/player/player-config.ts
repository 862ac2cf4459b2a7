// The player's configuration: its flags, and facts from the program and the machine around it.
import type { PlayerConfig } from "../../player/player-config.ts";
import { rendererFolder } from "../folders.ts";
import { localAccessRule } from "./local-exceptions.ts";
import type { PlayerFlags } from "./player-flags.ts";

// The folder in which the machine's root user declares scripts, serial ports and hosts for commands.
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
