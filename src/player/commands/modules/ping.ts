// The command ping: shows that the player receives commands, runs them and reports back.
import type { CorrectedClock } from "../../../base/clock.ts";
import { done, type CommandModule } from "../command-module.ts";

const deadlineMs = 10_000;

/** @param startedAt when the program started, on the clock's monotonic scale. */
export function pingModule(clock: CorrectedClock, startedAt: number): CommandModule<"ping"> {
  return {
    type: "ping",
    deadlineMs,
    async run() {
      const { offset } = clock;
      return done({
        received_at: new Date(clock.now()).toISOString(),
        uptime_ms: Math.round(clock.monotonic() - startedAt),
        clock_error_ms: clock.learnedAt === null ? null : Math.round(offset.errorMs),
      });
    },
  };
}
