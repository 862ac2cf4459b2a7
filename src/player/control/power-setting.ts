// Brings the display to the power that is asked, by the tool that the machine has, and reads it back.
import { Backoff } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { Control, Power } from "../machine-controls.ts";

// A display that just took the value may need a moment until it tells it.
const slowReadMs = 5_000;
const differsReadMs = 60_000;
const agreesReadMs = 300_000;
// After a failure, and while the display reads back another value than was set.
const failureBounds = { firstMs: 5_000, longestMs: 600_000 };
const differsBounds = { firstMs: 60_000, longestMs: 900_000 };

/** Brings the display to one value by one tool. Times in monotonic ms. */
export class PowerSetting {
  readonly #failures = new Backoff(failureBounds);
  readonly #differences = new Backoff(differsBounds);
  readonly #log: Log;
  readonly #clock: Clock;
  readonly control: Control<Power>;
  readonly value: Power;
  #setAt: number;
  #readAt = Number.POSITIVE_INFINITY;
  /** True if the next read is the first one after the value was set. */
  #isFresh = false;
  #power: Power | null = null;
  #failure: unknown = null;
  #isAccepted = false;
  #isLogged = false;

  /** @param before the setting until now; null: none. The same value counts as accepted until the tool refuses it. */
  constructor(control: Control<Power>, value: Power, before: PowerSetting | null, clock: Clock, log: Log) {
    this.control = control;
    this.value = value;
    this.#clock = clock;
    this.#log = log;
    this.#setAt = clock.monotonic();
    this.#power = before?.power ?? null;
    this.#isAccepted = before !== null && before.value === value && before.isAccepted;
  }

  /** The power that was read back last; null: the display does not tell. */
  get power(): Power | null {
    return this.#power;
  }

  /** True if the tool has accepted the value. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** Why the tool did not accept the value at the last attempt; null: it did. */
  get failure(): unknown {
    return this.#failure;
  }

  /** True if the display has the value, or if the tool has accepted it and the display does not tell. */
  get isReached(): boolean {
    return this.#power === this.value || (this.#power === null && this.#isAccepted);
  }

  /** Sets the value once more with the next {@link step}. */
  again(): void {
    this.#setAt = this.#clock.monotonic();
  }

  /** When {@link step} has something to do. */
  get nextAt(): number {
    return Math.min(this.#setAt, this.#readAt);
  }

  /** Sets the value or reads it back if that is due. @throws AbortError when `signal` aborts, and nothing else. */
  async step(signal: AbortSignal): Promise<void> {
    if (this.#clock.monotonic() >= this.#setAt) await this.#set(signal);
    if (this.#clock.monotonic() >= this.#readAt) await this.read(signal);
  }

  /** Reads the display back now. */
  async read(signal: AbortSignal): Promise<Power | null> {
    this.#power = await this.control.read(signal);
    const now = this.#clock.monotonic();
    const differs = this.#power !== null && this.#power !== this.value;
    if (this.#isFresh) this.#readAt = now + slowReadMs;
    else {
      this.#readAt = now + (differs ? differsReadMs : agreesReadMs);
      if (differs && this.#setAt === Number.POSITIVE_INFINITY) this.#setAt = now + this.#differences.next();
      if (this.#isAccepted) this.#logDifference(differs);
    }
    if (this.isReached) this.#setAt = Number.POSITIVE_INFINITY;
    this.#isFresh = false;
    return this.#power;
  }

  async #set(signal: AbortSignal): Promise<void> {
    const { control, value } = this;
    try {
      await control.set(value, signal);
      if (!this.#isAccepted) this.#log.info({ power: value, by: control.by }, "the display's power was set");
      [this.#failure, this.#isAccepted, this.#isFresh] = [null, true, true];
      this.#failures.reset();
      this.#setAt = Number.POSITIVE_INFINITY;
      this.#readAt = this.#clock.monotonic();
    } catch (error) {
      signal.throwIfAborted();
      // Once per reason: a display without power may refuse all night.
      if (this.#failure === null || reasonOf(this.#failure) !== reasonOf(error)) {
        this.#log.warn({ power: value, by: control.by, reason: reasonOf(error) }, "the display's power could not be set: trying again");
      }
      [this.#failure, this.#isAccepted] = [error, false];
      this.#setAt = this.#clock.monotonic() + this.#failures.next();
      // It may have the value anyway.
      this.#readAt = this.#clock.monotonic();
    }
  }

  #logDifference(differs: boolean): void {
    if (differs === this.#isLogged) return;
    this.#isLogged = differs;
    const about = { asked: this.value, read_back: this.#power, by: this.control.by };
    if (differs) this.#log.warn(about, "the display reads back another power than was set");
    else this.#log.info(about, "the display reads back the power that was set");
  }
}
