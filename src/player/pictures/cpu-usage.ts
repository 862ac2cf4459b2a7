// How busy the machine's processors were since the last question.
import { cpus, type CpuInfo } from "node:os";

// With less idle time, a picture would take it from playback.
const busyShare = 0.95;

export class CpuUsage {
  readonly #read: () => readonly Pick<CpuInfo, "times">[];
  #last: { idle: number; total: number } | null = null;

  /** @param read other than the machine's own processors in tests. */
  constructor(read: () => readonly Pick<CpuInfo, "times">[] = cpus) {
    this.#read = read;
  }

  /** True if the processors had almost no idle time since the last call. False for the first call. */
  isBusy(): boolean {
    const now = { idle: 0, total: 0 };
    for (const { times } of this.#read()) {
      now.idle += times.idle;
      now.total += Object.values(times).reduce((sum, ms) => sum + ms, 0);
    }
    const last = this.#last;
    this.#last = now;
    if (last === null || now.total <= last.total) return false;
    return 1 - (now.idle - last.idle) / (now.total - last.total) > busyShare;
  }
}
