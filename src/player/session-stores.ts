// Opens everything that a session keeps on the disk.
import { join } from "node:path";
import type { CommandModule } from "./commands/command-module.ts";
import { CommandSet } from "./commands/command-set.ts";
import { displayPowerModule } from "./commands/modules/display-power.ts";
import { readAuditTail } from "./commands/audit-log.ts";
import { contentModules } from "./commands/modules/content.ts";
import { logsCollectModule } from "./commands/modules/logs.ts";
import { playModules } from "./commands/modules/play.ts";
import { DisplayPower } from "./control/display-power.ts";
import { RecurringCommands } from "./control/recurring-commands.ts";
import { CommandRunner } from "./commands/command-runner.ts";
import { ContentCache, contentFolder } from "./content/content-cache.ts";
import { preloadFrom } from "./content/preload.ts";
import { DesiredStateStore } from "./content/desired-state-store.ts";
import type { Pairing } from "./pairing/identity.ts";
import type { PlayerParts } from "./player-parts.ts";
import { InterventionStore } from "./playback/intervention-store.ts";
import { ScheduleFollower } from "./playback/schedule-follower.ts";
import { Outbox } from "./outbox/outbox.ts";
import { Pictures } from "./pictures/pictures.ts";
import { ProblemRecorder } from "./proof/problem-recorder.ts";
import { ProofOfPlay } from "./proof/proof-of-play.ts";

export interface SessionStoresOptions {
  pairing: Pairing;
  /** The commands that act on the program and the machine. */
  deviceModules: readonly CommandModule[];
  /** The assets that the page presents now. */
  assetsOnScreen: () => readonly string[];
}

export type SessionStores = Awaited<ReturnType<typeof openStores>>;

export async function openStores({ config, files, device, browser, clock, log }: PlayerParts, options: SessionStoresOptions) {
  const { folder, preload, quota, deviceZone } = config;
  const { identity, disk } = files;
  const { machine, asked } = device;
  const { controls, bootId } = machine;
  const { pairing, deviceModules, assetsOnScreen } = options;
  const interventions = await InterventionStore.open(folder, log, disk);
  const context = () => ({ interventions: interventions.interventions.value, deviceTimeZone: deviceZone });
  const findPreloaded = preload === null ? null : preloadFrom(preload, log);
  const [desired, cache, outbox, proof] = await Promise.all([
    DesiredStateStore.open(folder, pairing.playerId, log, disk),
    ContentCache.open(contentFolder(folder), clock, log, disk, { context, findPreloaded, quotaBytes: quota }),
    Outbox.open(join(folder, "outbox"), clock, log, disk),
    ProofOfPlay.open({ folder: join(folder, "plays"), bootId, clock, log, disk }),
  ]);
  const follower = new ScheduleFollower(interventions, clock, log, deviceZone);
  const displayPower = new DisplayPower({
    desired: desired.current,
    interventions: interventions.interventions,
    asked,
    controls,
    deviceZone,
    clock,
    log,
  });
  const applied = () => follower.applied?.desired ?? null;
  const source = {
    capture: browser.host.capture.bind(browser.host),
    displayPower: async () => (displayPower.isOffOnPurpose ? ("off" as const) : await machine.displayPower()),
    fault: () => browser.recovery.fault,
  };
  const pictures = new Pictures({ source, playerId: pairing.playerId, desired: desired.current, applied, outbox, clock, log });
  const commandSet = new CommandSet([
    ...pictures.modules,
    ...playModules((command) => follower.apply(command)),
    displayPowerModule(displayPower),
    ...contentModules({ desired, cache, clock, assetsOnScreen }),
    logsCollectModule({ clock, log, outbox, auditTail: (maxBytes) => readAuditTail(folder, maxBytes) }),
    ...deviceModules,
  ]);
  const { thumbprint } = identity;
  const { serviceKey } = pairing;
  const [problems, commands, recurring] = await Promise.all([
    ProblemRecorder.open({ folder, clock, outbox, disk }),
    CommandRunner.open({ folder, thumbprint, serviceKey, clock, outbox, commands: commandSet, log, disk }),
    RecurringCommands.open({ folder, desired: desired.current, commands: commandSet, deviceZone, clock, log, disk }),
  ]);
  return { desired, cache, outbox, commands, commandSet, interventions, follower, pictures, problems, proof, displayPower, recurring };
}
