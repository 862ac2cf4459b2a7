// Runs jobs one after the other in one media process, and enforces the limits of each job.
import { isAbort } from "../../base/fault.ts";
import { JobReply, type Job, type JobResult } from "./job-protocol.ts";
import { jobKindOf, type ExceededLimit, type JobKind, type LimitTable, type MediaLimits } from "./limits.ts";
import { hasLoweredPriority, usageOf, watchLimits } from "./process-usage.ts";
import type { MediaProcess } from "./process.ts";

/** A job without its id. */
export type JobRequest = Job extends infer Each ? (Each extends Job ? Omit<Each, "id"> : never) : never;

/** How a job ended: with a result, at a limit, or with the end of its process. */
export type JobOutcome =
  | { is: "replied"; result: JobResult }
  | { is: "exceeded"; kind: JobKind; limit: ExceededLimit }
  | { is: "process-ended"; kind: JobKind; how: string };

// Replace a process that used more memory, which it never returns in full, or ran many jobs, which may have leaked.
const maxMemoryAfterMb = 400;
const maxJobs = 200;

export class MediaWorker {
  readonly #process: MediaProcess;
  #onReply: (line: string | null) => void = () => undefined;
  #jobs = 0;

  constructor(process: MediaProcess) {
    this.#process = process;
    process.onLine((line) => this.#onReply(line));
  }

  /** Resolves to how the process ended. */
  get ended(): Promise<string> {
    return this.#process.ended;
  }

  /** Kills the process. */
  kill(): void {
    this.#process.kill();
  }

  /** Runs one job. The caller kills the worker after any outcome but `replied`. */
  async run(request: JobRequest, limits: LimitTable): Promise<JobOutcome> {
    const id = (this.#jobs += 1);
    const done = new AbortController();
    let kind: JobKind = request.do === "thumbnail" ? "thumbnail" : "unknown";
    try {
      return await new Promise<JobOutcome>((resolve, reject) => {
        const exceed = (limit: ExceededLimit): void => resolve({ is: "exceeded", kind, limit });
        let stopWatching = this.#watch(limits[kind], exceed, reject, done.signal);
        this.#onReply = (line) => {
          const reply = parseReply(line);
          if (reply?.id !== id) exceed("reply");
          else if (reply.is !== "type") resolve({ is: "replied", result: reply });
          else {
            kind = jobKindOf(reply.mimeType);
            stopWatching();
            stopWatching = this.#watch(limits[kind], exceed, reject, done.signal);
          }
        };
        void this.ended.then((how) => resolve({ is: "process-ended", kind, how }));
        this.#process.send(JSON.stringify({ ...request, id } satisfies Job));
      });
    } finally {
      done.abort();
    }
  }

  /** True if the process may run another job. */
  async isReusable(): Promise<boolean> {
    const { pid } = this.#process;
    if (pid === undefined || this.#jobs >= maxJobs || hasLoweredPriority(pid)) return false;
    return ((await usageOf(pid))?.memoryMb ?? 0) < maxMemoryAfterMb;
  }

  /** Watches the process from now on. @returns a function that stops the watch; `signal` stops it too. */
  #watch(limits: MediaLimits, exceed: (limit: ExceededLimit) => void, fail: (error: unknown) => void, signal: AbortSignal): () => void {
    const stop = new AbortController();
    void watchLimits(this.#process, limits, AbortSignal.any([signal, stop.signal])).then(exceed, (error: unknown) => {
      if (!isAbort(error)) fail(error);
    });
    return () => stop.abort();
  }
}

/** The reply in a line; null if it is none. A process that writes an invalid line is not trusted any more. */
function parseReply(line: string | null): JobReply | null {
  if (line === null) return null;
  try {
    return JobReply.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null; // not JSON
  }
}
