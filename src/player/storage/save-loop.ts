// Writes data that the disk lacks: after it was full or read-only, and after files were deleted while the player runs.
import type { Clock } from "../../base/clock.ts";

/** A part of the player that keeps its data in memory too. `save` writes data that the disk lacks, and does nothing if it lacks none. */
export interface SavedPart {
  save(): Promise<void>;
}

const intervalMs = 10_000;

/** Saves `parts` every ten seconds until `signal` aborts (rejects with AbortError). */
export async function saveRepeatedly(parts: readonly SavedPart[], clock: Clock, signal: AbortSignal): Promise<never> {
  for (;;) {
    await clock.wait(intervalMs, signal);
    for (const part of parts) await part.save();
  }
}
