// Restarts of the player and of its machine by the recovery: carries them out, and remembers them for a day without trusting a clock.
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { isFault } from "../../base/fault.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { MirroredFile } from "../../base/files/mirrored-file.ts";
import { hourMs, minuteMs } from "../../base/time.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import type { Machine } from "../machine.ts";
import { recent, type RecoveryAttempt, type RestartAction, restartMemoryMs, restartsPerDay, restartPauseMs } from "./recovery-ladder.ts";

const actions = ["restart-player", "restart-machine"] as const;
const Age = z.number().min(0).max(restartMemoryMs);
/** Ages count the time that the machine was running, which no wrong clock changes. `run`: the one of the machine that wrote it. */
const StoredRestarts = z.object({
  run: z.object({ id: z.string(), age_ms: z.number().min(0) }).nullable(),
  restarts: z.array(z.object({ action: z.enum(actions), age_ms: Age, failures: z.int().min(0).max(1e6) })).max(100),
});
type StoredRestarts = z.infer<typeof StoredRestarts>;

const saveIntervalMs = hourMs;
// A machine that still runs this long after its restart began is not restarting.
const machineStopLimitMs = 2 * minuteMs;

/** A restart, and how often the browser had failed within five minutes before it. */
interface Restart extends RecoveryAttempt {
  action: RestartAction;
  failures: number;
}

export interface RestartsDependencies {
  folder: string;
  machine: Machine;
  clock: Clock;
  disk: DiskHealth;
  /** Ends this run of the player, so that its program starts another. */
  restartPlayer: () => void;
}

export class Restarts {
  readonly #dependencies: RestartsDependencies;
  readonly #file: MirroredFile<StoredRestarts>;
  #attempts: readonly Restart[] = [];
  #savedAt: number;
  /** Why the disk failed to read the restarts of earlier runs; null: it did not. Meanwhile none can be recorded, so none happens. */
  #unread: unknown = null;

  private constructor(dependencies: RestartsDependencies) {
    this.#dependencies = dependencies;
    this.#file = new MirroredFile(join(dependencies.folder, name), (json) => StoredRestarts.parse(json));
    this.#savedAt = dependencies.clock.monotonic();
  }

  /** Reads the restarts of earlier runs. After a damaged file, or while it cannot be read, the day's restarts count as used up. */
  static async open(dependencies: RestartsDependencies): Promise<Restarts> {
    const { clock, disk, machine } = dependencies;
    const restarts = new Restarts(dependencies);
    try {
      const read = await restarts.#file.read();
      if (read.is === "found") restarts.#attempts = toAttempts(read.value, machine, clock.monotonic());
    } catch (error) {
      if (!isFault(error, "file-corrupt") && !isReadFailure(error)) throw error;
      const at = clock.monotonic() - restartPauseMs;
      restarts.#attempts = actions.flatMap((action) => Array.from({ length: restartsPerDay }, () => ({ action, at, failures: 0 })));
      if (isReadFailure(error)) {
        restarts.#unread = error;
        disk.unreadable(name, error, () => restarts.#readLate());
      } else {
        disk.fileDamaged(name, "no restart by the recovery for a day", error);
        await restarts.#write();
      }
    }
    return restarts;
  }

  /** The restarts of the last day. */
  get attempts(): readonly Restart[] {
    return this.#attempts;
  }

  get canRestartMachine(): boolean {
    return this.#dependencies.machine.restart !== null;
  }

  /** Remembers a restart that is about to begin. Resolves to whether that is durable; if not, it must not begin. */
  async record(action: RestartAction, failures: number): Promise<boolean> {
    this.#attempts = [...this.#attempts, { action, at: this.#dependencies.clock.monotonic(), failures }];
    return await this.#write();
  }

  /** Restarts. @throws Error when the machine refuses or goes on running; AbortError when `signal` aborts, as it does here. */
  async begin(action: RestartAction, signal: AbortSignal): Promise<never> {
    const { clock, machine, restartPlayer } = this.#dependencies;
    if (action === "restart-player") restartPlayer();
    else await machine.restart?.(signal);
    await clock.wait(machineStopLimitMs, signal);
    throw new Error("the restart did not happen");
  }

  /** Stores the ages every hour, so that a loss of power makes them at most an hour younger. */
  async save(): Promise<void> {
    if (this.#attempts.length > 0 && this.#dependencies.clock.monotonic() - this.#savedAt >= saveIntervalMs) await this.#write();
  }

  async #write(): Promise<boolean> {
    const { clock, disk, machine } = this.#dependencies;
    const now = clock.monotonic();
    this.#savedAt = now;
    this.#attempts = recent(this.#attempts, now, restartMemoryMs);
    const restarts = this.#attempts.map(({ at, ...rest }) => ({ ...rest, age_ms: now - at }));
    const run = machine.run === null ? null : { id: machine.run.id, age_ms: machine.run.ageMs() };
    const write = (): Promise<void> => (this.#unread === null ? this.#file.write({ run, restarts }) : Promise.reject(this.#unread));
    return await disk.attempt(name, write);
  }

  async #readLate(): Promise<void> {
    const { machine, clock } = this.#dependencies;
    const read = await this.#file.read();
    this.#unread = null;
    this.#attempts = read.is === "found" ? toAttempts(read.value, machine, clock.monotonic()) : [];
  }
}

const name = "restarts.json";

/** The time that has passed since the file was written, as far as it is certain, makes the restarts older. */
function toAttempts({ run, restarts }: StoredRestarts, machine: Machine, now: number): readonly Restart[] {
  const ageMs = machine.run?.ageMs() ?? 0;
  const passedMs = run !== null && run.id === machine.run?.id ? Math.max(0, ageMs - run.age_ms) : ageMs;
  const attempts = restarts.map(({ age_ms, ...rest }) => ({ ...rest, at: now - age_ms - passedMs }));
  return recent(attempts, now, restartMemoryMs);
}
