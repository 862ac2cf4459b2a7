// The commands that act on the program and the machine, with or without a session's stores.
import type { Log } from "../../base/log.ts";
import type { Clock } from "../../base/clock.ts";
import type { AskedSettingsStore } from "../control/asked-settings.ts";
import type { Machine } from "../machine.ts";
import type { CommandModule } from "./command-module.ts";
import { displayModules } from "./modules/display.ts";
import { audioModules } from "./modules/audio.ts";
import { powerModules } from "./modules/power.ts";
import { programModules, type ProgramActions } from "./modules/program.ts";

export interface DeviceModulesDependencies {
  program: ProgramActions;
  machine: Machine;
  asked: AskedSettingsStore;
  /** True while a version of the program or of the browser is being installed. */
  isInstalling: () => boolean;
  clock: Clock;
  log: Log;
}

export function deviceModules(dependencies: DeviceModulesDependencies): readonly CommandModule[] {
  const { program, machine, asked, isInstalling, clock, log } = dependencies;
  return [
    ...programModules(program, log),
    ...displayModules({ controls: machine.controls, remember: (change) => asked.change(change) }),
    ...audioModules({ audio: () => machine.controls.audio, asked, clock }),
    ...powerModules({ machine, isInstalling, clock, log }),
  ];
}
