// The play of a clip or a sound in its slot: joined where its loop is, trimmed, repeated, watched. Knows no picture.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { syncToClock } from "./clock-sync.ts";
import { diagnoseFailure, ItemFailure, type ItemContext } from "../item.ts";

// Later than this, a play is joined at its present position instead of its start.
const lateMs = 250;
// What a seek takes: who joins late aims that far ahead.
const seekLeadMs = 120;
// A play begins in the frame nearest to its start; what comes earlier than this stands in for another.
const standInMs = 1_000;
const stallLimitMs = 3_000;
const stallCheckMs = 1_000;
// A clip that waits for its bytes is not wedged: it is given longer.
const bufferingLimitMs = 20_000;
// A clip as long as its slot must not wrap to its first frame just before it is replaced.
const wrapMarginMs = 400;
// Below this a clip is a still: repeated it would be a flicker, and it is not expected to make progress.
const stillMs = 100;
// Timers come late; the last stretch before a trimmed end goes by frames.
const endLeadMs = 60;
// The frame before the end must not be missed, nor the one after it shown.
const halfFrameS = 0.017;

/** What a track takes of its item. */
export type TrackItem = Pick<Extract<SceneItem, { type: "audio" }>, "src" | "media_duration_ms" | "start_ms" | "end_ms" | "volume"> & {
  muted: boolean;
};

/** One element's play. Load once, play once, dispose. */
export class Track {
  /** Aborts with {@link dispose}. */
  readonly disposed: AbortSignal;
  readonly #element: HTMLMediaElement;
  readonly #item: TrackItem;
  readonly #around: ItemContext;
  readonly #disposal = new AbortController();
  readonly #startS: number;
  readonly #isTrimmed: boolean;
  #endsAt = Number.POSITIVE_INFINITY;
  /** Whether it stands on its last frame on purpose. */
  #isHeld = false;
  #cancelEnd = (): void => {};

  constructor(element: HTMLMediaElement, item: TrackItem, around: ItemContext) {
    this.disposed = this.#disposal.signal;
    this.#element = element;
    this.#item = item;
    this.#around = around;
    this.#startS = item.start_ms / 1_000;
    this.#isTrimmed = item.start_ms > 0 || item.end_ms !== undefined;
    element.muted = item.muted;
    element.volume = item.volume;
    element.preload = "auto";
    element.disableRemotePlayback = true;
  }

  /** Loads until it can be played from its place. @throws ItemFailure `load`, `unsupported` or `decode`. */
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
            const position = this.#joinAt();
            if (position > 0) element.currentTime = position;
          },
          { signal },
        );
        for (const type of ["canplay", "canplaythrough", "seeked"]) element.addEventListener(type, check, { signal });
        element.src = this.#item.src;
      });
    } catch (error) {
      // SRC_NOT_SUPPORTED also stands for an answer that is no media at all.
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

  /** Plays from where it was loaded, and from now on repeats, holds and watches. */
  play(): void {
    const element = this.#element;
    const signal = this.disposed;
    this.#start();
    const steer = (): void => this.#steer();
    for (const type of ["timeupdate", "ended", "seeked"]) element.addEventListener(type, steer, { signal });
    element.addEventListener("error", () => this.#failLater(), { signal });
    this.#watchForStall();
    this.#steer();
    const { clock, startsAt, onDrift } = this.#around;
    // Who stands in for another comes long before its own time: no clock says where it should be.
    if (clock.now() < startsAt - standInMs) return;
    syncToClock({ element, clock, startS: this.#startS, expectedPosition: (instant) => this.#dueAt(instant), onDrift }, signal);
  }

  /** Says when the play is to end. */
  playUntil(instant: number): void {
    this.#endsAt = instant;
    if (!this.#element.paused || this.#element.ended || this.#isHeld) this.#steer();
  }

  /** Lets go of decoder and buffers: an element that is only dropped keeps them. */
  dispose(): void {
    this.#disposal.abort();
    this.#cancelEnd();
    this.#element.pause();
    this.#element.removeAttribute("src");
    this.#element.load();
    this.#element.remove();
  }

  /** Where its last frame ends, in seconds. */
  get #endS(): number {
    const { duration } = this.#element;
    const end = this.#item.end_ms === undefined ? duration : Math.min(duration, this.#item.end_ms / 1_000);
    return Math.max(this.#startS, end);
  }

  /** Where in the file the play is when it will be shown, in seconds. */
  #joinAt(): number {
    const { clock, startsAt, offsetMs } = this.#around;
    const elapsed = clock.now() - startsAt;
    const position = offsetMs + (elapsed < lateMs ? 0 : elapsed + seekLeadMs);
    const lengthMs = this.#lengthMs();
    return this.#startS + (lengthMs === null ? 0 : (position % lengthMs) / 1_000);
  }

  /** Where the play should be at `instant`, in seconds; null when it does not run then, and when its end is so near that it may stand. */
  #dueAt(instant: number): { position: number; length: number } | null {
    const { startsAt, offsetMs } = this.#around;
    const lengthMs = this.#lengthMs();
    if (lengthMs === null || this.#isHeld || instant < startsAt || instant + wrapMarginMs >= this.#endsAt) return null;
    return { position: ((instant - startsAt + offsetMs) % lengthMs) / 1_000, length: lengthMs / 1_000 };
  }

  #lengthMs(): number | null {
    const { media_duration_ms: known } = this.#item;
    if (known !== null && !this.#isTrimmed) return known;
    const length = (this.#endS - this.#startS) * 1_000;
    return Number.isFinite(length) && length > 0 ? length : null;
  }

  /** Repeats while the slot has room for another round, else stops on the last frame. */
  #steer(): void {
    const element = this.#element;
    const restMs = (this.#endS - element.currentTime) * 1_000;
    const isStill = element instanceof HTMLVideoElement && (this.#lengthMs() ?? stillMs) < stillMs;
    const hasRoom = !isStill && this.#around.clock.now() + Math.max(0, restMs) + wrapMarginMs < this.#endsAt;
    if (!this.#isTrimmed) {
      element.loop = hasRoom;
      if (element.loop && element.ended) this.#start();
    } else if (this.#isHeld || element.ended) {
      if (hasRoom) this.#rewind();
    } else {
      this.#awaitEnd(restMs);
    }
  }

  /** Turns round or stops at the end of the trimmed part, to the frame. */
  #awaitEnd(restMs: number): void {
    this.#cancelEnd();
    if (restMs > stallCheckMs) return; // `timeupdate` comes four times a second
    let cancelFrame = (): void => {};
    const watch = (): void => {
      if (this.#element.currentTime < this.#endS - halfFrameS) cancelFrame = this.#around.frames.request(watch);
      else this.#atEnd();
    };
    const timer = setTimeout(watch, Math.max(0, restMs - endLeadMs));
    this.#cancelEnd = () => {
      clearTimeout(timer);
      cancelFrame();
    };
  }

  #atEnd(): void {
    if (this.#around.clock.now() + wrapMarginMs < this.#endsAt) return this.#rewind();
    this.#isHeld = true;
    this.#element.pause();
  }

  /** The frame on screen stays until the first one is there. */
  #rewind(): void {
    this.#isHeld = false;
    this.#element.currentTime = this.#startS;
    if (this.#element.paused) this.#start();
  }

  #start(): void {
    const element = this.#element;
    element.play().catch((error: unknown) => {
      // `pause` at the end of the slot, or the end of a clip of one frame, interrupts a play that has not begun: that is no failure.
      if (this.disposed.aborted || this.#isHeld || element.ended) return;
      if (!element.muted && error instanceof DOMException && error.name === "NotAllowedError") {
        // A browser that forbids sound without a gesture still lets the picture play.
        element.muted = true;
        this.#start();
        return;
      }
      this.#around.onFailure(new ItemFailure("decode", String(error)));
    });
  }

  /** Judges by position: a wedged decoder fires neither `error` nor `ended`. */
  #watchForStall(): void {
    const element = this.#element;
    let position = element.currentTime;
    let movedAt = performance.now();
    const timer = setInterval(() => {
      if (element.currentTime !== position || this.#isHeld || (element.ended && !element.loop)) {
        position = element.currentTime;
        movedAt = performance.now();
        return;
      }
      const isBuffering = element.networkState === element.NETWORK_LOADING && element.readyState < element.HAVE_FUTURE_DATA;
      const limitMs = isBuffering ? bufferingLimitMs : stallLimitMs;
      if (performance.now() - movedAt >= limitMs) {
        clearInterval(timer);
        const detail = `no progress for ${limitMs} ms at ${position.toFixed(2)} s`;
        this.#around.onFailure(new ItemFailure("stalled", detail));
      }
    }, stallCheckMs);
    this.disposed.addEventListener("abort", () => {
      clearInterval(timer);
    });
  }

  #failLater(): void {
    void diagnoseFailure(this.#item.src, "decode", errorOf(this.#element)).then((failure) => {
      if (!this.disposed.aborted) this.#around.onFailure(failure);
    });
  }
}

function errorOf(element: HTMLMediaElement): string {
  return element.error === null ? "unknown error" : `code ${element.error.code}: ${element.error.message}`;
}
