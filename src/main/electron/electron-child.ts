// Runs the Electron player as a child: starts it again when it hangs or crashes, and ends with it.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Backoff, type BackoffBounds } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault, isAbort, reasonOf } from "../../base/fault.ts";
import { lockFolder } from "../../base/files/folder-lock.ts";
import type { Log } from "../../base/log.ts";
import { KeepAlive, keepAliveIntervalMs } from "./keep-alive.ts";
import { rootFolder } from "../folders.ts";
import { playerFlags, type PlayerConfig } from "../player-config.ts";

/** The patience with Electron, in ms, and how often it is started again. */
export interface ElectronLimits {
  /** From its start to its first sign of life. */
  firstKeepAliveMs: number;
  /** From one sign of life to the next. */
  silentMs: number;
  /** The last part of either, waited for anew: time for messages to arrive that lay there while this process stood still. */
  graceMs: number;
  /** From SIGTERM to SIGKILL. */
  stopMs: number;
  /** At most `times` within `withinMs`. */
  restarts: { times: number; withinMs: number; backoff: BackoffBounds };
}

/** What it takes to run Electron. */
export interface ElectronRunOptions {
  /** Electron's binary. */
  executable: string;
  config: PlayerConfig;
  /** Chromium's own switches, such as `--ozone-platform=wayland`. */
  switches: readonly string[];
  clock: Clock;
  log: Log;
  limits?: ElectronLimits;
  /** The folder with package.json and `dist/main`; by default this project's. */
  appFolder?: string;
}

const usualLimits: ElectronLimits = {
  firstKeepAliveMs: 60_000,
  silentMs: 20_000,
  graceMs: keepAliveIntervalMs + 1_000,
  // Less than the ten seconds after which `runProgram` ends this process: nobody would be left to end Electron.
  stopMs: 9_000,
  restarts: { times: 5, withinMs: 300_000, backoff: { firstMs: 1_000, longestMs: 30_000 } },
};
// Of `runProgram`.
const badFlagsCode = 2;

/** How a run of Electron ended. */
type End = { is: "exited"; code: number } | { is: "killed"; by: string } | { is: "hung"; silentMs: number };

/**
 * Runs Electron until it exits with 0 or `signal` aborts; it is gone when this resolves. Starts it again, with a
 * backoff, when it hangs, crashes or exits with another code.
 * @throws Fault `browser-missing` when the player is not built; `data-in-use`; `bad-config` when Electron refused its
 * flags; `browser-failed` when it cannot be started or ended too often.
 */
export async function runElectron(parts: ElectronRunOptions, signal: AbortSignal): Promise<void> {
  const { config, clock, log, limits = usualLimits, appFolder = rootFolder } = parts;
  const bundle = join(appFolder, "dist/main/electron.js");
  if (!existsSync(bundle)) throw new Fault("browser-missing", "the Electron player is not built yet. Run: npm run build");
  // Found out here, where it can be told: an Electron that finds its folder in use would be started again and again.
  lockFolder(config.data)[Symbol.dispose]();
  const backoff = new Backoff(limits.restarts.backoff);
  const { times, withinMs } = limits.restarts;
  let restarts: number[] = [];
  while (!signal.aborted) {
    const end = await runOnce(parts, limits, appFolder, signal);
    if (signal.aborted || (end.is === "exited" && end.code === 0)) return;
    if (end.is === "exited" && end.code === badFlagsCode) {
      throw new Fault("bad-config", "Electron refused its flags; its own line above says why");
    }
    restarts = restarts.filter((at) => clock.monotonic() - at < withinMs);
    if (restarts.length === 0) backoff.reset();
    if (restarts.length >= times) {
      const often = `${times + 1} times within ${Math.round(withinMs / 60_000)} minutes`;
      throw new Fault("browser-failed", `Electron failed ${often}, the last time it ${inWords(end)}. Try --engine chromium`);
    }
    restarts.push(clock.monotonic());
    const waitMs = Math.round(backoff.next());
    log.error({ reason: `it ${inWords(end)}`, wait_ms: waitMs }, "Electron is started again");
    await clock.wait(waitMs, signal).catch(unlessAborted);
  }
}

function inWords(end: End): string {
  switch (end.is) {
    case "exited":
      return `exited with ${end.code}`;
    case "killed":
      return `was ended by ${end.by}`;
    case "hung":
      return `gave no sign of life for ${end.silentMs} ms`;
  }
}

async function runOnce(parts: ElectronRunOptions, limits: ElectronLimits, appFolder: string, signal: AbortSignal): Promise<End> {
  const { executable, config, switches, clock, log } = parts;
  // Set in terminals of Electron programs such as VS Code: it would make a bare Node of Electron.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const argv = [appFolder, ...playerFlags(config), ...switches];
  // The channel carries the signs of life, and by its end Electron learns that we are gone however we died.
  const child = spawn(executable, argv, { env, stdio: ["inherit", "inherit", "inherit", "ipc"] });
  const exit = (once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>).catch((cause: unknown) => {
    throw new Fault("browser-failed", `Electron could not be started: ${reasonOf(cause)}`, { cause });
  });
  const gone = new AbortController();
  try {
    const silentMs = await Promise.race([exit.then(() => null), silence(child, clock, limits, AbortSignal.any([signal, gone.signal]))]);
    if (signal.aborted) {
      child.kill("SIGTERM");
      const isLate = await Promise.race([exit.then(() => false), clock.wait(limits.stopMs, gone.signal).then(() => true)]);
      if (isLate) log.warn({ limit_ms: limits.stopMs }, "Electron did not stop and is killed");
    }
    // Does nothing to a process that has exited.
    if (signal.aborted || silentMs !== null) child.kill("SIGKILL");
    const [code, by] = await exit;
    if (silentMs !== null) return { is: "hung", silentMs };
    return code === null ? { is: "killed", by: String(by) } : { is: "exited", code };
  } finally {
    gone.abort();
  }
}

/** Resolves to the limit once `child` has given no sign of life for that long, in ms; to null when `signal` aborts. */
async function silence(child: ChildProcess, clock: Clock, limits: ElectronLimits, signal: AbortSignal): Promise<number | null> {
  let heardAt = clock.monotonic();
  let limitMs = limits.firstKeepAliveMs;
  child.on("message", (message) => {
    if (!KeepAlive.safeParse(message).success) return;
    heardAt = clock.monotonic();
    limitMs = limits.silentMs;
  });
  try {
    for (;;) {
      const lastHeardAt = heardAt;
      const leftMs = heardAt + limitMs - limits.graceMs - clock.monotonic();
      // No longer than the second limit: the first sign of life puts it in the place of the first one.
      await clock.wait(leftMs > 0 ? Math.min(leftMs, limits.silentMs) : limits.graceMs, signal);
      if (leftMs <= 0 && heardAt === lastHeardAt) return limitMs;
    }
  } catch (error) {
    unlessAborted(error);
    return null;
  }
}

function unlessAborted(error: unknown): void {
  if (!isAbort(error)) throw error;
}
