// Proof of play while the display is off on purpose: content that the page presents meanwhile was not shown. Pure.
import { closePlay } from "./close-play.ts";
import type { DarkTime, FinishedPlay, InputOf, MakeId, OpenPlay, PlayState, StepResult } from "./play-types.ts";

const reason = "display_off";

/** True if the display is off now. */
export function isDark({ dark }: Pick<PlayState, "dark">): boolean {
  return dark !== null && dark.until === null;
}

/**
 * The display goes off: the plays on the screen are cut there, and nothing further is reported of them. The display comes on: the
 * content of the page is on the screen from then on.
 */
export function switchDisplay(plays: PlayState, { isOff, at }: InputOf<"display">, makeId: MakeId): StepResult {
  if (isOff === isDark(plays)) return { plays, done: [] };
  if (isOff) {
    const onScreen = [...plays.open.values()];
    const dark: DarkTime = { from: at, until: null, reported: new Set(onScreen.map(({ id }) => id)) };
    return { plays: { ...plays, dark }, done: onScreen.map((play) => closePlay(play, at, reason)) };
  }
  const open = new Map([...plays.open].map(([zoneId, play]): [string, OpenPlay] => [zoneId, { ...play, id: makeId(), started: at }]));
  return { plays: { ...plays, open: open.size === 0 ? plays.open : open, dark: { ...plays.dark!, until: at } }, done: [] };
}

/** The plays that ended, as they are reported. @param dark the time for which the display is off, or was off last. */
export function reportedPlays(done: readonly FinishedPlay[], dark: DarkTime | null): FinishedPlay[] {
  if (dark === null) return [...done];
  return done.flatMap((play) => {
    if (dark.until === null && dark.reported.has(play.id)) return [];
    return wasDark(play, dark) ? [{ ...play, result: "not_shown" as const, reason, ended: play.started }] : [play];
  });
}

/** True if the display was off for the whole play. A play without frames is due at its start, and may be found missing much later. */
function wasDark({ result, started }: FinishedPlay, { from, until }: DarkTime): boolean {
  if (started.at < from.at) return false;
  return until === null || (result === "skipped" && started.at < until.at);
}
