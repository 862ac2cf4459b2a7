// The health of the disk that holds a folder: errors of ext4, wear of eMMC and NVMe, and SMART where this user may ask for it.
import { readFile, realpath, statfs } from "node:fs/promises";
import { join } from "node:path";
import { hourMs } from "../../../base/time.ts";
import type { StorageHealth } from "../../../player/machine-controls.ts";
import { runTool } from "../../../base/processes/run-tool.ts";
import { blockDeviceOf, mountOf } from "./mounts.ts";

// A disk's own judgement changes over weeks, and asking may wake it.
const smartIntervalMs = hourMs;
const percentPerClass = 10;

type Smart = Pick<StorageHealth, "smart"> & { wearPercent: number | null };
const noSmart: Smart = { smart: null, wearPercent: null };

export interface StorageSensorOptions {
  /** The folder that has `proc` and `sys`. */
  root: string;
  env: NodeJS.ProcessEnv;
  /** Monotonic, ms. */
  now: () => number;
}

export class StorageSensor {
  readonly #options: StorageSensorOptions;
  readonly #smart = new Map<string, { at: number; smart: Smart }>();

  constructor(options: StorageSensorOptions) {
    this.#options = options;
  }

  /** Null if the folder is not on a disk. */
  async read(folder: string, signal: AbortSignal): Promise<StorageHealth | null> {
    const { root } = this.#options;
    const mount = await mountOf(root, await realpath(folder).catch(() => folder));
    const device = mount === null ? null : await blockDeviceOf(root, mount);
    if (mount === null || device === null) return null;
    const { wearPercent, smart } = await this.#readSmart(device.disk, signal);
    return {
      device: device.disk,
      total_bytes: await totalBytes(folder),
      file_system_errors: mount.type === "ext4" ? await numberAt(join(root, "sys/fs/ext4", device.part, "errors_count")) : null,
      wear_percent: (await emmcWear(root, device.disk)) ?? wearPercent,
      smart,
      read_only: mount.isReadOnly,
    };
  }

  async #readSmart(disk: string, signal: AbortSignal): Promise<Smart> {
    const entry = this.#smart.get(disk);
    if (entry !== undefined && this.#options.now() - entry.at < smartIntervalMs) return entry.smart;
    const smart = await askSmart(disk, this.#options.env, signal);
    this.#smart.set(disk, { at: this.#options.now(), smart });
    return smart;
  }
}

/** eMMC tells its wear in two classes of a tenth of its lifetime, for its two kinds of memory: the upper limit of the worse one. */
async function emmcWear(root: string, disk: string): Promise<number | null> {
  const text = await readFile(join(root, "sys/block", disk, "device/life_time"), "utf8").catch(() => "");
  const classes = text
    .trim()
    .split(/\s+/)
    .map(Number)
    .filter((each) => each > 0);
  return classes.length === 0 ? null : Math.max(...classes) * percentPerClass;
}

/** Mostly only root may ask: then it is unknown. smartctl's exit code tells about the disk, not whether its answer is valid. */
async function askSmart(disk: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Smart> {
  // An SD card or eMMC has no SMART.
  if (disk.startsWith("mmcblk")) return noSmart;
  const run = await runTool("smartctl", ["-H", "-A", "-j", `/dev/${disk}`], { env, signal });
  if (run.is !== "ended") return noSmart;
  const report = jsonObject(run.stdout);
  const verdict = member(report["smart_status"])["passed"];
  const wear = member(report["nvme_smart_health_information_log"])["percentage_used"];
  return {
    smart: typeof verdict === "boolean" ? (verdict ? "passed" : "failed") : null,
    wearPercent: typeof wear === "number" ? wear : null,
  };
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    return member(JSON.parse(text));
  } catch {
    return {}; // an old smartctl does not know -j, and prints its usage
  }
}

function member(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

async function totalBytes(folder: string): Promise<number | null> {
  const disk = await statfs(folder).catch(() => null);
  return disk === null ? null : disk.blocks * disk.bsize;
}

async function numberAt(file: string): Promise<number | null> {
  const text = (await readFile(file, "utf8").catch(() => "")).trim();
  return /^[0-9]+$/.test(text) ? Number(text) : null;
}
