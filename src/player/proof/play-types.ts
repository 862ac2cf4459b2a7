// The types of proof of play: planned, open and finished plays, and the reports that turn one into the next.
import type { PlayResult } from "../../protocol/device/play-events.ts";
import type { PlayCause } from "../../schedule/cause.ts";

/** One instant on two clocks: corrected wall time and monotonic time, both in ms. */
export interface ClockReading {
  at: number;
  mono: number;
}

/**
 * Both clocks at a corrected wall time that is past. After a clock step that time may be impossible: it is then moved to the nearest
 * possible one. @param earliest monotonic ms.
 */
export function readingAt(at: number, now: ClockReading, earliest: number): ClockReading {
  const mono = Math.min(now.mono, Math.max(earliest, now.mono - (now.at - at)));
  return { mono, at: now.at - (now.mono - mono) };
}

/** The item of a play, its place, and its cause. */
export interface PlayIdentity extends PlayCause {
  zoneId: string;
  itemId: string;
  assetId: string | null;
  sha256: string | null;
  revision: string;
}

/** A play that is due. `startsAt` and `endsAt` are its whole span in its loop, corrected wall time in ms. */
export interface PlannedPlay {
  /** The key of its slot. The same play in one zone keeps its key, regardless of its stage and cause. */
  key: string;
  /** The key of the stage that it belongs to. */
  stage: string;
  startsAt: number;
  endsAt: number;
  of: PlayIdentity;
}

/** A play on the screen. It gets its id with its first frame, so that it is closed under the same id even after a crash. */
export interface OpenPlay extends PlannedPlay {
  id: string;
  started: ClockReading;
  /** Why it failed while it was on the screen; null if it did not. */
  trouble: string | null;
}

export interface FinishedPlay {
  id: string;
  of: PlayIdentity;
  result: PlayResult;
  reason: string | null;
  started: ClockReading;
  ended: ClockReading;
}

/**
 * A settled play was presented or has failed. A replaced play is no longer due since `replacedAt`, but the page may still
 * report that it was presented just before. `knownSince`: when the player planned it, of this revision, for the first time, monotonic ms.
 */
export type KnownPlay = PlannedPlay & { settled: boolean; replacedAt: ClockReading | null; knownSince: number };

/** When a play without frames is or was due on this player: at its start, but not before the player planned it. */
export function becameDue({ startsAt, knownSince }: KnownPlay, now: ClockReading): ClockReading {
  const mono = Math.max(knownSince, now.mono - (now.at - startsAt));
  return { mono, at: now.at - (now.mono - mono) };
}

/** A time for which the display is off because it was asked to be; `until` null: it is off now. */
export interface DarkTime {
  from: ClockReading;
  until: ClockReading | null;
  /** The ids of the plays that were on the screen when it went off, and are reported. */
  reported: ReadonlySet<string>;
}

/** Everything known about current plays. Immutable: `step` returns a new one. */
export interface PlayState {
  /** The page that the state is about, identified by when it was opened; null before the first page. */
  page: number | null;
  lastFrame: ClockReading | null;
  /** The key of the stage on the screen, and of the stage before it; null if there is none. */
  stage: string | null;
  previousStage: string | null;
  /** Plays that are or were due, by `playName`. */
  known: ReadonlyMap<string, KnownPlay>;
  /** Plays on the screen, by zone. */
  open: ReadonlyMap<string, OpenPlay>;
  /** The last time for which the display was off on purpose; null: never. The plays in `open` are not visible while it is off. */
  dark: DarkTime | null;
}

export type PlayInput =
  /** The plays that are due now. `since` is when they replaced the plays that were due before. */
  | {
      is: "planned";
      now: ClockReading;
      since: ClockReading;
      stage: string | null;
      zones: readonly { id: string; plays: readonly PlannedPlay[] }[];
    }
  /** A stage appeared. `showing` lists the plays in its first frame. */
  | { is: "stage"; key: string; showing: readonly Pick<PlannedPlay, "key" | "of">[]; at: ClockReading }
  /** The page presented the first frame of a play. `play` is as the page reports it; a planned play of the same name overrides it. */
  | { is: "presented"; play: PlannedPlay; at: ClockReading }
  /** A play failed. `at` is when it left the screen; null if it was not on it, or if its picture stays until the next play. */
  | { is: "failed"; play: Omit<PlannedPlay, "startsAt" | "endsAt">; code: string; at: ClockReading | null; now: ClockReading }
  /** A zone can show nothing, and its last play has left the screen. */
  | { is: "fallback"; stage: string; zoneId: string; at: ClockReading }
  /** The display was switched off on purpose, or on again. */
  | { is: "display"; isOff: boolean; at: ClockReading }
  | { is: "frame"; at: ClockReading }
  /** A screen other than a stage appeared. */
  | { is: "screen"; at: ClockReading }
  /** A page connected. It is the same page as before if `openedAt` is the same. */
  | { is: "page"; openedAt: number | null }
  | { is: "stopped"; now: ClockReading };

export type InputOf<Kind extends PlayInput["is"]> = Extract<PlayInput, { is: Kind }>;

/** The new state, and the plays that ended. */
export interface StepResult {
  plays: PlayState;
  done: FinishedPlay[];
}

/** Creates the id of a play. */
export type MakeId = () => string;

export const initialPlayState: PlayState = {
  page: null,
  lastFrame: null,
  stage: null,
  previousStage: null,
  known: new Map(),
  open: new Map(),
  dark: null,
};
