// Runs a program: reads its flags, runs it until it is stopped, and exits with the right code.
import { createLog, type Log } from "../base/log.ts";
import { isAbort, isFault, isOutlived, reasonOf } from "../base/fault.ts";

/** Exit codes: 0 stopped on request or printed help, 1 failed, 2 bad flags. */
const exitCodes = { stopped: 0, failed: 1, badFlags: 2 } as const;

// A program that hangs while stopping is ended before systemd would kill it.
const stopLimitMs = 10_000;
// One Ctrl+C may arrive twice: from the terminal, and forwarded by npm.
const secondSignalMs = 500;
// Errors with a self-explanatory message, which are logged without a stack.
const plainFaults = [
  "browser-failed",
  "browser-missing",
  "data-in-use",
  "folder-unusable",
  "disk-full",
  "file-corrupt",
  "metadata-expired",
  "metadata-missing",
  "metadata-rollback",
  "page-missing",
  "refused",
  "signature",
  "store-changed",
  "store-unavailable",
  "unreachable",
  "unsupported",
] as const;

/** How a program is stopped and how its process exits. Under Node by signals and `process.exit`. */
export interface Lifecycle {
  /** Calls `stop` for each request to stop, with the request's name for the log, such as `SIGTERM`. */
  onStop(stop: (by: string) => void): void;
  /** Ends the process. May return before the process has ended, as Electron's `app.exit` does. */
  exit(code: number): void;
}

export interface ProgramOptions<C> {
  /** Time in ms that the configuration adds to the usual time of a stop; default 0. */
  stopMs?: (config: C) => number;
  /** `stderr` for a program that uses standard output for a protocol. */
  logTo?: "stdout" | "stderr";
  lifecycle?: Lifecycle;
}

/**
 * Runs `main` until it returns, then exits. A request to stop aborts `main`'s signal; a second request exits immediately. A Fault
 * `help-asked` prints the help and exits with 0; `bad-config` prints one line to standard error and exits with 2; any other error,
 * also an uncaught one, is logged and exits with 1, but an unhandled rejection by the service's database is only logged. Never rejects.
 * `readConfig` is called synchronously.
 */
export async function runProgram<C>(
  name: string,
  readConfig: () => C,
  main: (config: C, log: Log, signal: AbortSignal) => Promise<void>,
  { logTo = "stdout", lifecycle = nodeLifecycle, stopMs = () => 0 }: ProgramOptions<C> = {},
): Promise<void> {
  let hasEnded = false;
  // `exit` may return, and later calls must not change the exit code.
  const end = (code: number): void => {
    if (hasEnded) return;
    hasEnded = true;
    lifecycle.exit(code);
  };
  const rejectFlags = (error: Error): void => {
    process.stderr.write(`${name}: ${error.message}\n`);
    end(exitCodes.badFlags);
  };
  let config: C;
  try {
    config = readConfig();
  } catch (error) {
    if (isFault(error, "help-asked")) {
      process.stdout.write(`${error.message}\n`);
      return end(exitCodes.stopped);
    }
    if (isFault(error, "bad-config")) return rejectFlags(error);
    process.stderr.write(`${name}: ${reasonOf(error)}\n`);
    return end(exitCodes.failed);
  }
  const log = await createLog(name, "info", logTo);
  const fail = (error: unknown): void => {
    const isPlain = plainFaults.some((code) => isFault(error, code));
    log.fatal(isPlain ? {} : { err: error }, isPlain && error instanceof Error ? error.message : reasonOf(error));
    end(exitCodes.failed);
  };
  // By default Node would print a stack and exit; Electron would show a dialog over the content and continue.
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", (error) => {
    if (!isOutlived(error)) return fail(error);
    // A database error rejects the call that waits for the query; here no call did.
    log.error({ err: error }, "an error of the database was not handled");
  });
  const stop = stopOnRequest(lifecycle, log, end, stopLimitMs + stopMs(config));
  try {
    await main(config, log, stop);
    end(exitCodes.stopped);
  } catch (error) {
    if (stop.aborted && isAbort(error)) end(exitCodes.stopped);
    else if (isFault(error, "bad-config")) rejectFlags(error);
    else fail(error);
  }
}

/** A signal that aborts at the first request to stop. A second request, or stopping too slowly, exits with 1. */
function stopOnRequest(lifecycle: Lifecycle, log: Log, end: (code: number) => void, limitMs: number): AbortSignal {
  const stop = new AbortController();
  let stoppingSince = Infinity;
  lifecycle.onStop((by) => {
    if (stop.signal.aborted) {
      if (performance.now() - stoppingSince < secondSignalMs) return;
      log.warn({ signal: by }, "exiting immediately after a second request to stop");
      return end(exitCodes.failed);
    }
    stoppingSince = performance.now();
    log.info({ signal: by }, "stopping");
    stop.abort();
    setTimeout(() => {
      log.error("stopping took too long");
      end(exitCodes.failed);
    }, limitMs).unref();
  });
  return stop.signal;
}

/**
 * Stops on SIGINT, SIGTERM or SIGHUP; when a parent with an IPC channel to this process ends; and on the message that an Electron
 * program sends to a service it has forked.
 */
const nodeLifecycle: Lifecycle = {
  onStop: (stop) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop(signal));
    process.on("disconnect", () => stop("disconnect"));
    process.parentPort?.on("message", ({ data }) => {
      if (data === "stop") stop("parent");
    });
  },
  exit: (code) => process.exit(code),
};
