// The reports about commands that did not succeed, with their reasons for people.
import type { CommandUpdate } from "../../protocol/device/commands.ts";

const maxDetailLength = 2_000;

export function failed(status: "failed" | "expired" | "rejected" | "cancelled", code: string, detail: string): CommandUpdate {
  return { status, result: null, error: { code, detail: detail.slice(0, maxDetailLength) } };
}

export const running: CommandUpdate = { status: "running", result: null, error: null };

export const journalLost = failed(
  "rejected",
  "journal-lost",
  "The screen lost its record of the commands that it has run. This command was created before that, so it may have run already " +
    "and is not run again. Look at what the screen shows, and send the command again if it is still wanted",
);
export const expiredOnArrival = failed("expired", "expired", "the command had expired when it arrived");
export const expiredWaiting = failed("expired", "expired", "the command expired while it waited for the commands before it");
export const interrupted = failed("failed", "interrupted", "the screen's program ended while the command was running");
export const neverBegun = failed("failed", "interrupted", "the screen's program ended before it had recorded that the command began");
export const cancelledBefore = failed("cancelled", "cancelled", "it was cancelled before it began");
export const cancelledWhileRunning = failed(
  "cancelled",
  "cancelled",
  "it was cancelled while it was running. Parts of it may have happened",
);

export function unsupported(reason: string): CommandUpdate {
  return failed("rejected", "unsupported", `this screen does not support the command: ${reason}`);
}

export function rateLimited(count: number, perMs: number, until: number): CommandUpdate {
  const again = new Date(until).toISOString();
  return failed(
    "rejected",
    "rate-limited",
    `at most ${count} of these commands start within ${perMs / 1_000} s: send it again after ${again}`,
  );
}

export function notRecorded(reason: string): CommandUpdate {
  return failed(
    "failed",
    "not-recorded",
    "The screen did not run the command, because its disk could not record it and it might have run twice. See the screen's problems, " +
      `and send the command again when its disk can be written (${reason})`,
  );
}
