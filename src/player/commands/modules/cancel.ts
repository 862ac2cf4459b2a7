// The command cancel, which only the service creates: stops a command that has not ended, also one that has not arrived yet.
import { Fault } from "../../../base/fault.ts";
import { dayMs } from "../../../base/time.ts";
import type { CommandStatus } from "../../../protocol/device/commands.ts";
import { done, type CommandModule } from "../command-module.ts";

// It waits for the end of the other command, which has a deadline of its own.
const deadlineMs = dayMs;

/** @param cancel stops a command. Resolves with its status once that does not change any more because of the cancellation. */
export function cancelModule(cancel: (commandId: string, issuedAt: number | undefined) => Promise<CommandStatus>): CommandModule<"cancel"> {
  return {
    type: "cancel",
    deadlineMs,
    async run({ args: { command_id }, madeAt }) {
      const status = await cancel(command_id, madeAt);
      if (status === "running") throw new Fault("too-late", "the command takes effect with a restart, and can no longer be cancelled");
      if (status !== "cancelled") throw new Fault("too-late", `the command had ended: ${status}`);
      return done({ command_id, status });
    },
  };
}
