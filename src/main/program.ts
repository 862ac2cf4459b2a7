// What every program does the same way: read flags, run until told to stop, end with the right exit code.
import { createLog, type Log } from "../base/log.ts";
import { isAbort, isFault, reasonOf } from "../base/fault.ts";

/** Exit codes: 0 stopped as asked, 1 failed, 2 bad flags. */
const exitCodes = { stopped: 0, failed: 1, badFlags: 2 } as const;

// Whoever hangs while stopping is ended; systemd's own patience is longer.
const stopLimitMs = 10_000;
// At a terminal one Ctrl+C may arrive twice at once: from the terminal, and passed on by npm.
const secondSignalMs = 500;
// Their message says all; a stack would only bury it.
const plainFaults = ["data-in-use", "file-corrupt", "refused", "unsupported"] as const;

/**
 * Runs `main` until it returns or a SIGINT, SIGTERM or SIGHUP aborts its signal, then exits. A second signal exits at once.
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
  let stoppingSince = Infinity;
  for (const event of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(event, () => {
      if (stop.signal.aborted) {
        if (performance.now() - stoppingSince < secondSignalMs) return;
        log.warn({ signal: event }, "ended at once, by a second signal");
        process.exit(exitCodes.failed);
      }
      stoppingSince = performance.now();
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
    const isPlain = plainFaults.some((code) => isFault(error, code));
    log.fatal(isPlain ? {} : { err: error }, isPlain && error instanceof Error ? error.message : reasonOf(error));
    process.exit(exitCodes.failed);
  }
}

/** One line for a person, and the exit code that says whose fault it is. @throws what is no fault of the flags. */
function explain(name: string, error: unknown): never {
  if (!isFault(error, "bad-config")) throw error;
  process.stderr.write(`${name}: ${error.message}\n`);
  process.exit(exitCodes.badFlags);
}
