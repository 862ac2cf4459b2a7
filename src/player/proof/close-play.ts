// Ends a play: decides whether it was completed, cut or failed. Pure.
import { formatCause } from "../../schedule/cause.ts";
import type { ClockReading, FinishedPlay, MakeId, OpenPlay, PlannedPlay } from "./play-types.ts";

// A play that starts later than this was not shown from its beginning. One that ends earlier was not shown to its end.
const startToleranceMs = 1_000;
const endToleranceMs = 250;
// An item that appears with a change of cause appears in the frame nearest to it. It belongs to the new cause alone.
const frameToleranceMs = 50;

/**
 * Ends a play. Without a `reason`, its span alone decides whether it was completed. One that was ended by a `reason` in its first
 * millisecond was not on the screen for anybody to see: it has failed.
 */
export function closePlay(open: OpenPlay, at: ClockReading, reason: string | null): FinishedPlay {
  const ended = at.mono < open.started.mono ? open.started : at;
  const { id, of, started } = open;
  const play = { id, of, started, ended };
  if (open.trouble !== null) return { ...play, result: "failed", reason: open.trouble };
  const endedEarly = ended.at < open.endsAt - endToleranceMs;
  if (reason !== null && endedEarly && Math.round(ended.mono) === Math.round(started.mono)) return { ...play, result: "failed", reason };
  if (reason !== null && endedEarly) return { ...play, result: "cut", reason };
  if (open.started.at > open.startsAt + startToleranceMs) return { ...play, result: "cut", reason: "began-late" };
  if (endedEarly) return { ...play, result: "cut", reason: "ended-early" };
  return { ...play, result: "completed", reason: null };
}

/** Splits an open play at `since`, because from then on another cause shows the same item. */
export function changeCause(
  play: OpenPlay,
  successor: PlannedPlay,
  since: ClockReading,
  makeId: MakeId,
): { open: OpenPlay; done: FinishedPlay[] } {
  const { startsAt, endsAt, of } = successor;
  const open = { ...play, startsAt, endsAt, of };
  if (play.started.at > since.at - frameToleranceMs) return { open, done: [] };
  return { open: { ...open, id: makeId(), started: since }, done: [closePlay(play, since, "cause-changed")] };
}

/** Among the plays that are due, the one that continues `play` with another cause. */
export function successorOf<Due extends PlannedPlay>(due: Iterable<Due>, play: PlannedPlay): Due | undefined {
  const { stage, key, of } = play;
  return Iterator.from(due).find(
    (other) => other.stage === stage && other.key === key && other.of.zoneId === of.zoneId && !isSamePlay(other, play),
  );
}

/** Different for any two plays that must have separate events. */
export function playName({ stage, key, of }: Pick<PlannedPlay, "stage" | "key" | "of">): string {
  return `${stage} ${of.zoneId} ${key} ${formatCause(of)}`;
}

/** True if two plays are the same, possibly on different stages. */
export function isSamePlay(one: Pick<PlannedPlay, "key" | "of">, other: Pick<PlannedPlay, "key" | "of">): boolean {
  return one.key === other.key && one.of.zoneId === other.of.zoneId && formatCause(one.of) === formatCause(other.of);
}

export function withoutZone(open: ReadonlyMap<string, OpenPlay>, zoneId: string): ReadonlyMap<string, OpenPlay> {
  return new Map([...open].filter(([id]) => id !== zoneId));
}
