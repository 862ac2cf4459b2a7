// Limits how long an item stays on screen after it was removed from its zone's loop.
import type { SceneZone, Slot } from "../../../src/protocol/scene.ts";
import type { PageClock } from "../link/clock.ts";

// The same time as for an item that fails (SWP2): most pages and videos that follow are ready by then.
const maxStayMs = 5_000;

/** Runs while the item on screen is no longer in its zone's loop. */
export class RemovalTimer {
  readonly #clock: PageClock;
  readonly #onTimeUp: () => void;
  #cancel: (() => void) | null = null;

  /** @param onTimeUp called when a removed item has stayed for as long as it may. */
  constructor(clock: PageClock, onTimeUp: () => void) {
    this.#clock = clock;
    this.#onTimeUp = onTimeUp;
  }

  /** True once the item on screen was removed. */
  get isRunning(): boolean {
    return this.#cancel !== null;
  }

  /** Starts when the item on screen is not in the loop any more. An item whose slot is merely over is still in it. */
  update({ slots, loop }: SceneZone, onScreen: Slot | undefined): void {
    const isListed = onScreen?.of === undefined || loop === undefined || loop.includes(onScreen.of);
    if (isListed || slots.some(({ key }) => key === onScreen.key)) return this.cancel();
    this.#cancel ??= this.#clock.alarm(this.#clock.now() + maxStayMs, this.#onTimeUp);
  }

  /** Call when the screen shows another item, or none. */
  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
