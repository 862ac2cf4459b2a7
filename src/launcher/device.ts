// The machine as the launcher uses it: time since boot, the run of the machine, and the programs of the system.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { uptime } from "node:os";
import { promisify } from "node:util";
import { createSystemClock, type Clock } from "../base/clock.ts";
import type { Architecture } from "../protocol/device/updates.ts";

const run = promisify(execFile);

export interface Device {
  readonly clock: Clock;
  readonly architecture: Architecture;
  /** Time since boot, ms, also while the machine was suspended (CLOCK_BOOTTIME, as in health.json). */
  uptime(): number;
  bootId(): Promise<string>;
  /** Runs a program of the system and returns its standard output. @throws when it fails or takes longer than `limitMs`. */
  run(program: string, args: readonly string[], options?: { cwd?: string; limitMs?: number }): Promise<string>;
}

const commandLimitMs = 60_000;

/** @param bootIdFile `/proc/sys/kernel/random/boot_id`. */
export function thisDevice(bootIdFile: string): Device {
  return {
    clock: createSystemClock(),
    architecture: process.arch === "arm64" ? "arm64" : "amd64",
    uptime: () => Math.round(uptime() * 1_000),
    bootId: async () => (await readFile(bootIdFile, "utf8")).trim(),
    run: async (program, args, { cwd, limitMs = commandLimitMs } = {}) => {
      const options = { timeout: limitMs, maxBuffer: 16 * 2 ** 20, ...(cwd !== undefined && { cwd }) };
      return (await run(program, [...args], options)).stdout;
    },
  };
}
