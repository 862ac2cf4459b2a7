// The commands that act on the program and the machine, with or without a session's stores.
import type { Log } from "../../base/log.ts";
import type { CommandModule } from "./command-module.ts";
import { displayModules, type DisplayModulesDependencies } from "./modules/display.ts";
import { programModules, type ProgramActions } from "./modules/program.ts";

export interface DeviceModulesDependencies {
  program: ProgramActions;
  settings: DisplayModulesDependencies;
  log: Log;
}

export function deviceModules({ program, settings, log }: DeviceModulesDependencies): readonly CommandModule[] {
  return [...programModules(program, log), ...displayModules(settings)];
}
