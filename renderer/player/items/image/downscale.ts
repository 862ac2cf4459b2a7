// Asks a worker of its own for a picture's bitmap at the size it is shown at: an 8K photo then takes a screenful of memory.
import type { ImageSize } from "./downscale.worker.ts";

/** What came of it. `as-it-is`: the file moves, and a bitmap would freeze it. */
export type Downscaled = { is: "bitmap"; bitmap: ImageBitmap } | { is: "as-it-is" };

/** Decodes and scales off the main thread. @throws Error when the file does not decode; ends at once when `signal` aborts. */
export function downscale(src: string, size: ImageSize, signal: AbortSignal): Promise<Downscaled> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./downscale.worker.ts", import.meta.url), { type: "module" });
    // A worker of its own for each picture: with it goes all that decoding took.
    const end = (): void => {
      worker.terminate();
      signal.removeEventListener("abort", aborted);
    };
    function aborted(): void {
      end();
      reject(new DOMException("Aborted", "AbortError"));
    }
    worker.addEventListener("message", ({ data }: MessageEvent<{ bitmap: ImageBitmap | null } | { error: string }>) => {
      end();
      if ("error" in data) reject(new Error(data.error));
      else resolve(data.bitmap === null ? { is: "as-it-is" } : { is: "bitmap", bitmap: data.bitmap });
    });
    worker.addEventListener("error", (event) => {
      end();
      reject(new Error(event.message || "the worker could not be started"));
    });
    if (signal.aborted) return aborted();
    signal.addEventListener("abort", aborted, { once: true });
    worker.postMessage({ src: new URL(src, location.href).href, size });
  });
}
