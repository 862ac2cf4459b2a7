// Compares the play events at the service with what the player's log says was presented.
import type { PlayEventRecord } from "../../src/protocol/device/play-events.ts";
import type { Show } from "./show.ts";

/** An interval of wall time, ms, in which a fault may have kept plays from being shown or recorded. */
export interface Disturbance {
  from: number;
  to: number;
}

// Between two plays there may be the frame in which the picture changes.
const contiguousMs = 100;
const marginMs = 3_000;

/** A page of the list of play events. */
export interface PlaysPage {
  data: PlayEventRecord[];
  next_cursor: string | null;
}

/** All play events, by a function that gets one page by its path. */
export async function allPlays(get: (path: string) => Promise<PlaysPage>): Promise<PlayEventRecord[]> {
  const plays: PlayEventRecord[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await get(`play-events?limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`);
    plays.push(...page.data);
    cursor = page.next_cursor;
  }
  return plays;
}

/** What is wrong with the plays: two with one id, two at once, a gap without a disturbance, or a presented item without a play. */
export function faultsOf(plays: readonly PlayEventRecord[], presented: Show["presented"], disturbances: readonly Disturbance[]): string[] {
  const faults: string[] = [];
  const isDisturbed = (from: number, to: number): boolean =>
    disturbances.some((each) => from < each.to + marginMs && each.from - marginMs < to);
  if (new Set(plays.map(({ id }) => id)).size !== plays.length) faults.push("two play events have the same id");
  // An item that failed before it was shown has an event without a duration.
  const shown = plays.filter(({ result, duration_ms }) => result !== "skipped" && (result !== "failed" || duration_ms > 0));
  for (const run of Map.groupBy(shown, ({ boot_id, zone_id }) => `${boot_id} ${zone_id}`).values()) {
    const sorted = run.toSorted((a, b) => a.started_monotonic_ms - b.started_monotonic_ms);
    for (const [index, next] of sorted.slice(1).entries()) {
      const before = sorted[index]!;
      const gapMs = next.started_monotonic_ms - before.ended_monotonic_ms;
      const about = `${before.id}, ended ${before.ended_at}, and ${next.id}, started ${next.started_at}`;
      if (gapMs < 0) faults.push(`two plays overlap by ${-gapMs} ms: ${about}`);
      const [from, to] = [Date.parse(before.ended_at), Date.parse(next.started_at)];
      if (gapMs > contiguousMs && !isDisturbed(from, to)) faults.push(`a gap of ${gapMs} ms: ${about}`);
    }
  }
  const starts = Map.groupBy(shown, ({ asset_id }) => asset_id);
  for (const { assetId, at } of presented) {
    const isRecorded = (starts.get(assetId) ?? []).some(({ started_at }) => Math.abs(Date.parse(started_at) - at) <= 1_000);
    if (!isRecorded && !isDisturbed(at, at)) faults.push(`no play of ${assetId}, presented at ${new Date(at).toISOString()}`);
  }
  return faults;
}
