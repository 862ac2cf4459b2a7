// The machine as the launcher uses it: time since boot, the run of the machine, and the programs of the system.
import { readFile } from "node:fs/promises";
import { uptime } from "node:os";
import { createSystemClock, type Clock } from "../base/clock.ts";
import { reasonOfRun, runTool } from "../base/processes/run-tool.ts";
import type { Architecture } from "../protocol/device/updates.ts";

export interface Device {
  readonly clock: Clock;
  readonly architecture: Architecture;
  /** Time since boot, ms, also while the machine was suspended (CLOCK_BOOTTIME, as in health.json). */
  uptime(): number;
  bootId(): Promise<string>;
  /**
   * Runs a program of the system and returns its standard output. @throws Error when it takes longer than `limitMs`; with `code`, its exit
   * code, and `stdout` when it fails; with the code ENOENT when it is missing.
   */
  run(program: string, args: readonly string[], options?: { cwd?: string; limitMs?: number }): Promise<string>;
}

const commandLimitMs = 60_000;
// Its limit ends a program.
const endless = new AbortController().signal;

/** @param bootIdFile `/proc/sys/kernel/random/boot_id`. */
export function thisDevice(bootIdFile: string): Device {
  return {
    clock: createSystemClock(),
    architecture: process.arch === "arm64" ? "arm64" : "amd64",
    uptime: () => Math.round(uptime() * 1_000),
    bootId: async () => (await readFile(bootIdFile, "utf8")).trim(),
    run: async (program, args, { cwd, limitMs = commandLimitMs } = {}) => {
      const run = await runTool(program, args, { env: process.env, signal: endless, limitMs, ...(cwd !== undefined && { cwd }) });
      if (run.is === "ended" && run.code === 0) return run.stdout;
      const facts = run.is === "missing" ? { code: "ENOENT" } : run.is === "ended" ? { code: run.code, stdout: run.stdout } : {};
      throw Object.assign(new Error(reasonOfRun(program, run)), facts);
    },
  };
}
