// Asks the browser when a frame was really presented on the display.
import { createElement } from "../dom.ts";
import type { FrameCounter } from "../frame-counter.ts";

// If the browser does not report a time, the time of a later frame is used.
const timeoutMs = 1_000;

/**
 * Presentation times by Element Timing (https://w3c.github.io/element-timing/): the browser reports when it presented the
 * first frame with a certain element. For each frame in question this is a new dot, hidden behind everything else.
 */
export class PresentationTiming {
  readonly #frames: FrameCounter;
  readonly #waiting = new Map<string, (time: number) => void>();
  #count = 0;

  constructor(frames: FrameCounter) {
    this.#frames = frames;
    const observer = new PerformanceObserver((list) => {
      for (const { identifier, renderTime } of list.getEntries() as (PerformanceEntry & { identifier: string; renderTime: number })[]) {
        this.#waiting.get(identifier)?.(renderTime);
      }
    });
    observer.observe({ type: "element" });
  }

  /** When the changes made in the current frame are presented, on the performance clock. */
  async timeOfCurrentFrame(): Promise<number> {
    const name = String((this.#count += 1));
    const dot = createElement("span", "presentation", ".");
    dot.setAttribute("elementtiming", name);
    const { promise: presentedAt, resolve } = Promise.withResolvers<number>();
    this.#waiting.set(name, resolve);
    document.body.append(dot);
    try {
      await this.#frames.next();
      // The browser prepares a frame while it still draws the one before. When the second frame begins, the first has been drawn.
      const drawnAt = await this.#frames.next();
      const timer = setTimeout(() => resolve(drawnAt), timeoutMs);
      return await presentedAt.finally(() => clearTimeout(timer));
    } finally {
      this.#waiting.delete(name);
      dot.remove();
    }
  }
}
