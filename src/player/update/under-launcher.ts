// The parts of a player that a launcher started: updates, and the health that the launcher judges them by.
import type { Task } from "../../base/async/run-all.ts";
import type { PlayerParts } from "../player-parts.ts";
import { BrowserChange } from "./browser-change.ts";
import { type HealthSession, reportHealth } from "./health.ts";
import { type LauncherOptions, Updates } from "./updates.ts";

/**
 * Opens the parts. Call before the browser starts. `tasks` run until their signal aborts.
 * @param session returns null while the player is not paired
 */
export async function openUnderLauncher(
  launcher: LauncherOptions,
  { config, files, device, http, browser, clock, log }: Omit<PlayerParts, "updates">,
  session: () => HealthSession | null,
): Promise<{ updates: Updates; tasks: Task[] }> {
  const { browserExecutable, healthFile: file, memoryBudgetBytes } = launcher;
  const engine = () => browser.recovery.engine;
  const change = browserExecutable === null ? null : await BrowserChange.open(browserExecutable, engine, clock);
  const updates = await Updates.open({ launcher, browser: change, deviceZone: config.deviceZone, clock, log, disk: files.disk });
  const tasks: Task[] = [(signal) => updates.run(signal)];
  if (file === null) {
    log.warn("SIGNAGE_HEALTH is not set: the launcher gets no health, and takes a new version for a failed one");
    return { updates, tasks };
  }
  const program = { version: config.version, instanceId: http.api.instanceId };
  const health = { file, memoryBudgetBytes, program, machine: device.machine, browser, session, clock, log };
  tasks.push((signal) => reportHealth(health, signal));
  return { updates, tasks };
}
