// Display power and recurring commands with real files, on a fake clock and a fake display.
import { Observable } from "../../../src/base/async/observable.ts";
import { isAbort } from "../../../src/base/fault.ts";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { createLog } from "../../support/recording-log.ts";
import type { CommandModule } from "../../../src/player/commands/command-module.ts";
import { CommandSet } from "../../../src/player/commands/command-set.ts";
import { AskedSettingsStore } from "../../../src/player/control/asked-settings.ts";
import { DisplayPower } from "../../../src/player/control/display-power.ts";
import { RecurringCommands } from "../../../src/player/control/recurring-commands.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import type { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import type { Intervention } from "../../../src/schedule/interventions.ts";
import { FakeClock } from "../../support/clock.ts";
import { FakePower } from "../../support/fake-power.ts";
import { desiredOf } from "../../support/states.ts";

/** A state with these settings of the player. */
export function stateWith(player: Partial<DesiredState["player"]>, calendars: DesiredState["calendars"] = []): DesiredState {
  const desired = desiredOf([], []);
  return { ...desired, calendars, player: { ...desired.player, timezone: "UTC", ...player } };
}

/** Lets everything run that waits for nothing but the disk. */
async function settle(disk: SlowDisk): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) {
    await disk.written;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A disk whose last write is awaited, because the fake clock would run far ahead of it. A test may make it fail. */
class SlowDisk extends DiskHealth {
  written: Promise<unknown> = Promise.resolve();
  isBroken = false;

  override attempt(what: string, change: () => Promise<unknown>): Promise<boolean> {
    const failing = (): Promise<never> =>
      Promise.reject(Object.assign(new Error("EROFS"), { code: "EROFS", syscall: "write", errno: -30 }));
    const done = super.attempt(what, this.isBroken ? failing : change);
    this.written = done;
    return done;
  }
}

/** Opens both parts on the files of a folder, as one run of the player does. */
export async function openControl(
  folder: string,
  clock: FakeClock,
  {
    desired = null,
    power = new FakePower(),
    modules = [] as readonly CommandModule[],
  }: {
    desired?: DesiredState | null;
    power?: FakePower;
    modules?: readonly CommandModule[];
  },
) {
  const { log, lines } = createLog();
  const disk = new SlowDisk(log);
  const corrected = new CorrectedClock(clock);
  const state = new Observable<DesiredState | null>(desired);
  const interventions = new Observable<readonly Intervention[]>([]);
  const asked = await AskedSettingsStore.open(folder, disk);
  const common = { desired: state, deviceZone: "UTC", clock: corrected, log };
  const displayPower = new DisplayPower({ ...common, interventions, asked, controls: power.controls });
  const recurring = await RecurringCommands.open({ ...common, folder, commands: new CommandSet(modules), disk });
  const stop = new AbortController();
  const tasks = [
    displayPower.run(stop.signal),
    power.controls.follow(() => displayPower.reapply(), stop.signal),
    recurring.run(stop.signal),
    corrected.watchForSteps(stop.signal),
  ];
  const ends = tasks.map((running) =>
    running.catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    }),
  );
  await settle(disk);
  return {
    displayPower,
    recurring,
    power,
    desired: state,
    interventions,
    asked,
    disk,
    lines,
    signal: stop.signal,
    /** Advances the clock in steps, and lets the code that waits for it run. */
    async pass(ms: number, stepMs = 60_000) {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(left, stepMs));
        await settle(disk);
      }
    },
    settle: () => settle(disk),
    /** The messages of the log at a level: 30 is info, 40 warn, 50 error. */
    logged: (level: number) => lines.filter((line) => line["level"] === level).map(({ msg }) => msg),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(ends);
    },
  };
}
