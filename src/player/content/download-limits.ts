// Limits the downloads of a player: in which windows they run, and how many bytes a second all of them take together.
import type { Clock } from "../../base/clock.ts";
import { TokenBucket } from "../../base/token-bucket.ts";
import type { DownloadSettings } from "../../protocol/device/download-settings.ts";
import { openingHoursWindows, type Windows } from "../../schedule/calendar/daily-windows.ts";
import { openPeriodAt } from "../../schedule/calendar/open-period.ts";
import type { TimeZoneRules } from "../../schedule/calendar/time-zone.ts";
import type { OpenFile } from "./download-file.ts";

/** A download ended because its window closed. It is resumed in the next one. */
export class WindowClosed extends Error {}

export class DownloadLimits {
  readonly #clock: Clock;
  /** Null: downloads run at any time. */
  #windows: Windows | null = null;
  /** The last result, because every few bytes ask for it: UTC ms, the end excluded. */
  #period = { from: 0, until: 0, isOpen: true };
  #bytesPerSecond: number | undefined;
  #bucket: TokenBucket | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the limits. @param timeZone of the windows. */
  set({ max_bytes_per_second: perSecond, windows }: DownloadSettings, timeZone: TimeZoneRules): void {
    this.#windows = windows === undefined ? null : openingHoursWindows(windows, timeZone);
    this.#period = { from: 0, until: 0, isOpen: true };
    // The same limit keeps its bucket: a new one begins with a burst.
    if (perSecond === this.#bytesPerSecond) return;
    this.#bytesPerSecond = perSecond;
    this.#bucket = perSecond === undefined ? null : new TokenBucket({ burst: perSecond, perSecond }, this.#clock);
  }

  /** When the next window opens, corrected wall time in ms; null: downloads may run now. */
  get opensAt(): number | null {
    if (this.#windows === null) return null;
    const now = this.#clock.now();
    if (now < this.#period.from || now >= this.#period.until) this.#period = openPeriodAt(this.#windows, now);
    return this.#period.isOpen ? null : this.#period.until;
  }

  /**
   * Opens files whose bytes arrive within the limits. @param isAnyTime whether the windows do not apply.
   * @param onBytes called with how much of the file has arrived, counted from its first byte.
   * @throws WindowClosed from the body, when the window closes.
   */
  within(openFile: OpenFile, isAnyTime: boolean, onBytes: (arrived: number) => void): OpenFile {
    return async (asset, offset, signal) => {
      const { body, resumed } = await openFile(asset, offset, signal);
      let arrived = resumed ? offset : 0;
      const count = (bytes: number): void => onBytes((arrived += bytes));
      return { body: this.#paced(body, isAnyTime, count, signal), resumed };
    };
  }

  async *#paced(
    body: AsyncIterable<Buffer>,
    isAnyTime: boolean,
    onBytes: (count: number) => void,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer> {
    for await (const bytes of body) {
      onBytes(bytes.length);
      if (!isAnyTime && this.opensAt !== null) throw new WindowClosed("the download window has closed");
      const waitMs = this.#bucket?.borrow(bytes.length) ?? 0;
      if (waitMs > 0) await this.#clock.wait(waitMs, signal);
      yield bytes;
    }
  }
}
