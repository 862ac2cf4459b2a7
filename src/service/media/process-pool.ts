// Runs everything that reads uploaded bytes in separate processes, within limits, so that hostile files cannot harm the service.
import type { Log } from "../../base/log.ts";
import { ProblemError } from "../http/problem.ts";
import type { JobResult, MediaInfo } from "./job-protocol.ts";
import { defaultLimits, crashError, limitError, interruptionError, type JobKind, type LimitTable } from "./limits.ts";
import { startMediaProcess, type StartMediaProcess } from "./process.ts";
import { TaskQueue, type QueuedTask } from "./task-queue.ts";
import { MediaWorker, type JobRequest } from "./worker.ts";

export interface MediaProcessPoolOptions {
  log: Log;
  start?: StartMediaProcess | undefined;
  limits?: Partial<LimitTable> | undefined;
  /** How long the last idle process waits for the next file, ms; other idle processes wait a fifteenth of it. */
  idleMs?: number | undefined;
}
type Success = Exclude<JobResult, { is: "rejected" | "failed" }>;

interface Task extends QueuedTask {
  request: JobRequest;
  /** How often the process of this task ended. */
  interruptions: number;
  resolve: (result: Success) => void;
  reject: (error: unknown) => void;
}

const defaultIdleMs = 300_000;
// Shorter than the time that the service gives its running requests when it stops.
const closingGraceMs = 1_000;
// The ways in which hostile bytes end a process; any other end has an outside cause. Electron reports a signal as an exit code.
const crashes = new Set([
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGILL",
  "SIGSEGV",
  "SIGSYS",
  "SIGTRAP",
  "SIGXCPU",
  "code 134",
  ...[4, 5, 6, 7, 8, 11].map((number) => `code ${number}`),
]);

/** Owns the media processes until it is disposed. */
export class MediaProcessPool implements AsyncDisposable {
  readonly #log: Log;
  readonly #start: StartMediaProcess;
  readonly #limits: LimitTable;
  readonly #idleMs: number;
  readonly #queue = new TaskQueue<Task>();
  readonly #workers = new Set<MediaWorker>();
  readonly #idle: { worker: MediaWorker; timer: NodeJS.Timeout }[] = [];
  #isClosed = false;
  #onEmpty: () => void = () => undefined;

  constructor({ log, start = startMediaProcess, limits = {}, idleMs = defaultIdleMs }: MediaProcessPoolOptions) {
    this.#log = log;
    this.#start = start;
    this.#limits = { ...defaultLimits, ...limits };
    this.#idleMs = idleMs;
  }

  /**
   * Examines the file at `path`. `claimed` is the Content-Type of the upload. A picture that screens cannot show is converted into
   * a file at `to`, or rejected when `to` is null.
   * @throws ProblemError 422 when the file is bad or exceeds a limit, 503 while the service stops.
   */
  async examine(path: string, claimed: string | undefined, lane: string, to: string | null = null): Promise<MediaInfo> {
    const result = await this.#add({ do: "examine", path, claimed: claimed ?? null, to }, lane, true);
    if (result.is !== "examined") throw new Error(`a media process replied to an examination with ${result.is}`);
    return result.media;
  }

  /** A small WebP of a picture, given as a path or as bytes. @throws ProblemError like {@link examine}. */
  async makeThumbnail(source: string | Buffer, lane: string): Promise<Buffer> {
    const input = typeof source === "string" ? { path: source } : { base64: source.toString("base64") };
    const result = await this.#add({ do: "thumbnail", source: input }, lane, false);
    if (result.is !== "thumbnail") throw new Error(`a media process replied to a thumbnail job with ${result.is}`);
    return Buffer.from(result.base64, "base64");
  }

  /** Rejects the waiting tasks, gives the running ones a second, then kills every process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#queue.removeWaiting()) reject(closingError());
    if (this.#queue.runningCount > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, closingGraceMs);
        this.#onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    const workers = [...this.#workers];
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map(({ ended }) => ended));
  }

  #add(request: JobRequest, lane: string, isUrgent: boolean): Promise<Success> {
    if (this.#isClosed) return Promise.reject(closingError());
    return new Promise((resolve, reject) => {
      this.#queue.add({ request, lane, isUrgent, interruptions: 0, resolve, reject });
      this.#startTasks();
    });
  }

  #startTasks(): void {
    for (let task = this.#queue.startNext(); task !== null; task = this.#queue.startNext()) {
      const started = task;
      void this.#run(started)
        .then(started.resolve, started.reject)
        .finally(() => {
          this.#queue.finish(started);
          if (this.#queue.runningCount === 0) this.#onEmpty();
          this.#startTasks();
        });
    }
  }

  async #run(task: Task): Promise<Success> {
    for (;;) {
      const worker = this.#takeIdle() ?? (await this.#startWorker());
      const outcome = await worker.run(task.request, this.#limits);
      if (outcome.is === "replied") {
        await this.#release(worker);
        return successOf(outcome.result);
      }
      worker.kill();
      await worker.ended;
      if (this.#isClosed) throw closingError();
      if (outcome.is === "exceeded") {
        this.#log.warn({ lane: task.lane, kind: outcome.kind, limit: outcome.limit }, "a file exceeded a limit of its examination");
        throw limitError(outcome.kind, outcome.limit, this.#limits[outcome.kind]);
      }
      task.interruptions += 1;
      this.#throwUnlessRetriable(task, outcome.kind, outcome.how);
    }
  }

  /** @throws ProblemError for a file that crashed its process, or whose process ended twice for another reason. */
  #throwUnlessRetriable({ lane, interruptions }: Task, kind: JobKind, how: string): void {
    this.#log.warn({ lane, kind, how }, "a media process ended during a job");
    if (crashes.has(how)) throw crashError(kind, how);
    if (interruptions > 1) throw interruptionError(kind);
  }

  async #startWorker(): Promise<MediaWorker> {
    const process = await this.#start();
    const worker = new MediaWorker(process);
    this.#workers.add(worker);
    void worker.ended.then(() => this.#remove(worker));
    if (this.#isClosed) {
      worker.kill();
      throw closingError();
    }
    return worker;
  }

  #takeIdle(): MediaWorker | null {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    return idle?.worker ?? null;
  }

  /** Keeps a process for the next file, or kills it. */
  async #release(worker: MediaWorker): Promise<void> {
    if (this.#isClosed || !(await worker.isReusable())) return worker.kill();
    const idleMs = this.#idle.length === 0 ? this.#idleMs : this.#idleMs / 15;
    const timer = setTimeout(() => {
      this.#remove(worker);
      worker.kill();
    }, idleMs);
    this.#idle.push({ worker, timer: timer.unref() });
  }

  /** Removes a worker from the idle ones now, and from all workers when its process has ended. */
  #remove(worker: MediaWorker): void {
    const place = this.#idle.findIndex((each) => each.worker === worker);
    if (place !== -1) clearTimeout(this.#idle.splice(place, 1)[0]!.timer);
    void worker.ended.then(() => this.#workers.delete(worker));
  }
}

/** @throws ProblemError 422 for a rejected file, Error when the process failed. */
function successOf(result: JobResult): Success {
  if (result.is === "rejected") throw new ProblemError("bad-file", result.detail, { errors: [{ pointer: "", detail: result.detail }] });
  if (result.is === "failed") throw new Error(`a media process failed: ${result.message}`);
  return result;
}

function closingError(): ProblemError {
  return new ProblemError("closing", "The service is restarting: send the file again in a moment");
}
