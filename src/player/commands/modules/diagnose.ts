// The command diagnose: examines the machine, its network and its browser.
import type { Clock } from "../../../base/clock.ts";
import { type Check, runChecks } from "../../diagnosis/checks.ts";
import { done, type CommandModule } from "../command-module.ts";

const deadlineMs = 30_000;
const limit = { count: 6, perMs: 60_000 };

/** @param checks creates the checks of one diagnosis. */
export function diagnoseModule(checks: () => readonly Check[], clock: Clock): CommandModule<"diagnose"> {
  return {
    type: "diagnose",
    deadlineMs,
    limit,
    run: async (_, signal) => done({ checks: await runChecks(checks(), clock, signal) }),
  };
}
