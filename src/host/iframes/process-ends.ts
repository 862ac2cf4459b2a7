// The ends of the browser's renderer processes: which frames lost the same one, and why it was ended.
import type { Clock } from "../../base/clock.ts";
import type { IframeFault } from "../../player/host.ts";

/** The end of one process. */
export interface ProcessEnd {
  /** Names it to the page. */
  id: string;
  code: IframeFault;
  reason: string;
}

/** A frame as far as its process goes. `since`: when its process became known, monotonic ms. */
export interface IframeProcess {
  url: string;
  since: number;
}

interface Known extends ProcessEnd {
  host: string;
  at: number;
}

// The browser tells every frame of a process of its end in one go; between that and the order to end it little passes.
const togetherMs = 2_000;
const ended = "its renderer ended: it crashed, was killed, or ran out of memory";

/**
 * Chromium gives the frames of one origin one process. It does not say which frames share one, so that those of one
 * host that end at the same time are taken to: a host's ports are mostly apart, but need not be on every browser.
 */
export class ProcessEnds {
  readonly #clock: Clock;
  #known: Known[] = [];
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The player ends the frame's process, for this reason; or somebody has just done so. */
  record(inmate: IframeProcess, code: IframeFault, reason: string): ProcessEnd {
    const known = this.#find(inmate);
    if (known !== undefined) return known;
    const at = this.#clock.monotonic();
    const ending: Known = { id: `${this.#count++}`, code, reason, host: hostOf(inmate.url), at };
    this.#known.push(ending);
    return ending;
  }

  /** The frame's process is gone: ended by the player a moment ago, or by itself. */
  recordCrash(inmate: IframeProcess): ProcessEnd {
    return this.record(inmate, "crashed", ended);
  }

  /** An end of a moment ago at which the frame was there; a frame that came later has another process. */
  #find({ url, since }: IframeProcess): Known | undefined {
    const now = this.#clock.monotonic();
    this.#known = this.#known.filter(({ at }) => now - at < togetherMs);
    return this.#known.find(({ host, at }) => host === hostOf(url) && at >= since);
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
