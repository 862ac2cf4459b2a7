// Supervises the Electron player in a child process: restarts it when it hangs or crashes, and ends when it ends.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Backoff, type BackoffBounds } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault, ignoreAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { minuteMs } from "../../base/time.ts";
import { runtimeFolders, shortHash } from "../../host/chromium/account.ts";
import { createMemoryFolder, removeMemoryFolder } from "../../host/linux/memory-folder.ts";
import { KeepAlive, keepAliveIntervalMs } from "./keep-alive.ts";
import { rootFolder } from "../folders.ts";
import { formatPlayerFlags, type PlayerFlags } from "../player/player-flags.ts";
import { lockPlayerFolder } from "../player/player-folder.ts";

/** Time limits for Electron in ms, and the limit of restarts. */
export interface ElectronLimits {
  /** From its start to its first keep-alive message. */
  firstKeepAliveMs: number;
  /** From one keep-alive message to the next. */
  silentMs: number;
  /** The end of either limit, waited for separately: messages may be pending if this process itself was suspended. */
  graceMs: number;
  /** From SIGTERM to SIGKILL. */
  stopMs: number;
  /** At most `times` within `withinMs`. */
  restarts: { times: number; withinMs: number; backoff: BackoffBounds };
}

export interface ElectronRunOptions {
  /** Electron's binary. */
  executable: string;
  flags: PlayerFlags;
  /** Chromium's own switches, such as `--ozone-platform=wayland`. */
  switches: readonly string[];
  clock: Clock;
  log: Log;
  limits?: ElectronLimits;
  /** The folder with package.json and `dist/main`; this project's by default. */
  appFolder?: string;
}

const defaultLimits: ElectronLimits = {
  firstKeepAliveMs: minuteMs,
  silentMs: 20_000,
  graceMs: keepAliveIntervalMs + 1_000,
  // Less than the ten seconds after which `runProgram` ends this process, which has to end Electron first.
  stopMs: 9_000,
  restarts: { times: 5, withinMs: 5 * minuteMs, backoff: { firstMs: 1_000, longestMs: 30_000 } },
};
// The exit code of `runProgram` for bad flags.
const badFlagsCode = 2;

/** How a run of Electron ended. */
type RunEnd = { is: "exited"; code: number } | { is: "killed"; by: string } | { is: "hung"; silentMs: number };

/**
 * Runs Electron until it exits with 0 or `signal` aborts; Electron has exited when this resolves. Restarts it with a backoff
 * when it hangs, crashes or exits with another code.
 * @throws Fault `browser-missing` when the player is not built; `data-in-use`; `bad-config` when Electron rejected its
 * flags; `browser-failed` when it cannot be started or failed too often.
 */
export async function runElectron(options: ElectronRunOptions, signal: AbortSignal): Promise<void> {
  const { flags, log, limits = defaultLimits, appFolder = rootFolder } = options;
  const bundle = join(appFolder, "dist/main/electron.js");
  if (!existsSync(bundle)) throw new Fault("browser-missing", "the Electron player is not built yet. Run: npm run build");
  // Checked here: an Electron that found its folder in use would be restarted again and again.
  lockPlayerFolder(flags.folder, log)[Symbol.dispose]();
  // Renderers move pictures that they do not show at the moment to temporary files.
  const memory = await createMemoryFolder(runtimeFolders(process.env, null), `signage-electron-${shortHash(flags.folder)}`, null);
  try {
    await keepRunning({ ...options, limits, appFolder }, memory === null ? {} : { TMPDIR: memory.path }, signal);
  } finally {
    if (memory !== null) await removeMemoryFolder(memory.path);
  }
}

async function keepRunning(options: Required<ElectronRunOptions>, env: Record<string, string>, signal: AbortSignal): Promise<void> {
  const { clock, log, limits } = options;
  const backoff = new Backoff(limits.restarts.backoff);
  const { times, withinMs } = limits.restarts;
  let restarts: number[] = [];
  while (!signal.aborted) {
    const end = await runOnce(options, env, signal);
    if (signal.aborted || (end.is === "exited" && end.code === 0)) return;
    if (end.is === "exited" && end.code === badFlagsCode) {
      throw new Fault("bad-config", "Electron rejected its flags; its own message above says why");
    }
    restarts = restarts.filter((at) => clock.monotonic() - at < withinMs);
    if (restarts.length === 0) backoff.reset();
    if (restarts.length >= times) {
      const frequency = `${times + 1} times within ${Math.round(withinMs / minuteMs)} minutes`;
      throw new Fault("browser-failed", `Electron failed ${frequency}; the last time it ${describeEnd(end)}. Try --engine chromium`);
    }
    restarts.push(clock.monotonic());
    const waitMs = Math.round(backoff.next());
    log.error({ reason: `it ${describeEnd(end)}`, wait_ms: waitMs }, "restarting Electron");
    await clock.wait(waitMs, signal).catch(ignoreAbort);
  }
}

function describeEnd(end: RunEnd): string {
  switch (end.is) {
    case "exited":
      return `exited with ${end.code}`;
    case "killed":
      return `was ended by ${end.by}`;
    case "hung":
      return `sent no keep-alive for ${end.silentMs} ms`;
  }
}

async function runOnce(options: Required<ElectronRunOptions>, more: Record<string, string>, signal: AbortSignal): Promise<RunEnd> {
  const { executable, flags, switches, clock, log, limits, appFolder } = options;
  // Terminals of Electron programs such as VS Code set this variable, which would make Electron behave as plain Node.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const argv = [appFolder, ...formatPlayerFlags(flags), ...switches];
  // The channel carries keep-alive messages. When it closes, Electron knows that this process has ended.
  const child = spawn(executable, argv, { env: { ...env, ...more }, stdio: ["inherit", "inherit", "inherit", "ipc"] });
  const exit = (once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>).catch((cause: unknown) => {
    throw new Fault("browser-failed", `Electron could not be started: ${reasonOf(cause)}`, { cause });
  });
  const gone = new AbortController();
  try {
    const silentMs = await Promise.race([
      exit.then(() => null),
      waitForSilence(child, clock, limits, AbortSignal.any([signal, gone.signal])),
    ]);
    if (signal.aborted) {
      child.kill("SIGTERM");
      const isLate = await Promise.race([exit.then(() => false), clock.wait(limits.stopMs, gone.signal).then(() => true)]);
      if (isLate) log.warn({ limit_ms: limits.stopMs }, "Electron did not stop in time and is killed");
    }
    // Has no effect on a process that has exited.
    if (signal.aborted || silentMs !== null) child.kill("SIGKILL");
    const [code, by] = await exit;
    if (silentMs !== null) return { is: "hung", silentMs };
    return code === null ? { is: "killed", by: String(by) } : { is: "exited", code };
  } finally {
    gone.abort();
  }
}

/** Resolves to the limit in ms once `child` has been silent for that long, or to null when `signal` aborts. */
async function waitForSilence(child: ChildProcess, clock: Clock, limits: ElectronLimits, signal: AbortSignal): Promise<number | null> {
  let lastMessageAt = clock.monotonic();
  let limitMs = limits.firstKeepAliveMs;
  child.on("message", (message) => {
    if (!KeepAlive.safeParse(message).success) return;
    lastMessageAt = clock.monotonic();
    limitMs = limits.silentMs;
  });
  try {
    for (;;) {
      const previousMessageAt = lastMessageAt;
      const leftMs = lastMessageAt + limitMs - limits.graceMs - clock.monotonic();
      // At most `silentMs`, because the first message replaces the longer initial limit by that one.
      await clock.wait(leftMs > 0 ? Math.min(leftMs, limits.silentMs) : limits.graceMs, signal);
      if (leftMs <= 0 && lastMessageAt === previousMessageAt) return limitMs;
    }
  } catch (error) {
    ignoreAbort(error);
    return null;
  }
}
