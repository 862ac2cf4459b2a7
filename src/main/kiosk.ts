// The player on the system's Chromium.
import { join } from "node:path";
import { createSystemClock } from "../base/clock.ts";
import { lockFolder } from "../base/folder-lock.ts";
import type { Log } from "../base/log.ts";
import { createChromiumHost } from "../host/chromium.ts";
import { findChromium } from "../host/chromium/find.ts";
import { createLinuxMachine } from "../host/linux.ts";
import { readVersion, rendererFolder } from "./folders.ts";
import type { PlayerConfig } from "./player-config.ts";
import { serverOf } from "./settings.ts";

/** Runs the player until `signal` aborts; a restart by command begins anew with a fresh browser. */
export async function runKiosk(config: PlayerConfig, log: Log, signal: AbortSignal): Promise<void> {
  using _lock = lockFolder(config.data);
  const { default: Conf } = await import("conf");
  const settings = new Conf<{ server?: string }>({ cwd: config.data, configName: "settings" });
  const server = serverOf(config.server, settings);
  const headless = config.headless || !hasDisplay();
  if (headless && !config.headless) log.warn("there is no display: drawing without one; take a screenshot to see the picture");
  const clock = createSystemClock();
  const executable = await findChromium(process.env["SIGNAGE_CHROMIUM"]);
  const { runPlayer } = await import("../player/player.ts");
  for (;;) {
    await using host = createChromiumHost({
      executable,
      profileFolder: join(config.data, "chromium"),
      headless,
      window: config.window,
      env: process.env,
      clock,
      log,
    });
    const machine = createLinuxMachine();
    const options = { server, folder: config.data, rendererFolder, version: readVersion(), host, machine, clock, log };
    await runPlayer(options, signal);
  }
}

/** Whether there is an X or Wayland display to draw on. */
export function hasDisplay(): boolean {
  return Boolean(process.env["DISPLAY"]) || Boolean(process.env["WAYLAND_DISPLAY"]);
}
