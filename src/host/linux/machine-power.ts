// Restarts the machine and switches it off by systemd-logind, which asks polkit whether this user may: no sudo, no root.
import { reasonOfRun, runOrFail, runTool, type ToolRun } from "../../base/processes/run-tool.ts";

const bus = ["org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"] as const;
/** The method that acts; logind has another one, `Can…`, that tells whether it would. */
const methods = { restart: "Reboot", shutdown: "PowerOff" } as const;
type PowerAction = keyof typeof methods;

const powerNotAllowed =
  "signage-player was not started with SIGNAGE_ALLOW_POWER=1, as the unit of the package does: it leaves the machine's power alone";
const noRule =
  "the machine asks for a password before that: the polkit rule of the package signage-player is missing, or polkitd is not installed (apt install polkitd)";

export class MachinePower {
  readonly #env: NodeJS.ProcessEnv;
  readonly #isAllowed: boolean;
  readonly #obstacles: Record<PowerAction, string | null>;

  /** @param isAllowed false for a player on somebody's own machine: no recovery may restart that. */
  constructor(env: NodeJS.ProcessEnv, isAllowed: boolean) {
    this.#env = env;
    this.#isAllowed = isAllowed;
    const unknown = isAllowed ? "systemd-logind has not been asked yet" : powerNotAllowed;
    this.#obstacles = { restart: unknown, shutdown: unknown };
  }

  /** The obstacle to each action, for people, as found by the last probe; null: none. */
  get obstacles(): Readonly<Record<PowerAction, string | null>> {
    return this.#obstacles;
  }

  get restart(): ((signal: AbortSignal) => Promise<void>) | null {
    return this.#action("restart");
  }

  get shutdown(): ((signal: AbortSignal) => Promise<void>) | null {
    return this.#action("shutdown");
  }

  /** Asks logind if it would allow each action. */
  async probe(signal: AbortSignal): Promise<void> {
    if (!this.#isAllowed) return;
    const ask = async (action: PowerAction): Promise<void> => {
      const args = ["call", ...bus, `Can${methods[action]}`];
      this.#obstacles[action] = obstacleIn(await runTool("busctl", args, { env: this.#env, signal }));
    };
    await Promise.all([ask("restart"), ask("shutdown")]);
  }

  #action(action: PowerAction): ((signal: AbortSignal) => Promise<void>) | null {
    if (this.#obstacles[action] !== null) return null;
    return async (signal) => {
      // false: nobody is there whom polkit could ask for a password.
      await runOrFail("busctl", ["call", ...bus, methods[action], "b", "false"], { env: this.#env, signal });
    };
  }
}

/** Why logind would refuse; null: it would act. It says `s "yes"`, or `no`, `na`, `challenge`, and newer ones `inhibited`. */
function obstacleIn(run: ToolRun): string | null {
  if (run.is !== "ended" || run.code !== 0) return `systemd-logind cannot be asked: ${reasonOfRun("busctl", run)}`;
  const answer = /^s "(.*)"/.exec(run.stdout)?.[1] ?? "";
  if (answer === "yes") return null;
  if (answer === "challenge" || answer === "no") return noRule;
  return answer === "na" ? "the machine is not able to" : `systemd-logind says ${answer === "" ? "nothing" : answer}`;
}
