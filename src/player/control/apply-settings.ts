// Applies again the settings that commands have requested for the display and the sound: at start, and when a display is connected.
import { Signal } from "../../base/async/signal.ts";
import { runAll } from "../../base/async/run-all.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { Control, MachineControls } from "../machine-controls.ts";
import type { AskedSettings } from "./asked-settings.ts";
import { type IsSame, isEqual, isSameMode, isSamePercent, setAndRead } from "./setting-control.ts";

export interface ApplySettingsDependencies {
  controls: MachineControls;
  asked: () => AskedSettings;
  /** Called when the machine's devices were found, at start and after each hotplug. */
  onFound: () => void;
  clock: Clock;
  log: Log;
}

interface Setting {
  name: string;
  /** Null: it was never asked for, or is already so. */
  apply: ((signal: AbortSignal) => Promise<unknown>) | null;
}

/** Runs until `signal` aborts. Logs once each setting that cannot be applied, and applies the rest. */
export async function applySettings(
  { controls, asked, onFound, clock, log }: ApplySettingsDependencies,
  signal: AbortSignal,
): Promise<never> {
  const changed = new Signal();
  const failures = new Map<string, string>();
  return runAll(
    [
      (end) =>
        controls.follow(() => {
          changed.notify();
          onFound();
        }, end),
      async (end) => {
        for (;;) {
          await changed.wait(clock, Number.POSITIVE_INFINITY, end);
          for (const setting of settingsOf(controls, asked())) await apply(setting, failures, log, end);
        }
      },
    ],
    signal,
  );
}

function settingsOf({ display, audio }: MachineControls, asked: AskedSettings): Setting[] {
  return [
    setting("display.mode", display.mode, asked.mode, isSameMode),
    setting("display.rotation", display.rotation, asked.rotation, isEqual),
    setting("display.brightness", display.brightness, asked.brightness, isSamePercent),
    setting("audio.output", audio.output, asked.audioOutput, isEqual),
    setting("audio.volume", audio.volume, asked.volume, isSamePercent),
    setting("audio.muted", audio.muted, asked.muted, isEqual),
  ];
}

function setting<T>(name: string, control: Control<T> | null, asked: T | undefined, isSame: IsSame<T>): Setting {
  if (asked === undefined) return { name, apply: null };
  return {
    name,
    async apply(signal) {
      if (control === null) throw new Error("nothing on this machine can set it at present");
      const present = await control.read(signal);
      // To set a mode again makes some displays dark for a moment.
      if (present === null || !isSame(present, asked)) await setAndRead(control, asked, isSame, signal);
    },
  };
}

/** @param failures the reason by name of each that could not be applied last time */
async function apply(each: Setting, failures: Map<string, string>, log: Log, signal: AbortSignal): Promise<void> {
  if (each.apply === null) return void failures.delete(each.name);
  try {
    await each.apply(signal);
    failures.delete(each.name);
  } catch (error) {
    if (isAbort(error) && signal.aborted) throw error;
    const reason = reasonOf(error);
    if (failures.get(each.name) !== reason) log.warn({ setting: each.name, reason }, "a setting could not be applied");
    failures.set(each.name, reason);
  }
}
