// Keeps a media element in sync with the clock: measures its position and corrects its speed or seeks. Knows nothing of slots.
import type { PageClock } from "../../link/clock.ts";
import { DriftCorrector } from "./drift-corrector.ts";

/** A media element and its expected position. */
export interface SyncedMedia {
  element: HTMLMediaElement;
  clock: PageClock;
  /** The position the play should have at an instant of corrected time, and the length of a round, both in seconds; null when it must not be corrected. */
  expectedPosition(instant: number): { position: number; length: number } | null;
  /** The place in the file at which position 0 of the play is, in seconds. */
  startS: number;
  /** Called with each measurement: the actual position minus the expected one, in ms. */
  onDrift(driftMs: number): void;
}

const measureIntervalMs = 250;
// The time a seek takes, learned from earlier seeks; this is the first guess.
const firstSeekLeadMs = 120;
const maxSeekLeadMs = 1_000;

/** Keeps the media in sync until `signal` aborts. */
export function syncToClock(media: SyncedMedia, signal: AbortSignal): void {
  const { element, clock, startS } = media;
  const corrector = new DriftCorrector();
  let leadMs = firstSeekLeadMs;
  let hasSeeked = false;
  let cancelFrame = (): void => {};
  let lastPosition = Number.NaN;

  const correct = (position: number, performanceTime: number): void => {
    const target = media.expectedPosition(clock.toWallTime(performanceTime));
    if (target === null || element.seeking || element.paused) return;
    const difference = position - startS - target.position;
    // Modulo the length of a round: the end of one round is close to the start of the next.
    const driftMs = 1_000 * (difference - target.length * Math.round(difference / target.length));
    if (hasSeeked) {
      hasSeeked = false;
      leadMs = Math.min(maxSeekLeadMs, Math.max(0, leadMs - driftMs));
    }
    media.onDrift(driftMs);
    const correction = corrector.correctionFor(driftMs, performance.now());
    if (correction.is === "seek") seek();
    else if (element.playbackRate !== clock.rate * correction.rate) element.playbackRate = clock.rate * correction.rate;
  };

  const seek = (): void => {
    const target = media.expectedPosition(clock.now() + leadMs);
    if (target === null) return;
    element.playbackRate = clock.rate;
    element.currentTime = startS + target.position;
    hasSeeked = true;
  };

  const measure = (): void => {
    if (element.paused || element.ended || element.seeking) return;
    // A play without progress is handled by the stall detection.
    if (element.currentTime === lastPosition) return;
    lastPosition = element.currentTime;
    if (!(element instanceof HTMLVideoElement)) return correct(element.currentTime, performance.now());
    // The position of a video is that of the next frame presented.
    cancelFrame();
    const handle = element.requestVideoFrameCallback((_, { mediaTime, expectedDisplayTime }) => correct(mediaTime, expectedDisplayTime));
    cancelFrame = () => element.cancelVideoFrameCallback(handle);
  };

  const timer = setInterval(measure, measureIntervalMs);
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    cancelFrame();
  });
}
