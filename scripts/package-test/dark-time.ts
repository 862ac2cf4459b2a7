// How long a display shows something else than the content, by pictures of the compositor taken again and again.
import { setTimeout as pause } from "node:timers/promises";

const intervalMs = 500;

export class DarkTime implements AsyncDisposable {
  /** The longest time without content, in ms, and the time of all together. Exact to the interval between two pictures. */
  longestMs = 0;
  totalMs = 0;
  /** The longest interval between two pictures: nothing shorter can be seen. */
  worstIntervalMs = 0;
  pictures = 0;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  /** @param showsContent looks once; it rejects while there is no display. */
  constructor(showsContent: () => Promise<boolean>) {
    this.#ended = this.#watch(showsContent);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #watch(showsContent: () => Promise<boolean>): Promise<void> {
    const { signal } = this.#stop;
    let lastAt = performance.now();
    // The last picture with content: what lies between it and the next one counts as dark if any picture between them is.
    let lastLightAt = lastAt;
    let isDark = false;
    while (!signal.aborted) {
      const isLight = await showsContent().catch(() => false);
      const now = performance.now();
      this.pictures += 1;
      this.worstIntervalMs = Math.max(this.worstIntervalMs, now - lastAt);
      if (isLight && isDark) this.totalMs += now - lastLightAt;
      if (!isLight || isDark) this.longestMs = Math.max(this.longestMs, now - lastLightAt);
      if (isLight) lastLightAt = now;
      isDark = !isLight;
      lastAt = now;
      await pause(intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
