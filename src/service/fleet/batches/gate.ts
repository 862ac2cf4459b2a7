// Decides the next step of a batch from the statuses of its current wave's commands. Pure.
import type { CommandStatus } from "../../../protocol/device/commands.ts";
import type { CommandWaves } from "../../../protocol/operator/command-batches.ts";
import type { CommandBatchRow } from "../../store/tables/fleet.ts";

export type WaveCounts = Partial<Record<CommandStatus, number>>;

/** `pause`: the wave has ended well, and the time before the next one begins. */
export type BatchStep = { is: "wait" } | { is: "pause" } | { is: "next-wave" } | { is: "finish" } | { is: "halt"; reason: string };

type Place = Pick<CommandBatchRow, "state" | "wave" | "wave_count" | "wave_started_at" | "wave_ended_at" | "is_forgiven">;

const openStatuses = ["queued", "delivered", "acknowledged", "running"] as const;
const failedStatuses = ["failed", "rejected", "expired"] as const;

export function nextStep(row: Place, waves: CommandWaves, counts: WaveCounts, now: number): BatchStep {
  if (row.state !== "running") return { is: "wait" };
  const count = (statuses: readonly CommandStatus[]): number => statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  const [open, failed, all] = [count(openStatuses), count(failedStatuses), count(Object.keys(counts) as CommandStatus[])];
  const [isForgiven, isLast] = [row.is_forgiven === 1, row.wave + 1 >= row.wave_count];
  if (!isForgiven && failed * 100 > waves.halt_above_failed_percent * all) {
    const reason = `${failed} of the ${all} screens of wave ${row.wave + 1} failed, more than ${waves.halt_above_failed_percent} %`;
    return { is: "halt", reason };
  }
  // An operator has seen how the wave went.
  if (isForgiven && !isLast) return { is: "next-wave" };
  if (open > 0) {
    const { wave_timeout_s: timeoutS } = waves;
    if (isForgiven || timeoutS === undefined || now - row.wave_started_at < timeoutS * 1_000) return { is: "wait" };
    return {
      is: "halt",
      reason: `Wave ${row.wave + 1} did not end within ${timeoutS} s: ${open} of its ${all} screens have not reported the end`,
    };
  }
  if (isLast) return { is: "finish" };
  if (waves.pause_between_s === 0) return { is: "next-wave" };
  if (row.wave_ended_at === null) return { is: "pause" };
  return { is: now - row.wave_ended_at >= waves.pause_between_s * 1_000 ? "next-wave" : "wait" };
}
