// Has one media process run one job after the other, and holds each job to the limits of what the file is.
import { isAbort } from "../../base/fault.ts";
import { Answer, type Job } from "./job-protocol.ts";
import { jobKindOf, type ExceededLimit, type JobKind, type LimitTable, type MediaLimits } from "./limits.ts";
import { hasLoweredPriority, usageOf, watchLimits } from "./process-usage.ts";
import type { MediaProcess } from "./process.ts";

/** A job before it has a number. */
export type JobRequest = Job extends infer Each ? (Each extends Job ? Omit<Each, "id"> : never) : never;

/** How a job went: answered, beyond a limit of its kind, or cut off by the end of its process. */
export type JobOutcome =
  | { is: "answered"; answer: Exclude<Answer, { is: "type" }> }
  | { is: "excessive"; kind: JobKind; excess: ExceededLimit }
  | { is: "ended"; kind: JobKind; how: string };

// A process that has held more keeps part of it, and one that has done much may have leaked.
const maxMemoryAfterMb = 400;
const maxJobs = 200;

export class MediaWorker {
  readonly #process: MediaProcess;
  #hear: (line: string | null) => void = () => undefined;
  #jobs = 0;

  constructor(process: MediaProcess) {
    this.#process = process;
    process.onLine((line) => this.#hear(line));
  }

  /** Resolves to how its process ended. */
  get ended(): Promise<string> {
    return this.#process.ended;
  }

  /** Ends its process at once. */
  kill(): void {
    this.#process.kill();
  }

  /** Runs one job; the caller kills the worker after any outcome but an answer. */
  async run(request: JobRequest, limits: LimitTable): Promise<JobOutcome> {
    const id = (this.#jobs += 1);
    const over = new AbortController();
    let kind: JobKind = request.do === "shrink" ? "thumbnail" : "unknown";
    try {
      return await new Promise<JobOutcome>((resolve, reject) => {
        const exceed = (excess: ExceededLimit): void => resolve({ is: "excessive", kind, excess });
        let stopWatching = this.#watch(limits[kind], exceed, reject, over.signal);
        this.#hear = (line) => {
          const answer = parse(line);
          if (answer?.id !== id) exceed("answer");
          else if (answer.is !== "type") resolve({ is: "answered", answer });
          else {
            kind = jobKindOf(answer.mimeType);
            stopWatching();
            stopWatching = this.#watch(limits[kind], exceed, reject, over.signal);
          }
        };
        void this.ended.then((how) => resolve({ is: "ended", kind, how }));
        this.#process.send(JSON.stringify({ ...request, id } satisfies Job));
      });
    } finally {
      over.abort();
    }
  }

  /** Whether it may run another job. */
  async isFresh(): Promise<boolean> {
    const { pid } = this.#process;
    if (pid === undefined || this.#jobs >= maxJobs || hasLoweredPriority(pid)) return false;
    return ((await usageOf(pid))?.memoryMb ?? 0) < maxMemoryAfterMb;
  }

  /** Watches what the process uses from now on, until `signal` aborts or the answer is called. */
  #watch(limits: MediaLimits, exceed: (excess: ExceededLimit) => void, fail: (error: unknown) => void, signal: AbortSignal): () => void {
    const own = new AbortController();
    const both = AbortSignal.any([signal, own.signal]);
    void watchLimits(this.#process, limits, both).then(exceed, (error: unknown) => {
      if (!isAbort(error)) fail(error);
    });
    return () => own.abort();
  }
}

function parse(line: string | null): Answer | null {
  if (line === null) return null;
  try {
    return Answer.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null; // no JSON: a process that writes such a line is not believed any more
  }
}
