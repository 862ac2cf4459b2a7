// The commands for the player's program and page: identify, reload, restart, update.
import type { Log } from "../../../base/log.ts";
import { done, type CommandModule } from "../command-module.ts";

/** The actions of the player that these commands start. */
export interface ProgramActions {
  identify(durationMs: number): void;
  reload(signal: AbortSignal): Promise<void>;
  restart(): void;
  /** Installs the wanted version outside its window too. Resolves with the next step. @throws Fault `unsupported` without a launcher. */
  update(): Promise<Record<string, unknown>>;
  /** Why `update` cannot work, for people; null: it can. */
  updateIsMissing(): string | null;
}

const shortMs = 30_000;

export function programModules(actions: ProgramActions, log: Log): readonly CommandModule[] {
  const identify: CommandModule<"identify"> = {
    type: "identify",
    deadlineMs: shortMs,
    async run({ args }) {
      actions.identify(args.duration_ms);
      return done();
    },
  };
  const reload: CommandModule<"reload"> = {
    type: "reload",
    deadlineMs: shortMs,
    async run(_, signal) {
      await actions.reload(signal);
      return done();
    },
  };
  const restart: CommandModule<"restart"> = {
    type: "restart",
    deadlineMs: shortMs,
    async run() {
      log.warn("restarting because of a command");
      actions.restart();
      return { is: "later" };
    },
    outcomeAfterRestart: () => done({}),
  };
  const update: CommandModule<"update"> = {
    type: "update",
    deadlineMs: shortMs,
    missing: () => actions.updateIsMissing(),
    run: async () => done(await actions.update()),
  };
  return [identify, reload, restart, update];
}
