// The commands that maintain the program and the machine: ping, logs, diagnosis, test card, pairing, scripts, wired displays.
import type { CorrectedClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { DeclaredDevices } from "../control/declared-devices.ts";
import type { CommandModule } from "./command-module.ts";
import { logsLevelModule } from "./modules/logs.ts";
import { pingModule } from "./modules/ping.ts";
import { resetModules, type ResetActions } from "./modules/reset.ts";
import { scriptModule } from "./modules/script.ts";
import { testCardModule } from "./modules/test-card.ts";
import { wiredDisplayModules } from "./modules/wired-displays.ts";

export interface MaintenanceDependencies {
  clock: CorrectedClock;
  log: Log;
  declared: DeclaredDevices;
  reset: ResetActions;
  /** Covers the content with the test card for this long. */
  showTestCard: (durationMs: number) => void;
}

export function maintenanceModules({ clock, log, declared, reset, showTestCard }: MaintenanceDependencies): readonly CommandModule[] {
  return [
    pingModule(clock, clock.monotonic()),
    logsLevelModule(log, clock),
    scriptModule({ declared, clock, log }),
    ...wiredDisplayModules({ declared, clock }),
    ...resetModules(reset),
    testCardModule(showTestCard),
  ];
}
