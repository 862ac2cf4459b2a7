// Connects the status (heartbeats and device description) with the parts of the player that it reports on.
import type { CorrectedClock } from "../base/clock.ts";
import { noGenerations } from "./content/generations.ts";
import { noProgress } from "./content/download-progress.ts";
import type { DeclaredDevices } from "./control/declared-devices.ts";
import type { DiskHealth } from "./storage/disk-health.ts";
import type { Host } from "./host.ts";
import type { Machine } from "./machine.ts";
import { PlaybackDrift } from "./proof/playback-drift.ts";
import { Problems } from "./proof/problems.ts";
import { TelemetryCollector } from "./proof/telemetry.ts";
import type { Log } from "../base/log.ts";
import { Capabilities } from "../protocol/device/capabilities.ts";
import { Status } from "./proof/status.ts";
import type { SessionView } from "./session-view.ts";
import type { Recovery } from "./surface/recovery.ts";
import type { Surface } from "./surface/surface.ts";
import type { Updates } from "./update/updates.ts";

export interface PlayerStatusDependencies {
  host: Host;
  machine: Machine;
  clock: CorrectedClock;
  folder: string;
  version: string;
  instanceId: string;
  surface: Surface;
  recovery: Recovery;
  disk: DiskHealth;
  /** Null: no launcher started the player. */
  updates: Updates | null;
  log: Log;
  declared: DeclaredDevices;
  /** Returns null while the player is not paired. */
  session: () => SessionView | null;
}

/** Creates the status and follows the page's messages until `signal` aborts. */
export function createPlayerStatus(dependencies: PlayerStatusDependencies, signal: AbortSignal): Status {
  const { host, machine, clock, folder, version, instanceId, surface, recovery, disk, updates, declared, session, log } = dependencies;
  const drift = new PlaybackDrift(clock);
  const displayPower = () => session()?.displayPower ?? null;
  const telemetry = new TelemetryCollector({ machine, folder, displayPower, clock, log, signal });
  const problems = new Problems();
  surface.onMessage((message) => {
    drift.handleMessage(message);
    telemetry.handleMessage(message);
    const isOff = session()?.isDisplayOffOnPurpose === true;
    // A browser draws nothing for a display that is off: items that were not ready or stopped meanwhile say nothing about them.
    if (isOff && (message.type === "failed" || message.type === "flawed")) return;
    problems.handleMessage(message, session()?.stage ?? null, clock.now());
  }, signal);
  const progress = () => session()?.progress ?? noProgress;
  const content = () => ({
    stage: session()?.stage ?? null,
    desired: session()?.appliedState ?? null,
    progress: progress(),
    generations: session()?.generations ?? noGenerations,
    disk: disk.condition,
    lostAssets: session()?.lostAssets ?? [],
    impairment: session()?.impairment ?? null,
    isOffOnPurpose: session()?.isDisplayOffOnPurpose ?? false,
    recurring: session()?.recurringProblems ?? [],
    updates: updates?.problems(clock.now()) ?? [],
  });
  return new Status({
    host,
    machine,
    clock,
    folder,
    version,
    instanceId,
    engine: () => recovery.engine,
    page: () => surface.page.value,
    drift: () => drift.figures,
    withheld: () => recovery.withheld,
    withoutGpuMs: () => recovery.withoutGpuMs,
    problems: (condition) => problems.list({ ...condition, ...content() }),
    nowPlaying: () => session()?.nowPlaying ?? [],
    why: () => session()?.why ?? [],
    variables: () => session()?.variables ?? {},
    appliedRevision: () => session()?.appliedRevision ?? null,
    desired: () => session()?.desired ?? null,
    progress,
    update: () => updates?.update ?? null,
    capabilities: () => capabilitiesOf(session()?.commands ?? null, machine, declared),
    telemetry,
    generations: () => session()?.generations ?? noGenerations,
    isIncomplete: () => (session()?.lostAssets.length ?? 0) > 0,
  });
}

/** What the player is able to do; null while it is not paired. */
function capabilitiesOf(
  commands: SessionView["commands"] | null,
  { controls }: Machine,
  { scripts, displays }: DeclaredDevices,
): Capabilities | null {
  if (commands === null) return null;
  return Capabilities.parse({
    ...commands,
    displays: controls.display.outputs,
    inputs: controls.display.inputs,
    audio_outputs: controls.audio.outputs,
    scripts: scripts.is === "declared" ? scripts.value : [],
    serial_ports: displays.is === "declared" ? displays.value.serial.map(({ name }) => name) : [],
    network_hosts: displays.is === "declared" ? displays.value.network.map(({ name }) => name) : [],
  });
}
