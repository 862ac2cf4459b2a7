// What every program does the same way: read flags, run until told to stop, end once with the right exit code.
import { createLog, type Log } from "../base/log.ts";
import { isAbort, isFault, reasonOf } from "../base/fault.ts";

/** Exit codes: 0 stopped as asked or help given, 1 failed, 2 bad flags. */
const exitCodes = { stopped: 0, failed: 1, badFlags: 2 } as const;

// A program that hangs while stopping is ended; systemd's own patience is longer.
const stopLimitMs = 10_000;
// At a terminal one Ctrl+C may arrive twice at once: from the terminal, and passed on by npm.
const secondSignalMs = 500;
// Their message says all; a stack would only bury it.
const plainFaults = ["data-in-use", "folder-unusable", "file-corrupt", "page-missing", "refused", "unreachable", "unsupported"] as const;

/** How a program learns that it is to stop, and how its process ends. Under Node by signals and `process.exit`. */
export interface Lifecycle {
  /** Calls `stop` each time somebody asks the program to stop, with a word for the log, such as `SIGTERM`. */
  onStop(stop: (by: string) => void): void;
  /** Ends the process. May return before the process is gone, as Electron's `app.exit` does. */
  exit(code: number): void;
}

/** Where a program's log goes, and how the program is started and stopped. */
export interface ProgramOptions {
  /** Away from the standard output of a program that speaks a protocol there. */
  logTo?: "stdout" | "stderr";
  lifecycle?: Lifecycle;
}

/**
 * Runs `main` until it returns or somebody asks the program to stop, which aborts its signal; then ends the process, once and with one
 * code. A second request ends it at once. A Fault `help-asked` prints the help and exits 0; `bad-config` prints one line to standard
 * error and exits 2; any other error, also one that nobody caught, is logged and exits 1. Never rejects. `readConfig` runs before this
 * function first yields.
 */
export async function runProgram<C>(
  name: string,
  readConfig: () => C,
  main: (config: C, log: Log, signal: AbortSignal) => Promise<void>,
  { logTo = "stdout", lifecycle = nodeLifecycle }: ProgramOptions = {},
): Promise<void> {
  let hasEnded = false;
  // Where `exit` returns, whatever comes after it must not change the code.
  const end = (code: number): void => {
    if (hasEnded) return;
    hasEnded = true;
    lifecycle.exit(code);
  };
  const explain = (error: Error): void => {
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
    if (isFault(error, "bad-config")) return explain(error);
    process.stderr.write(`${name}: ${reasonOf(error)}\n`);
    return end(exitCodes.failed);
  }
  const log = await createLog(name, "info", logTo);
  const fail = (error: unknown): void => {
    const isPlain = plainFaults.some((code) => isFault(error, code));
    log.fatal(isPlain ? {} : { err: error }, isPlain && error instanceof Error ? error.message : reasonOf(error));
    end(exitCodes.failed);
  };
  // Node would print a stack and end; Electron would show a box over the content and run on.
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  const stop = stopOnRequest(lifecycle, log, end);
  try {
    await main(config, log, stop);
    end(exitCodes.stopped);
  } catch (error) {
    if (stop.aborted && isAbort(error)) end(exitCodes.stopped);
    else if (isFault(error, "bad-config")) explain(error);
    else fail(error);
  }
}

/** A signal that aborts with the first request to stop. A second request, or a stop that takes too long, ends the process with 1. */
function stopOnRequest(lifecycle: Lifecycle, log: Log, end: (code: number) => void): AbortSignal {
  const stop = new AbortController();
  let stoppingSince = Infinity;
  lifecycle.onStop((by) => {
    if (stop.signal.aborted) {
      if (performance.now() - stoppingSince < secondSignalMs) return;
      log.warn({ signal: by }, "ended at once, by a second request to stop");
      return end(exitCodes.failed);
    }
    stoppingSince = performance.now();
    log.info({ signal: by }, "stopping");
    stop.abort();
    setTimeout(() => {
      log.error("stopping took too long");
      end(exitCodes.failed);
    }, stopLimitMs).unref();
  });
  return stop.signal;
}

/**
 * Stops by SIGINT, SIGTERM or SIGHUP; when a parent that holds a channel to this process ends, however it died; and by the one message
 * that an Electron program sends to a service it forked.
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
