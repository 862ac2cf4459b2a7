// Chooses how to recover from a browser fault: reload the page, then relaunch the browser, then withhold the content. Pure.
import type { HostFault } from "../host.ts";

export type RecoveryAction = "reload" | "relaunch" | "withhold";

/** Recent recovery attempts, oldest first. Monotonic ms. */
export interface RecoveryAttempts {
  reloads: readonly number[];
  relaunches: readonly number[];
}

// Attempts and failures older than this no longer count.
export const failureMemoryMs = 300_000;
const reloadsBeforeRelaunch = 3;
const relaunchesBeforeWithholding = 4;

/** The action to take for a fault at `now`. A browser that has exited cannot be reloaded. */
export function nextAction(fault: HostFault["is"], attempts: RecoveryAttempts, now: number): RecoveryAction {
  const recent = (times: readonly number[]): number => times.filter((at) => now - at < failureMemoryMs).length;
  if (recent(attempts.relaunches) >= relaunchesBeforeWithholding) return "withhold";
  if (fault === "browser-exited") return "relaunch";
  return recent(attempts.reloads) < reloadsBeforeRelaunch ? "reload" : "relaunch";
}
