// The commands that act on the program and the machine, with or without a session's stores.
import type { Log } from "../../base/log.ts";
import type { CommandModule } from "./command-module.ts";
import { programModules, type ProgramActions } from "./modules/program.ts";

export interface DeviceModulesDependencies {
  program: ProgramActions;
  log: Log;
}

export function deviceModules({ program, log }: DeviceModulesDependencies): readonly CommandModule[] {
  return [...programModules(program, log)];
}
