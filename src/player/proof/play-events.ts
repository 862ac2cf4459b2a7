// Creates the play events that the service gets from finished and interrupted plays.
import { iso } from "../../base/time.ts";
import type { PlayEvent } from "../../protocol/device/play-events.ts";
import { closePlay } from "./close-play.ts";
import type { OpenPlaysSnapshot, PreviousRun } from "./play-log-file.ts";
import type { FinishedPlay } from "./play-types.ts";

export function playEventOf(play: FinishedPlay, { bootId, clockOffsetMs, clockErrorMs }: Omit<OpenPlaysSnapshot, "open">): PlayEvent {
  const { id, of, result, reason, started, ended } = play;
  // Both ends are rounded on the monotonic clock, so the durations of adjoining plays add up without a remainder.
  const durationMs = Math.round(ended.mono) - Math.round(started.mono);
  // The wall clock was corrected during the play: compute the start from the corrected end.
  const clockStepped = Math.abs(ended.at - started.at - durationMs) > 1_000;
  return {
    id,
    layout_id: of.layoutId,
    zone_id: of.zoneId,
    schedule_id: of.scheduleId,
    override_id: of.overrideId,
    layer: of.layer,
    item_id: of.itemId,
    asset_id: of.assetId,
    sha256: of.sha256,
    revision: of.revision,
    result,
    reason,
    started_at: iso(clockStepped ? ended.at - durationMs : started.at),
    ended_at: iso(ended.at),
    duration_ms: durationMs,
    started_monotonic_ms: started.mono,
    ended_monotonic_ms: ended.mono,
    boot_id: bootId,
    clock_offset_ms: clockOffsetMs,
    clock_error_ms: clockErrorMs,
  };
}

/** The events of the plays that a previous run left open. They end at the last frame that it recorded. */
export function interruptedEvents({ snapshot, lastFrame }: PreviousRun): PlayEvent[] {
  return snapshot.open.map((open) => {
    const at = lastFrame === null || lastFrame.mono < open.started.mono ? open.started : lastFrame;
    return playEventOf(closePlay(open, at, "interrupted"), snapshot);
  });
}
