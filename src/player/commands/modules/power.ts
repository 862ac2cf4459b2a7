// The commands reboot and shutdown: complete only in the machine's next run, which differs by its id.
import type { Clock } from "../../../base/clock.ts";
import { Fault, isAbort } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import type { Machine } from "../../machine.ts";
import type { CommandLimit, CommandModule } from "../command-module.ts";

export interface PowerModulesDependencies {
  machine: Machine;
  /** True while a version of the program or of the browser is being installed. */
  isInstalling: () => boolean;
  clock: Clock;
  log: Log;
}

// So that no repeated command keeps a screen dark.
const limit: CommandLimit = { count: 1, perMs: 300_000 };
// systemd gives each unit 90 seconds to stop.
const stopLimitMs = 120_000;
const deadlineMs = 180_000;
const installing = "an update is being installed, which a loss of the machine would interrupt: send the command again in some minutes";

export function powerModules(dependencies: PowerModulesDependencies): readonly CommandModule[] {
  return [powerModule("reboot", dependencies), powerModule("shutdown", dependencies)];
}

function powerModule(
  type: "reboot" | "shutdown",
  { machine, isInstalling, clock, log }: PowerModulesDependencies,
): CommandModule<"reboot" | "shutdown"> {
  const action = type === "reboot" ? "restart" : "shutdown";
  const begin = () => (type === "reboot" ? machine.restart : machine.controls.shutdown);
  const missing = (): string | null =>
    begin() === null ? (machine.controls.powerObstacles[action] ?? "this machine cannot do that") : null;
  return {
    type,
    deadlineMs,
    limit,
    missing,
    note: () => machine.run?.id ?? null,
    async run(_, signal) {
      if (isInstalling()) throw new Fault("busy", installing);
      const act = begin();
      if (act === null) throw new Fault("unsupported", missing() ?? "");
      log.warn({ action }, "restarting or switching off the machine because of a command");
      try {
        await act(signal);
        await clock.wait(stopLimitMs, signal);
      } catch (error) {
        // The system stops the player, perhaps even before the tool has answered. The machine's next run tells whether it was this command.
        if (!isAbort(error)) throw error;
        return { is: "later" };
      }
      throw new Fault("not-applied", "the machine accepted the command, but still runs two minutes later");
    },
    outcomeAfterRestart({ note }) {
      // A machine that does not tell its runs apart: it may have been only the player that ended.
      if (note === undefined || machine.run === null) return null;
      return note === machine.run.id
        ? { is: "failed", code: "not-applied", detail: "the screen's program ended, but the machine went on: it is the same run as before" }
        : { is: "done", result: {} };
    },
  };
}
