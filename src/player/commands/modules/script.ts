// The command run: starts a script that the device's root user has installed.
import type { Clock } from "../../../base/clock.ts";
import { Fault } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import type { DeclaredDevices } from "../../control/declared-devices.ts";
import { runProgram } from "../../control/run-program.ts";
import { done, type CommandModule } from "../command-module.ts";

export interface ScriptDependencies {
  declared: DeclaredDevices;
  clock: Clock;
  log: Log;
}

const maxOutputBytes = 65_536;
const longestMs = 600_000;
const marginMs = 10_000;

export function scriptModule({ declared, clock, log }: ScriptDependencies): CommandModule<"run"> {
  let running: string | null = null;
  return {
    type: "run",
    deadlineMs: longestMs + marginMs,
    missing: () => (declared.scripts.is === "missing" ? declared.scripts.reason : null),
    async run({ args: { script, argv, timeout_ms: timeoutMs } }, signal) {
      if (running !== null) throw new Fault("busy", `the script ${running} is still running`);
      running = script;
      const startedAt = clock.monotonic();
      try {
        await declared.refresh();
        const path = declared.scriptPath(script);
        if (path === null) throw new Fault("unsupported", `this device has no script ${script} that may run`);
        log.warn({ script }, "running a script because of a command");
        const end = await runProgram(path, argv, { timeoutMs, maxOutputBytes }, clock, signal);
        return done({
          exit_code: end.code,
          signal: end.signal,
          timed_out: end.timedOut,
          took_ms: Math.round(clock.monotonic() - startedAt),
          stdout: end.stdout,
          stderr: end.stderr,
        });
      } finally {
        running = null;
      }
    },
  };
}
