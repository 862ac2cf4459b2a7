// Counts how long an item stays on the glass after it was removed from its zone's loop.
import type { SceneZone, Slot } from "../../../src/protocol/scene.ts";
import type { PageClock } from "../link/clock.ts";

// Whatever follows a removed item has as long as what follows a faulty one (SWP2): most pages and clips are there by then.
const removedStaysMs = 5_000;

/** Whether the item on the glass of one zone still belongs there. */
export class RemovalTimer {
  readonly #clock: PageClock;
  readonly #onTimeUp: () => void;
  #cancel: (() => void) | null = null;

  /** @param onTimeUp called when a removed item has stayed for as long as it may. */
  constructor(clock: PageClock, onTimeUp: () => void) {
    this.#clock = clock;
    this.#onTimeUp = onTimeUp;
  }

  /** Whether the item on the glass was removed. */
  get isRunning(): boolean {
    return this.#cancel !== null;
  }

  /** Begins to count when the item on the glass is no longer of the loop; one whose turn is merely over still is. */
  update({ slots, loop }: SceneZone, shown: Slot | undefined): void {
    const isListed = shown?.of === undefined || loop === undefined || loop.includes(shown.of);
    if (isListed || slots.some(({ key }) => key === shown.key)) return this.cancel();
    this.#cancel ??= this.#clock.alarm(this.#clock.now() + removedStaysMs, this.#onTimeUp);
  }

  /** The glass shows another item, or none. */
  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
