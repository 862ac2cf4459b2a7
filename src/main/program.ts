// What every program does the same way: read flags, run until told to stop, end with the right exit code.
import { createLog, type Log } from "../base/log.ts";
import { isAbort, isFault, reasonOf } from "../base/fault.ts";

/** Exit codes: 0 stopped as asked, 1 failed, 2 bad flags. */
const exitCodes = { stopped: 0, failed: 1, badFlags: 2 } as const;

// Whoever hangs while stopping is ended; systemd's own patience is longer.
const stopLimitMs = 10_000;

/**
 * Runs `main` until it returns or a SIGINT, SIGTERM or SIGHUP aborts its signal, then exits.
 * @param logTo where the log goes: away from the standard output of a program that speaks a protocol there.
 * A Fault `bad-config` prints one line to standard error and exits 2; any other error is logged and exits 1.
 */
export async function runProgram<C>(
  name: string,
  readConfig: () => C,
  main: (config: C, log: Log, signal: AbortSignal) => Promise<void>,
  logTo: "stdout" | "stderr" = "stdout",
): Promise<void> {
  let config: C;
  try {
    config = readConfig();
  } catch (error) {
    return explain(name, error);
  }
  const log = await createLog(name, "info", logTo);
  const stop = new AbortController();
  for (const event of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(event, () => {
      if (stop.signal.aborted) return;
      log.info({ signal: event }, "stopping");
      stop.abort();
      setTimeout(() => {
        log.error("stopping took too long");
        process.exit(exitCodes.failed);
      }, stopLimitMs).unref();
    });
  }
  // A child started with a channel stops with its parent, however the parent died.
  process.on("disconnect", () => stop.abort());
  try {
    await main(config, log, stop.signal);
    process.exit(exitCodes.stopped);
  } catch (error) {
    if (stop.signal.aborted && isAbort(error)) process.exit(exitCodes.stopped);
    if (isFault(error, "bad-config")) return explain(name, error);
    log.fatal({ err: error }, reasonOf(error));
    process.exit(exitCodes.failed);
  }
}

/** One line for a person, and the exit code that says whose fault it is. @throws what is no fault of the flags. */
function explain(name: string, error: unknown): never {
  if (!isFault(error, "bad-config")) throw error;
  process.stderr.write(`${name}: ${error.message}\n`);
  process.exit(exitCodes.badFlags);
}
