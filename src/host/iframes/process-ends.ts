// Records why renderer processes of iframes ended, and which iframes lost the same process.
import type { Clock } from "../../base/clock.ts";
import type { IframeFault } from "../../player/host.ts";

/** The end of one process. */
export interface ProcessEnd {
  /** Identifies it to the page. */
  id: string;
  code: IframeFault;
  reason: string;
}

/** The document of an iframe's process. `since`: when the process became known, in monotonic ms. */
export interface IframeProcess {
  url: string;
  since: number;
}

interface RecordedEnd extends ProcessEnd {
  host: string;
  at: number;
}

// The browser reports the end of a process to all its iframes at once, and soon after the command to end it.
const sameEndMs = 2_000;
const crashReason = "its renderer ended: it crashed, was killed, or ran out of memory";

/**
 * The recent ends of processes. Chromium runs the iframes of one origin in one process, but does not report which iframes share
 * one. So iframes of the same host whose processes end at the same time are taken to have shared it. Different ports of a host
 * mostly have different processes, but not in every browser.
 */
export class ProcessEnds {
  readonly #clock: Clock;
  #recent: RecordedEnd[] = [];
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that the player ends the process for this reason. Returns the earlier record if the process has just ended already. */
  record(process: IframeProcess, code: IframeFault, reason: string): ProcessEnd {
    const existing = this.#find(process);
    if (existing !== undefined) return existing;
    const at = this.#clock.monotonic();
    const end: RecordedEnd = { id: `${this.#count++}`, code, reason, host: hostOf(process.url), at };
    this.#recent.push(end);
    return end;
  }

  /** Records that the process is gone. Returns the earlier record if the player has just ended it. */
  recordCrash(process: IframeProcess): ProcessEnd {
    return this.record(process, "crashed", crashReason);
  }

  /** A recent end of this process. A process that became known later is another one. */
  #find({ url, since }: IframeProcess): RecordedEnd | undefined {
    const now = this.#clock.monotonic();
    this.#recent = this.#recent.filter(({ at }) => now - at < sameEndMs);
    return this.#recent.find(({ host, at }) => host === hostOf(url) && at >= since);
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
