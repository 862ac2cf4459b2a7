// Wraps requestAnimationFrame and counts the frames, so that the page can report that it still renders.

/** Requests frames and counts them. Requests no frames of its own, so a still screen costs nothing. */
export class FrameCounter {
  #count = 0;
  #last = Number.NaN;

  /** Calls back once, in the next frame, with its time on the performance clock. Returns a function that cancels the request. */
  request(callback: (time: number) => void): () => void {
    const handle = requestAnimationFrame((time) => {
      // Several callbacks may run in one frame, which counts once.
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

  /** Identifies the current frame, or the newest one if none is running: its time on the performance clock. */
  get current(): number {
    return this.#last;
  }

  /** Resolves in the next frame. Code that runs directly after the `await` still belongs to that frame. */
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

  /** The number of frames since the last call. */
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
