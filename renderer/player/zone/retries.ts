// Decides which items of a zone may be tried now, and calls back when a failed one may be tried again.
import type { SceneItem, Slot } from "../../../src/protocol/scene.ts";
import type { PageContext } from "../page.ts";
import { identityOf } from "../stage/failure-memory.ts";

/** The items of one zone that may be tried. Failures themselves are remembered for the whole page. */
export class Retries {
  readonly #page: PageContext;
  readonly #onRetry: () => void;
  /** The identity of the item that is restarted without a delay. */
  #restartIdentity: string | null = null;
  #cancelAlarm = (): void => {};

  /** @param onRetry called when the first of the failed items may be tried again. */
  constructor(page: PageContext, onRetry: () => void) {
    this.#page = page;
    this.#onRetry = onRetry;
  }

  /** True if the item of a slot may be prepared at `now`. */
  mayTry({ item }: Slot, now: number): boolean {
    const { failures } = this.#page;
    return (failures.retryAt(item) <= now || this.#restartIdentity === identityOf(item)) && failures.mayRun(item);
  }

  /** Lets an item that just failed be prepared once more, without a delay. */
  restart(item: SceneItem): void {
    this.#restartIdentity = identityOf(item);
  }

  /** An item is being prepared: items that failed earlier have to wait again. */
  endRestart(): void {
    this.#restartIdentity = null;
  }

  /** Sets the alarm for the first retry among these slots. */
  schedule(slots: readonly Slot[], now: number): void {
    this.cancel();
    const times = slots.map(({ item }) => this.#page.failures.retryAt(item)).filter((time) => time > now);
    if (times.length > 0) this.#cancelAlarm = this.#page.clock.alarm(Math.min(...times), this.#onRetry);
  }

  cancel(): void {
    this.#cancelAlarm();
    this.#cancelAlarm = () => {};
  }
}
