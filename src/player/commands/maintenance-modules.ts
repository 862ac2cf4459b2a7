// The commands that maintain the program and the machine: ping, logs, diagnosis, test card, pairing, scripts, wired displays.
import type { CorrectedClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { DeclaredDevices } from "../control/declared-devices.ts";
import { machineChecks } from "../diagnosis/machine-checks.ts";
import { networkChecks } from "../diagnosis/network-checks.ts";
import { pageChecks } from "../diagnosis/page-checks.ts";
import type { NtpServer } from "../link/ntp.ts";
import type { ServiceApi } from "../link/service-api.ts";
import type { PendingReset } from "../pairing/pending-reset.ts";
import type { Session } from "../session.ts";
import type { Surface } from "../surface/surface.ts";
import type { CommandModule } from "./command-module.ts";
import { diagnoseModule } from "./modules/diagnose.ts";
import { logsLevelModule } from "./modules/logs.ts";
import { pingModule } from "./modules/ping.ts";
import { resetModules } from "./modules/reset.ts";
import { scriptModule } from "./modules/script.ts";
import { testCardModule } from "./modules/test-card.ts";
import { wiredDisplayModules } from "./modules/wired-displays.ts";

export interface MaintenanceDependencies {
  api: ServiceApi;
  clock: CorrectedClock;
  log: Log;
  declared: DeclaredDevices;
  /** The player's data folder. */
  folder: string;
  ntp: readonly NtpServer[];
  reset: PendingReset;
  /** Returns null while the player is not paired. */
  session: () => Session | null;
  surface: Surface;
  /** Covers the content with the test card for this long. */
  showTestCard: (durationMs: number) => void;
}

export function maintenanceModules(dependencies: MaintenanceDependencies): readonly CommandModule[] {
  const { api, clock, log, declared, folder, ntp, reset, session, surface, showTestCard } = dependencies;
  const checks = () => [
    ...networkChecks({ api, clock, machineTime: () => clock.raw(), link: () => session()?.connection.link.value ?? null }),
    ...machineChecks({ clock, ntp, folder }),
    ...pageChecks(surface),
  ];
  return [
    pingModule(clock, clock.monotonic()),
    logsLevelModule(log, clock),
    diagnoseModule(checks, clock),
    testCardModule(showTestCard),
    scriptModule({ declared, clock, log }),
    ...wiredDisplayModules({ declared, clock }),
    ...resetModules(reset),
  ];
}
