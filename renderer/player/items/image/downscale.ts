// Decodes a picture in a worker and scales it to the size it is shown at, so that an 8K photo takes no more memory than the screen.
import { startWorker } from "../worker.ts";
import type { ImageSize } from "./downscale.worker.ts";
// Vite makes the default export: the address of the built worker.
// oxlint-disable-next-line import/default
import workerUrl from "./downscale.worker.ts?worker&url";

/** The result. `unscaled`: the file is animated, and a bitmap would freeze it. */
export type Downscaled = { is: "bitmap"; bitmap: ImageBitmap } | { is: "unscaled" };

/** Decodes and scales off the main thread. @throws Error when the file cannot be decoded or `signal` aborts. */
export function downscale(src: string, size: ImageSize, signal: AbortSignal): Promise<Downscaled> {
  return new Promise((resolve, reject) => {
    const worker = startWorker(workerUrl);
    // Each picture has its own worker; ending it frees all memory that decoding took.
    const end = (): void => {
      worker.terminate();
      signal.removeEventListener("abort", onAbort);
    };
    function onAbort(): void {
      end();
      reject(new DOMException("Aborted", "AbortError"));
    }
    worker.addEventListener("message", ({ data }: MessageEvent<{ bitmap: ImageBitmap | null } | { error: string }>) => {
      end();
      if ("error" in data) reject(new Error(data.error));
      else resolve(data.bitmap === null ? { is: "unscaled" } : { is: "bitmap", bitmap: data.bitmap });
    });
    worker.addEventListener("error", (event) => {
      end();
      reject(new Error(event.message || "the worker could not be started"));
    });
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    worker.postMessage({ src: new URL(src, location.href).href, size });
  });
}
