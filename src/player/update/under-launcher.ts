// The parts of a player that a launcher started: updates, and the health that the launcher judges them by.
import type { Task } from "../../base/async/run-all.ts";
import type { BrowserEngine, Host } from "../host.ts";
import type { Machine } from "../machine.ts";
import type { Session } from "../session.ts";
import type { Surface } from "../surface/surface.ts";
import { BrowserChange } from "./browser-change.ts";
import { reportHealth } from "./health.ts";
import { type LauncherOptions, Updates, type UpdatesDependencies } from "./updates.ts";

export interface UnderLauncherDependencies extends Omit<UpdatesDependencies, "launcher" | "browser"> {
  version: string;
  instanceId: string;
  host: Host;
  machine: Machine;
  surface: Surface;
  engine: () => BrowserEngine | null;
  /** Returns null while the player is not paired. */
  session: () => Session | null;
}

/** Opens the parts. Call before the browser starts. `tasks` run until their signal aborts. */
export async function openUnderLauncher(
  launcher: LauncherOptions,
  dependencies: UnderLauncherDependencies,
): Promise<{ updates: Updates; tasks: Task[] }> {
  const { version, instanceId, host, machine, surface, engine, session, clock, log, disk, deviceZone } = dependencies;
  const { browserExecutable, healthFile: file, memoryBudgetBytes } = launcher;
  const browser = browserExecutable === null ? null : await BrowserChange.open(browserExecutable, engine, clock);
  const updates = await Updates.open({ launcher, browser, deviceZone, clock, log, disk });
  const tasks: Task[] = [(signal) => updates.run(signal)];
  if (file === null) {
    log.warn("SIGNAGE_HEALTH is not set: the launcher gets no health, and takes a new version for a failed one");
    return { updates, tasks };
  }
  const page = () => surface.page.value;
  const answeredAt = () => session()?.connection.answeredAt;
  const onPageMessage = surface.onMessage.bind(surface);
  const isOffOnPurpose = (): boolean => session()?.displayPower.isOffOnPurpose ?? false;
  const health = {
    file,
    version,
    instanceId,
    memoryBudgetBytes,
    host,
    machine,
    isOffOnPurpose,
    engine,
    page,
    onPageMessage,
    answeredAt,
    clock,
    log,
  };
  tasks.push((signal) => reportHealth(health, signal));
  return { updates, tasks };
}
