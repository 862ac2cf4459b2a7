// Holds one element to the clock: measures where its play is, and corrects its speed or its place. Knows no slot.
import type { PageClock } from "../../link/clock.ts";
import { DriftCorrector } from "./drift-corrector.ts";

/** What is held, and to what. */
export interface SyncedMedia {
  element: HTMLMediaElement;
  clock: PageClock;
  /** Where the play should be at a corrected instant and how long a round is, both in seconds; null while nothing is to be held. */
  expectedPosition(instant: number): { position: number; length: number } | null;
  /** Where in the file `position` of the play is, in seconds. */
  startS: number;
  /** Hears each measure: where it is less where it should be, in ms. */
  onDrift(driftMs: number): void;
}

const lookMs = 250;
// What a seek takes is learned from the seeks before it; this is for the first.
const firstSeekLeadMs = 120;
const longestSeekLeadMs = 1_000;

/** Holds it until `signal` aborts. */
export function syncToClock(held: SyncedMedia, signal: AbortSignal): void {
  const { element, clock, startS } = held;
  const pace = new DriftCorrector();
  let leadMs = firstSeekLeadMs;
  let hasSought = false;
  let cancelFrame = (): void => {};
  let lastPosition = Number.NaN;

  const judge = (position: number, performanceTime: number): void => {
    const due = held.expectedPosition(clock.toWallTime(performanceTime));
    if (due === null || element.seeking || element.paused) return;
    const apart = position - startS - due.position;
    // The nearest of the rounds: just before the seam and just after it are close together.
    const driftMs = 1_000 * (apart - due.length * Math.round(apart / due.length));
    if (hasSought) {
      hasSought = false;
      leadMs = Math.min(longestSeekLeadMs, Math.max(0, leadMs - driftMs));
    }
    held.onDrift(driftMs);
    const correction = pace.correctionFor(driftMs, performance.now());
    if (correction.is === "seek") seek();
    else if (element.playbackRate !== correction.rate) element.playbackRate = correction.rate;
  };

  const seek = (): void => {
    const due = held.expectedPosition(clock.now() + leadMs);
    if (due === null) return;
    element.playbackRate = 1;
    element.currentTime = startS + due.position;
    hasSought = true;
  };

  const look = (): void => {
    if (element.paused || element.ended || element.seeking) return;
    // What makes no progress is the business of whoever watches for stalls.
    if (element.currentTime === lastPosition) return;
    lastPosition = element.currentTime;
    if (!(element instanceof HTMLVideoElement)) return judge(element.currentTime, performance.now());
    // A clip is where its picture is: that of the next frame that really comes on.
    cancelFrame();
    const handle = element.requestVideoFrameCallback((_, { mediaTime, expectedDisplayTime }) => judge(mediaTime, expectedDisplayTime));
    cancelFrame = () => element.cancelVideoFrameCallback(handle);
  };

  const timer = setInterval(look, lookMs);
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    cancelFrame();
  });
}
