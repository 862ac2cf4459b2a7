// Plays a video or a sound in its slot: starts at the right position, trims, repeats and detects stalls. Knows nothing of layout.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { syncToClock } from "./clock-sync.ts";
import { diagnoseFailure, ItemFailure, type ItemContext } from "../item.ts";

// A play that begins later than this starts at its current position instead of its beginning.
const lateMs = 250;
// The time a seek takes: a late play starts that far ahead.
const seekLeadMs = 120;
// A play that begins at least this long before its start replaces another item.
const replacementMs = 1_000;
const stallLimitMs = 3_000;
const stallCheckMs = 1_000;
// A video that waits for data has not stalled and gets more time.
const bufferingLimitMs = 20_000;
// A video as long as its slot must not restart just before it is replaced.
const repeatMarginMs = 400;
// A shorter video is a still picture: it is not repeated, which would flicker, and makes no progress.
const maxStillMs = 100;
// Timers are late, so the last 60 ms before a trimmed end are watched frame by frame.
const endLeadMs = 60;
// Half a frame, so that the last frame is shown and the one after it is not.
const halfFrameS = 0.017;
// A seek to where it is already would only cost time.
const standToleranceS = 0.002;
// While it plays, small differences are corrected by its speed.
const runToleranceS = 0.25;

/** The part of an item that a track uses. */
export type TrackItem = Pick<Extract<SceneItem, { type: "audio" }>, "src" | "media_duration_ms" | "start_ms" | "end_ms" | "volume"> & {
  muted: boolean;
};

/** One play of a media element. Load once, play once, dispose. */
export class Track {
  /** Aborts with {@link dispose}. */
  readonly lifetime: AbortSignal;
  readonly #element: HTMLMediaElement;
  readonly #item: TrackItem;
  readonly #context: ItemContext;
  readonly #disposal = new AbortController();
  readonly #startS: number;
  readonly #isTrimmed: boolean;
  #endsAt = Number.POSITIVE_INFINITY;
  /** True while it is paused on its last frame on purpose. */
  #isHeld = false;
  #cancelEnd = (): void => {};

  constructor(element: HTMLMediaElement, item: TrackItem, context: ItemContext) {
    this.lifetime = this.#disposal.signal;
    this.#element = element;
    this.#item = item;
    this.#context = context;
    this.#startS = item.start_ms / 1_000;
    this.#isTrimmed = item.start_ms > 0 || item.end_ms !== undefined;
    element.muted = item.muted;
    element.volume = item.volume;
    element.preload = "auto";
    element.disableRemotePlayback = true;
  }

  /** Loads until it can play from its starting position. @throws ItemFailure `load`, `unsupported` or `decode`. */
  async load(): Promise<void> {
    const element = this.#element;
    const events = new AbortController();
    const { signal } = events;
    try {
      await new Promise<void>((resolve, reject) => {
        element.addEventListener("error", () => reject(new Error(errorOf(element))), { signal });
        const check = (): void => {
          if (!element.seeking && element.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA) resolve();
        };
        element.addEventListener(
          "loadedmetadata",
          () => {
            const position = this.#startPosition();
            if (position > 0) element.currentTime = position;
          },
          { signal },
        );
        for (const type of ["canplay", "canplaythrough", "seeked"]) element.addEventListener(type, check, { signal });
        element.src = this.#item.src;
      });
    } catch (error) {
      // SRC_NOT_SUPPORTED also means a response that is no media at all.
      const code = element.error?.code === MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED ? "unsupported" : "decode";
      throw await diagnoseFailure(this.#item.src, code, error instanceof Error ? error.message : String(error));
    } finally {
      events.abort();
    }
    if (this.#startS >= element.duration) {
      throw new ItemFailure(
        "unsupported",
        `start_ms is ${this.#item.start_ms}, but the file ends at ${Math.round(element.duration * 1_000)} ms`,
      );
    }
  }

  /** Starts to play. From now on it repeats, stops at its end, detects stalls and stays in sync with the clock. */
  play(): void {
    const element = this.#element;
    const signal = this.lifetime;
    const { clock, startsAt, onDrift } = this.#context;
    clock.onSet(() => this.#followSetClock(), signal);
    if (clock.rate === 1) this.#start();
    else this.#followSetClock();
    const update = (): void => this.#update();
    for (const type of ["timeupdate", "ended", "seeked"]) element.addEventListener(type, update, { signal });
    element.addEventListener("error", () => this.#reportMediaError(), { signal });
    this.#watchForStall();
    this.#update();
    // A replacement plays before its own time, so the clock gives it no position.
    if (clock.now() < startsAt - replacementMs) return;
    syncToClock({ element, clock, startS: this.#startS, expectedPosition: (instant) => this.#expectedPosition(instant), onDrift }, signal);
  }

  /** Sets when the play ends. */
  playUntil(instant: number): void {
    this.#endsAt = instant;
    if (this.#context.clock.rate === 0) return this.#stand();
    if (!this.#element.paused || this.#element.ended || this.#isHeld) this.#update();
  }

  /** Frees decoder and buffers, which an element keeps when it is only removed. */
  dispose(): void {
    this.#disposal.abort();
    this.#cancelEnd();
    this.#element.pause();
    this.#element.removeAttribute("src");
    this.#element.load();
    this.#element.remove();
  }

  /** The place in the file at which the play ends, in seconds. */
  get #endS(): number {
    const { duration } = this.#element;
    const end = this.#item.end_ms === undefined ? duration : Math.min(duration, this.#item.end_ms / 1_000);
    return Math.max(this.#startS, end);
  }

  /** The place in the file at which the play has to be when it is shown, in seconds. */
  #startPosition(): number {
    const { clock, startsAt, offsetMs } = this.#context;
    const sinceStartMs = clock.now() - startsAt;
    // While the clock stands still, there is no time to catch up with.
    const late = clock.rate === 0 ? Math.max(0, sinceStartMs) : sinceStartMs < lateMs ? 0 : sinceStartMs + seekLeadMs;
    const position = offsetMs + late;
    const lengthMs = this.#lengthMs();
    return this.#startS + (lengthMs === null ? 0 : (position % lengthMs) / 1_000);
  }

  /** The position expected at `instant`, in seconds; null when the play does not run then, or is so near its end that it may be paused. */
  #expectedPosition(instant: number): { position: number; length: number } | null {
    const { startsAt, offsetMs } = this.#context;
    const lengthMs = this.#lengthMs();
    if (lengthMs === null || this.#isHeld || instant < startsAt || instant + repeatMarginMs >= this.#endsAt) return null;
    return { position: ((instant - startsAt + offsetMs) % lengthMs) / 1_000, length: lengthMs / 1_000 };
  }

  #lengthMs(): number | null {
    const { media_duration_ms: durationMs } = this.#item;
    if (durationMs !== null && !this.#isTrimmed) return durationMs;
    const length = (this.#endS - this.#startS) * 1_000;
    return Number.isFinite(length) && length > 0 ? length : null;
  }

  /** A preview's clock was set: shows its picture, and plays only while the clock runs. */
  #followSetClock(): void {
    const { rate } = this.#context.clock;
    if (rate === 0) return this.#stand();
    this.#isHeld = false;
    this.#element.playbackRate = rate;
    this.#seekByClock();
    if (this.#element.paused) this.#start();
  }

  /** Stops at the position that the clock gives. */
  #stand(): void {
    this.#element.pause();
    this.#seekByClock();
  }

  #seekByClock(): void {
    const { clock, startsAt, offsetMs } = this.#context;
    const lengthMs = this.#lengthMs();
    if (lengthMs === null) return;
    const sinceStartMs = Math.max(0, clock.now() - startsAt) + offsetMs;
    const round = Math.floor(sinceStartMs / lengthMs);
    // As #update does it: it stops on its last frame if there is no time for another round.
    const isOver = round > 0 && startsAt - offsetMs + round * lengthMs + repeatMarginMs >= this.#endsAt;
    const position = this.#startS + (isOver ? lengthMs : sinceStartMs % lengthMs) / 1_000;
    const element = this.#element;
    const toleranceS = clock.rate === 0 ? standToleranceS : runToleranceS;
    if (Math.abs(element.currentTime - position) > toleranceS) element.currentTime = position;
  }

  /** Repeats while the slot has time for another round; otherwise stops on the last frame. */
  #update(): void {
    const element = this.#element;
    if (this.#context.clock.rate === 0) return;
    const restMs = (this.#endS - element.currentTime) * 1_000;
    const isStill = element instanceof HTMLVideoElement && (this.#lengthMs() ?? maxStillMs) < maxStillMs;
    const hasTime = !isStill && this.#context.clock.now() + Math.max(0, restMs) + repeatMarginMs < this.#endsAt;
    if (!this.#isTrimmed) {
      element.loop = hasTime;
      if (element.loop && element.ended) this.#start();
    } else if (this.#isHeld || element.ended) {
      if (hasTime) this.#rewind();
    } else {
      this.#awaitEnd(restMs);
    }
  }

  /** Waits for the exact end of the trimmed part, where the play repeats or stops. */
  #awaitEnd(restMs: number): void {
    this.#cancelEnd();
    if (restMs > stallCheckMs) return; // `timeupdate` fires four times a second and calls this again
    let cancelFrame = (): void => {};
    const watch = (): void => {
      if (this.#element.currentTime < this.#endS - halfFrameS) cancelFrame = this.#context.frames.request(watch);
      else this.#atEnd();
    };
    const timer = setTimeout(watch, Math.max(0, restMs - endLeadMs));
    this.#cancelEnd = () => {
      clearTimeout(timer);
      cancelFrame();
    };
  }

  #atEnd(): void {
    if (this.#context.clock.now() + repeatMarginMs < this.#endsAt) return this.#rewind();
    this.#isHeld = true;
    this.#element.pause();
    // A late frame may already show a picture from after the end.
    if (this.#element.currentTime >= this.#endS) this.#element.currentTime = this.#endS - halfFrameS;
  }

  /** Goes back to the start. The last frame stays on screen until the first one is ready. */
  #rewind(): void {
    this.#isHeld = false;
    this.#element.currentTime = this.#startS;
    if (this.#element.paused) this.#start();
  }

  #start(): void {
    const element = this.#element;
    element.play().catch((error: unknown) => {
      // Not a failure: pausing at the end of the slot, or the end of a video of one frame, interrupts a `play` that has not begun.
      if (this.lifetime.aborted || this.#isHeld || element.ended || this.#context.clock.rate === 0) return;
      if (!element.muted && error instanceof DOMException && error.name === "NotAllowedError") {
        // A browser that forbids sound without a user gesture still plays the picture.
        element.muted = true;
        this.#start();
        return;
      }
      this.#context.onFailure(new ItemFailure("decode", String(error)));
    });
  }

  /** Detects a stall by the position: a stuck decoder fires neither `error` nor `ended`. */
  #watchForStall(): void {
    const element = this.#element;
    let position = element.currentTime;
    let movedAt = performance.now();
    const timer = setInterval(() => {
      if (element.currentTime !== position || this.#isHeld || (element.ended && !element.loop) || this.#context.clock.rate === 0) {
        position = element.currentTime;
        movedAt = performance.now();
        return;
      }
      const isBuffering = element.networkState === element.NETWORK_LOADING && element.readyState < element.HAVE_FUTURE_DATA;
      const limitMs = isBuffering ? bufferingLimitMs : stallLimitMs;
      if (performance.now() - movedAt >= limitMs) {
        clearInterval(timer);
        const detail = `no progress for ${limitMs} ms at ${position.toFixed(2)} s`;
        this.#context.onFailure(new ItemFailure("stalled", detail));
      }
    }, stallCheckMs);
    this.lifetime.addEventListener("abort", () => {
      clearInterval(timer);
    });
  }

  #reportMediaError(): void {
    void diagnoseFailure(this.#item.src, "decode", errorOf(this.#element)).then((failure) => {
      if (!this.lifetime.aborted) this.#context.onFailure(failure);
    });
  }
}

function errorOf(element: HTMLMediaElement): string {
  return element.error === null ? "unknown error" : `code ${element.error.code}: ${element.error.message}`;
}
