// The commands that maintain the program and the machine: ping, logs, diagnosis, test card, pairing, scripts, wired displays.
import { machineChecks } from "../diagnosis/machine-checks.ts";
import { networkChecks } from "../diagnosis/network-checks.ts";
import { pageChecks } from "../diagnosis/page-checks.ts";
import type { PlayerParts } from "../player-parts.ts";
import type { Session } from "../session.ts";
import type { CommandModule } from "./command-module.ts";
import { diagnoseModule } from "./modules/diagnose.ts";
import { logsLevelModule } from "./modules/logs.ts";
import { pingModule } from "./modules/ping.ts";
import { resetModules } from "./modules/reset.ts";
import { scriptModule } from "./modules/script.ts";
import { testCardModule } from "./modules/test-card.ts";
import { wiredDisplayModules } from "./modules/wired-displays.ts";

/**
 * @param session returns null while the player is not paired
 * @param showTestCard covers the content with the test card for this long
 */
export function maintenanceModules(
  { config, files, device, http, browser, clock, log }: PlayerParts,
  session: () => Session | null,
  showTestCard: (durationMs: number) => void,
): readonly CommandModule[] {
  const { folder, ntp } = config;
  const { declared } = device;
  const checks = () => [
    ...networkChecks({ api: http.api, clock, machineTime: () => clock.raw(), link: () => session()?.connection.link.value ?? null }),
    ...machineChecks({ clock, ntp, folder }),
    ...pageChecks(browser.surface),
  ];
  return [
    pingModule(clock, clock.monotonic()),
    logsLevelModule(log, clock),
    diagnoseModule(checks, clock),
    testCardModule(showTestCard),
    scriptModule({ declared, clock, log }),
    ...wiredDisplayModules({ declared, clock }),
    ...resetModules(files.reset),
  ];
}
