// Runs the recurring commands of the desired state at their times, with or without a network, each run at most once.
import type { Watchable } from "../../base/async/observable.ts";
import { Signal } from "../../base/async/signal.ts";
import type { CorrectedClock } from "../../base/clock.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { dayMs, iso, minuteMs } from "../../base/time.ts";
import { ulid } from "../../base/ulid.ts";
import { DeviceCommand } from "../../protocol/device/command-request.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import { createProblem, type PlayerProblem } from "../../protocol/device/player-problems.ts";
import { RecurringCommand } from "../../protocol/device/recurring-commands.ts";
import { describeRefusals } from "../../protocol/refusal.ts";
import { nextRun, runsBetween } from "../../schedule/control/recurring.ts";
import { withinDeadline } from "../commands/command-deadline.ts";
import type { CommandModule } from "../commands/command-module.ts";
import type { CommandSet } from "../commands/command-set.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import { controlClock } from "../../schedule/control/control-inputs.ts";
import { RecurringMarks } from "./recurring-marks.ts";

export interface RecurringCommandsDependencies {
  folder: string;
  desired: Watchable<DesiredState | null>;
  commands: CommandSet;
  deviceZone: string;
  clock: CorrectedClock;
  log: Log;
  disk: DiskHealth;
}

/** A run that is due. */
interface Run {
  command: RecurringCommand;
  due: number;
}

const maxLateMs = 5 * minuteMs;
// Runs that a player missed longer ago are not even logged.
const lookBackMs = dayMs;
// These end the player: they begin after everything else that is due, and only if it is recorded that they ran.
const endingTypes: readonly string[] = ["restart", "reboot"];

export class RecurringCommands {
  readonly #dependencies: RecurringCommandsDependencies;
  readonly #marks: RecurringMarks;
  readonly #changed = new Signal();
  readonly #running = new Set<string>();
  /** Why the last run of a command failed, by name. */
  readonly #failures = new Map<string, { type: string; reason: string; at: number }>();
  #commands: { of: DesiredState | null; all: readonly RecurringCommand[] } = { of: null, all: [] };

  private constructor(dependencies: RecurringCommandsDependencies, marks: RecurringMarks) {
    this.#dependencies = dependencies;
    this.#marks = marks;
  }

  static async open(dependencies: RecurringCommandsDependencies): Promise<RecurringCommands> {
    return new RecurringCommands(dependencies, await RecurringMarks.open(dependencies.folder, dependencies.disk));
  }

  /** The problem that the last runs of some commands failed; empty without one. */
  get problems(): readonly PlayerProblem[] {
    const failed = [...this.#failures];
    if (failed.length === 0) return [];
    const detail = failed.map(([name, { type, reason }]) => `${name} (${type}): ${reason}`).join("; ");
    return [createProblem("recurring-failed", Math.min(...failed.map(([, { at }]) => at)), { detail: detail.slice(0, 300) })];
  }

  /** Runs until `signal` aborts. A command that fails stops neither the others nor anything else. */
  async run(signal: AbortSignal): Promise<never> {
    const { desired, clock } = this.#dependencies;
    desired.watch(() => this.#changed.notify(), signal);
    clock.onStep(() => this.#changed.notify(), signal);
    for (;;) {
      const due = await this.#due();
      if (due.length > 0) void this.#runAll(due, signal);
      await this.#changed.wait(clock, this.#nextAt() - clock.now(), signal);
    }
  }

  /** Forgets all runs after a revocation. */
  purge(): Promise<void> {
    return this.#marks.purge();
  }

  /** The runs that are due and not too late, oldest first. Those that are too late are logged. */
  async #due(): Promise<Run[]> {
    const { desired, deviceZone, clock, log } = this.#dependencies;
    if (desired.value === null) return [];
    const commands = this.#read(desired.value);
    const on = controlClock(desired.value, deviceZone);
    const now = clock.now();
    const settled = await this.#marks.settledUntil(
      commands.map((command) => ({ name: command.name, of: definitionOf(command) })),
      now,
    );
    const runs = commands.flatMap((command) => {
      const all = runsBetween(command, on, Math.max(settled.get(command.name)!, now - lookBackMs), now);
      const late = all.filter((due) => now - due > maxLateMs);
      if (late.length > 0) {
        const about = { name: command.name, type: command.command.type, runs: late.length, last_due: iso(late.at(-1)!) };
        log.warn(about, "a recurring command is not run, because its time has passed");
        this.#marks.pass(command.name, late.at(-1)!);
      }
      return all.slice(late.length).map((due): Run => ({ command, due }));
    });
    // In memory at once, so that the next look at the clock does not find them again.
    for (const { command, due } of runs) this.#marks.pass(command.name, due);
    return runs.toSorted((a, b) => a.due - b.due);
  }

  /** When the next run is due; Infinity: none within a year. */
  #nextAt(): number {
    const { desired, deviceZone, clock } = this.#dependencies;
    if (desired.value === null) return Number.POSITIVE_INFINITY;
    const on = controlClock(desired.value, deviceZone);
    const now = clock.now();
    const next = this.#read(desired.value).map((command) => nextRun(command, on, now) ?? Number.POSITIVE_INFINITY);
    return Math.min(Number.POSITIVE_INFINITY, ...next);
  }

  /** Starts runs side by side; those that end the player follow when the others have ended. Never rejects. */
  async #runAll(runs: readonly Run[], signal: AbortSignal): Promise<void> {
    const { false: others = [], true: ending = [] } = Object.groupBy(runs, (run) => String(isEnding(run)) as "true" | "false");
    const byName = [...Map.groupBy(others, ({ command }) => command.name).values()];
    await Promise.all(byName.map((ofOne) => this.#runInTurn(ofOne, signal)));
    await this.#runInTurn(ending, signal);
  }

  async #runInTurn(runs: readonly Run[], signal: AbortSignal): Promise<void> {
    for (const run of runs) await this.#runOne(run, signal);
  }

  async #runOne({ command: { name, command }, due }: Run, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#dependencies;
    const about = { name, type: command.type, due: iso(due) };
    try {
      const isRecorded = await this.#marks.record(name, command.type, due, clock.now());
      if (!isRecorded && endingTypes.includes(command.type)) throw new Fault("disk-full", "the disk cannot record that it ran");
      if (this.#running.has(name)) throw new Fault("busy", "its run before has not ended");
      log.info(about, "a recurring command begins");
      this.#running.add(name);
      try {
        await this.#execute(command, due, signal);
      } finally {
        this.#running.delete(name);
      }
      this.#failures.delete(name);
      log.info(about, "a recurring command has ended");
    } catch (error) {
      // The player ends: the command is interrupted, and its next run tells more.
      if (signal.aborted) return;
      this.#failures.set(name, { type: command.type, reason: reasonOf(error), at: clock.now() });
      log.error({ ...about, reason: reasonOf(error) }, "a recurring command failed");
    }
  }

  async #execute(action: RecurringCommand["command"], due: number, signal: AbortSignal): Promise<void> {
    const { commands, clock } = this.#dependencies;
    const request = DeviceCommand.parse(action);
    const module = commands.get(action.type);
    if (module !== undefined) this.#checkLimit(module, clock.now());
    const run = (end: AbortSignal) => commands.execute({ ...request, id: `cmd_${ulid(due)}`, madeAt: due }, end);
    await (module === undefined ? run(signal) : withinDeadline(clock, module.deadlineMs, signal, run));
  }

  #checkLimit({ type, limit }: CommandModule, now: number): void {
    // This run is recorded already.
    if (limit === undefined || this.#marks.runsSince(type, now - limit.perMs) <= limit.count) return;
    throw new Fault("busy", `at most ${limit.count} of these commands run within ${limit.perMs / 1_000} s`);
  }

  /** The enabled commands of a state. An invalid one, as from a newer service, is logged once and left out. */
  #read(desired: DesiredState): readonly RecurringCommand[] {
    if (this.#commands.of === desired) return this.#commands.all;
    const all = (desired.player.recurring_commands ?? []).flatMap((each) => {
      const command = RecurringCommand.safeParse(each);
      if (command.success) return command.data.enabled ? [command.data] : [];
      this.#dependencies.log.error(
        { name: each["name"], reason: describeRefusals(command.error) },
        "a recurring command is invalid: it is ignored",
      );
      return [];
    });
    this.#commands = { of: desired, all };
    for (const name of this.#failures.keys()) if (!all.some((command) => command.name === name)) this.#failures.delete(name);
    return all;
  }
}

function isEnding({ command }: Run): boolean {
  return endingTypes.includes(command.command.type);
}

/** A command that is changed begins anew: its times of before are not made up for. */
function definitionOf({ command, at, weekdays, calendar }: RecurringCommand): string {
  return JSON.stringify([command, at, weekdays ?? null, calendar ?? null]);
}
