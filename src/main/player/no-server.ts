// The text on the screen of a player without a service: the command and the file that set one, and the services found by DNS-SD.
import { hostname } from "node:os";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { NoServerOptions } from "../../player/pairing/no-server.ts";

/** @param problem the problem with the machine's signage.toml. @param env tells an installed package from a checkout. */
export function noServerOptions({
  env,
  problem,
  clock,
  log,
}: {
  env: NodeJS.ProcessEnv;
  problem: string | null;
  clock: Clock;
  log: Log;
}): NoServerOptions {
  // Set by the launcher of the package.
  const isInstalled = env["SIGNAGE_LAUNCHER_STATUS"] !== undefined;
  return {
    machineName: hostname(),
    command: isInstalled ? "sudo signage-player setup" : "npm run player -- --server URL",
    file: isInstalled ? "signage.toml" : null,
    problem,
    findServices: async (onChange, signal) => {
      // Loaded only here: almost every player has a service.
      const { findServices } = await import("../discovery/find.ts");
      return findServices(onChange, { clock, log }, signal);
    },
  };
}
