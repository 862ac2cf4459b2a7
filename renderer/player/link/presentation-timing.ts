// Asks the browser when a frame was really on the glass.
import { createElement } from "../dom.ts";
import type { FrameCounter } from "../frame-counter.ts";

// Should the browser not tell, the frames after it say roughly when.
const patienceMs = 1_000;

/**
 * Times of presentation, by Element Timing (https://w3c.github.io/element-timing/): of a dot that is drawn for the first
 * time in a frame, hidden behind the glass, the browser tells when that frame was presented.
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

  /** When what changes in the frame being made is on the glass, on the performance clock. */
  async timeOfCurrentFrame(): Promise<number> {
    const name = String((this.#count += 1));
    const dot = createElement("span", "presentation", ".");
    dot.setAttribute("elementtiming", name);
    const { promise: told, resolve: tell } = Promise.withResolvers<number>();
    this.#waiting.set(name, tell);
    document.body.append(dot);
    try {
      await this.#frames.next();
      // The browser makes a frame while it still draws the one before, and the one after only when that was drawn.
      const drawn = await this.#frames.next();
      const timer = setTimeout(() => tell(drawn), patienceMs);
      return await told.finally(() => clearTimeout(timer));
    } finally {
      this.#waiting.delete(name);
      dot.remove();
    }
  }
}
