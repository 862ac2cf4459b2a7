// Wraps requestAnimationFrame and counts the frames, so that the page can report that it still renders, and how smoothly.
import { FrameTime } from "./frame-time.ts";
import { VideoFrames } from "./video-frames.ts";

// A frame that took longer than this many frame times was late.
const lateFrameTimes = 2;
// The times of frames are not exact.
const noiseMs = 2;

/** Requests frames and counts them. Requests no frames of its own, so a still screen costs nothing. */
export class FrameCounter {
  readonly videos = new VideoFrames();
  readonly #frameTime = new FrameTime();
  #count = 0;
  #late = 0;
  #last = Number.NaN;
  /** Since when a frame is requested, on the performance clock, and whether that was in the frame before. Null: none is. */
  #frameRequest: { at: number; inFrame: boolean } | null = null;
  #pending = 0;
  #isInFrame = false;

  /** Calls back once, in the next frame, with its time on the performance clock. Returns a function that cancels the request. */
  request(callback: (time: number) => void): () => void {
    let isPending = true;
    const settle = (): void => {
      if (isPending) this.#pending -= 1;
      isPending = false;
    };
    this.#pending += 1;
    this.#frameRequest ??= { at: this.#isInFrame ? this.#last : performance.now(), inFrame: this.#isInFrame };
    const handle = requestAnimationFrame((time) => {
      settle();
      // Several callbacks may run in one frame, which counts once.
      if (time !== this.#last) this.#countFrame(time);
      this.#isInFrame = true;
      try {
        callback(time);
      } finally {
        this.#isInFrame = false;
      }
    });
    return () => {
      cancelAnimationFrame(handle);
      settle();
      if (this.#pending === 0) this.#frameRequest = null;
    };
  }

  /** Identifies the current frame, or the newest one if none is running: its time on the performance clock. */
  get current(): number {
    return this.#last;
  }

  /** Resolves in the next frame. Code that runs directly after the `await` still belongs to that frame. */
  next(signal?: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(reasonOf(signal));
      const cancel = this.request((time) => {
        signal?.removeEventListener("abort", onAbort);
        resolve(time);
      });
      function onAbort(): void {
        cancel();
        reject(reasonOf(signal!));
      }
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** The number of frames since the last call, and how many of them were late. */
  take(): { frames: number; late: number } {
    const counts = { frames: this.#count, late: this.#late };
    this.#count = this.#late = 0;
    return counts;
  }

  #countFrame(time: number): void {
    // The time of a frame is when it began, and the page may have been busy until now.
    const waitedMs = this.#frameRequest === null ? 0 : Math.max(time, performance.now()) - this.#frameRequest.at;
    // A hidden page gets no frames: that is no lateness.
    if (waitedMs > lateFrameTimes * this.#frameTime.value + noiseMs && document.visibilityState === "visible") this.#late += 1;
    if (this.#frameRequest?.inFrame === true) this.#frameTime.add(time - this.#last);
    this.#frameRequest = null;
    this.#last = time;
    this.#count += 1;
  }
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException("Aborted", "AbortError");
}
