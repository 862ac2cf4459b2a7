// Runs whatever reads uploaded bytes in processes of their own: a few at once, fair between teams, each within its limits.
import type { Log } from "../../base/log.ts";
import { ProblemError } from "../http/problem.ts";
import type { Answer, Media } from "./job-protocol.ts";
import { defaultLimits, crashError, limitError, interruptionError, type JobKind, type LimitTable } from "./limits.ts";
import { startMediaProcess, type StartMediaProcess } from "./process.ts";
import { MediaWorker, type JobRequest } from "./worker.ts";

export interface MediaProcessPoolOptions {
  log: Log;
  start?: StartMediaProcess | undefined;
  limits?: Partial<LimitTable> | undefined;
  /** How long the last idle process is kept for the next file, ms; others go after a fifteenth of it. */
  idleMs?: number | undefined;
}
type Found = Exclude<Answer, { is: "type" | "refused" | "failed" }>;

interface Task {
  request: JobRequest;
  /** Whose file it is: a team, or a team's devices. */
  lane: string;
  /** Somebody waits for it; a thumbnail is waited for by nobody. */
  isUrgent: boolean;
  interruptions: number;
  resolve: (found: Found) => void;
  reject: (error: unknown) => void;
}

// Two for one lane; the third is for whoever else comes, so that nobody's files hold all.
const maxAtOnce = 3;
const maxOfLane = 2;
const usualIdleMs = 300_000;
// Less than the service gives to its requests under way.
const closingGraceMs = 1_000;
// How a process ends by itself on hostile bytes, rather than by somebody else; Electron tells the signal's number as a code.
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
  readonly #waiting: Task[] = [];
  readonly #running = new Set<Task>();
  readonly #workers = new Set<MediaWorker>();
  readonly #idle: { worker: MediaWorker; timer: NodeJS.Timeout }[] = [];
  /** When each lane was last served, by the count of all tasks. */
  readonly #served = new Map<string, number>();
  #count = 0;
  #isClosed = false;
  #isEmpty: () => void = () => undefined;

  constructor({ log, start = startMediaProcess, limits = {}, idleMs = usualIdleMs }: MediaProcessPoolOptions) {
    this.#log = log;
    this.#start = start;
    this.#limits = { ...defaultLimits, ...limits };
    this.#idleMs = idleMs;
  }

  /**
   * What the file at `path` is. `claimed` is the Content-Type it came with. A picture that screens cannot show is converted
   * into a file at `to`; without that it is refused.
   * @throws Refusal 422 saying what is wrong with it, or which limit it ran into, and what to do; 503 while the service stops.
   */
  async examine(path: string, claimed: string | undefined, lane: string, to: string | null = null): Promise<Media> {
    const found = await this.#add({ do: "examine", path, claimed: claimed ?? null, to }, lane, true);
    if (found.is !== "media") throw new Error(`a media process answered an examination with a ${found.is}`);
    return found.media;
  }

  /** A small WebP of a picture: of the file at a path, or of bytes. @throws Refusal as {@link examine} does. */
  async makeThumbnail(source: string | Buffer, lane: string): Promise<Buffer> {
    const from = typeof source === "string" ? { path: source } : { base64: source.toString("base64") };
    const found = await this.#add({ do: "shrink", source: from }, lane, false);
    if (found.is !== "picture") throw new Error(`a media process answered a thumbnail with a ${found.is}`);
    return Buffer.from(found.base64, "base64");
  }

  /** Refuses what waits, gives what is under way a second, then ends every process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closing());
    if (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, closingGraceMs);
        this.#isEmpty = () => {
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

  #add(request: JobRequest, lane: string, isUrgent: boolean): Promise<Found> {
    if (this.#isClosed) return Promise.reject(closing());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, lane, isUrgent, interruptions: 0, resolve, reject });
      this.#next();
    });
  }

  /** Begins what there is room for. */
  #next(): void {
    while (this.#running.size < maxAtOnce) {
      const task = this.#pick();
      if (task === null) return;
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      this.#running.add(task);
      this.#serve(task.lane);
      void this.#run(task)
        .then(task.resolve, task.reject)
        .finally(() => {
          this.#running.delete(task);
          if (this.#running.size === 0) this.#isEmpty();
          this.#next();
        });
    }
  }

  /** The next task of a lane that has room: urgent ones first, then the lane with the fewest under way, then the one served longest ago. */
  #pick(): Task | null {
    let best: { task: Task; rank: readonly number[] } | null = null;
    for (const task of this.#waiting) {
      const busy = [...this.#running].filter(({ lane }) => lane === task.lane).length;
      // Nobody waits for a thumbnail: it leaves a place for the next upload of the same lane.
      if (busy >= (task.isUrgent ? maxOfLane : 1)) continue;
      const rank = [task.isUrgent ? 0 : 1, busy, this.#served.get(task.lane) ?? 0];
      if (best === null || isBefore(rank, best.rank)) best = { task, rank };
    }
    return best?.task ?? null;
  }

  #serve(lane: string): void {
    if (this.#waiting.length === 0) this.#served.clear();
    this.#served.set(lane, (this.#count += 1));
  }

  async #run(task: Task): Promise<Found> {
    for (;;) {
      const worker = this.#takeIdle() ?? (await this.#startWorker());
      const outcome = await worker.run(task.request, this.#limits);
      if (outcome.is === "answered") {
        await this.#release(worker);
        return foundIn(outcome.answer);
      }
      worker.kill();
      await worker.ended;
      if (this.#isClosed) throw closing();
      if (outcome.is === "excessive") {
        this.#log.warn({ lane: task.lane, kind: outcome.kind, limit: outcome.excess }, "a file ran into a limit of its examination");
        throw limitError(outcome.kind, outcome.excess, this.#limits[outcome.kind]);
      }
      task.interruptions += 1;
      this.#judgeEnd(task, outcome.kind, outcome.how);
    }
  }

  /** Returns where another try is due. @throws Refusal for a file that crashes its process, or whose second process was ended too. */
  #judgeEnd({ lane, interruptions }: Task, kind: JobKind, how: string): void {
    this.#log.warn({ lane, kind, how }, "a media process ended in the middle of a file");
    if (crashes.has(how)) throw crashError(kind, how);
    if (interruptions > 1) throw interruptionError(kind);
  }

  async #startWorker(): Promise<MediaWorker> {
    const process = await this.#start();
    const worker = new MediaWorker(process);
    this.#workers.add(worker);
    void worker.ended.then(() => this.#forget(worker));
    if (this.#isClosed) {
      worker.kill();
      throw closing();
    }
    return worker;
  }

  #takeIdle(): MediaWorker | null {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    return idle?.worker ?? null;
  }

  /** Keeps a process for the next file, or ends it. */
  async #release(worker: MediaWorker): Promise<void> {
    if (this.#isClosed || !(await worker.isFresh())) return worker.kill();
    const keptMs = this.#idle.length === 0 ? this.#idleMs : this.#idleMs / 15;
    const timer = setTimeout(() => {
      this.#forget(worker);
      worker.kill();
    }, keptMs);
    this.#idle.push({ worker, timer: timer.unref() });
  }

  #forget(worker: MediaWorker): void {
    const place = this.#idle.findIndex((each) => each.worker === worker);
    if (place !== -1) clearTimeout(this.#idle.splice(place, 1)[0]!.timer);
    // One that is idle no longer is still ours until it has ended.
    void worker.ended.then(() => this.#workers.delete(worker));
  }
}

/** @throws Refusal 422, or the error that the process met. */
function foundIn(answer: Exclude<Answer, { is: "type" }>): Found {
  if (answer.is === "refused") throw new ProblemError("bad-file", answer.detail, { errors: [{ pointer: "", detail: answer.detail }] });
  if (answer.is === "failed") throw new Error(`a media process failed: ${answer.message}`);
  return answer;
}

function closing(): ProblemError {
  return new ProblemError("closing", "The service is restarting: send the file again in a moment", { headers: { "Retry-After": "5" } });
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const place = a.findIndex((value, index) => value !== b[index]);
  return place !== -1 && a[place]! < b[place]!;
}
