// The one door to requestAnimationFrame: counts the frames that really came, so that the beat can tell.

/** Asks for frames and counts them. Nothing here runs while nobody asks, so a still screen costs nothing. */
export class FrameCounter {
  #count = 0;
  #last = Number.NaN;

  /** Calls back once, in the next frame, with its time on the performance clock. Returns what cancels it. */
  request(callback: (time: number) => void): () => void {
    const handle = requestAnimationFrame((time) => {
      // Several callbacks share one frame; it counts once.
      if (time !== this.#last) {
        this.#last = time;
        this.#count += 1;
      }
      callback(time);
    });
    return () => {
      cancelAnimationFrame(handle);
    };
  }

  /** The next frame, as a promise: what follows it in the same task still belongs to that frame. */
  next(signal?: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(reasonOf(signal));
      const cancel = this.request((time) => {
        signal?.removeEventListener("abort", aborted);
        resolve(time);
      });
      function aborted(): void {
        cancel();
        reject(reasonOf(signal!));
      }
      signal?.addEventListener("abort", aborted, { once: true });
    });
  }

  /** Frames since the last call. */
  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException("Aborted", "AbortError");
}
