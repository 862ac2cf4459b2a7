// Runs callbacks at instants of a clock, each in the frame nearest to its instant.
import type { FrameCounter } from "../frame-counter.ts";

// Timers are a few ms late, so an alarm counts frames during its last 40 ms.
const frameLeadMs = 40;
const halfFrameMs = 8;
// A longer setTimeout fires at once.
const maxTimerMs = 2 ** 31 - 1;

/** The clock of alarms. All times in ms. */
interface AlarmClock {
  /** Wall time. */
  now(): number;
  /** Converts a time of the performance clock into wall time. */
  toWallTime(performanceTime: number): number;
  /** How fast it runs; 0: it stands still. */
  readonly rate: number;
}

/** The alarms of one clock. While the clock stands still, only those of instants that have passed go off. */
export class Alarms {
  readonly #frames: FrameCounter;
  readonly #clock: AlarmClock;
  readonly #alarms = new Set<{ rearm(): void }>();

  constructor(frames: FrameCounter, clock: AlarmClock) {
    this.#frames = frames;
    this.#clock = clock;
  }

  /** Calls back in the frame nearest to `time`, or in the next frame when `time` has passed. Returns a function that cancels the alarm. */
  set(time: number, callback: (frameTime: number) => void): () => void {
    const clock = this.#clock;
    let cancelWait = (): void => {};
    const arm = (): void => {
      const missing = time - clock.now();
      if (clock.rate === 0 && missing > 0) return void (cancelWait = () => {});
      const wait = clock.rate === 0 ? 0 : missing / clock.rate - frameLeadMs;
      if (wait > 0) {
        const timer = setTimeout(arm, Math.min(wait, maxTimerMs));
        cancelWait = () => {
          clearTimeout(timer);
        };
        return;
      }
      cancelWait = this.#frames.request((frameTime) => {
        if (clock.toWallTime(frameTime) < time - halfFrameMs * clock.rate) return arm();
        this.#alarms.delete(alarm);
        callback(frameTime);
      });
    };
    const alarm = {
      rearm: (): void => {
        cancelWait();
        arm();
      },
    };
    this.#alarms.add(alarm);
    arm();
    return () => {
      this.#alarms.delete(alarm);
      cancelWait();
    };
  }

  /** Sets all alarms again. Call it after the clock was set. */
  rearm(): void {
    for (const alarm of this.#alarms) alarm.rearm();
  }
}
