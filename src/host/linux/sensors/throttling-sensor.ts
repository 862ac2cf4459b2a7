// Reads if a Raspberry Pi slows its processor down, now and since the machine started.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Throttling } from "../../../player/machine-controls.ts";
import { runTool } from "../../../base/processes/run-tool.ts";

type Condition = Throttling["now"][number];

/** The conditions by bit. 16 places higher the firmware keeps that one occurred. */
const conditions: readonly Condition[] = ["under-voltage", "frequency-capped", "throttled", "soft-temperature-limit"];
const sinceStartShift = 16;
const firmwareFile = "sys/devices/platform/soc/soc:firmware/get_throttled";

/** Which conditions occurred in which run of the machine. */
export interface ThrottlingMemory {
  read(): Promise<{ run: string; seen: Condition[] } | null>;
  write(memory: { run: string; seen: Condition[] }): Promise<void>;
}

export interface ThrottlingSensorOptions {
  root: string;
  env: NodeJS.ProcessEnv;
  /** The present run of the machine; null: unknown. */
  run: string | null;
  memory: ThrottlingMemory;
}

export class ThrottlingSensor {
  readonly #options: ThrottlingSensorOptions;
  #history: Set<Condition> | null = null;
  /** True once nothing answered: only a Raspberry Pi has the tool, and other machines are not asked at each heartbeat. */
  #isAbsent = false;

  constructor(options: ThrottlingSensorOptions) {
    this.#options = options;
  }

  /** Null on a machine that does not tell. */
  async read(signal: AbortSignal): Promise<Throttling | null> {
    if (this.#isAbsent) return null;
    const { root, env } = this.#options;
    const flags = (await askFirmware(env, signal)) ?? (await readFirmwareFile(root)) ?? (await readVoltageAlarm(root));
    if (flags === null) {
      this.#isAbsent = true;
      return null;
    }
    return { now: conditionsOf(flags), since_start: await this.#latch(conditionsOf(flags | (flags >> sinceStartShift))) };
  }

  /**
   * Adds the current conditions to the earlier ones. The firmware's own memory is not enough: the kernel's driver for the voltage clears it
   * whenever it looks. Kept on the disk with the run of the machine, so that a restart of the player does not forget it.
   */
  async #latch(current: readonly Condition[]): Promise<Condition[]> {
    const { memory, run } = this.#options;
    if (this.#history === null) {
      const record = run === null ? null : await memory.read();
      this.#history = new Set(record !== null && record.run === run ? record.seen : []);
    }
    const additions = current.filter((each) => !this.#history!.has(each));
    for (const each of additions) this.#history.add(each);
    if (additions.length > 0 && run !== null) await memory.write({ run, seen: [...this.#history] });
    return conditions.filter((each) => this.#history!.has(each));
  }
}

/** By the tool of the Raspberry Pi: `throttled=0x50005`. */
async function askFirmware(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number | null> {
  const run = await runTool("vcgencmd", ["get_throttled"], { env, signal });
  return run.is === "ended" && run.code === 0 ? hexIn(/throttled=0x([0-9a-f]+)/i.exec(run.stdout)?.[1]) : null;
}

/** The same number as a file of Raspberry Pi's own kernels. */
async function readFirmwareFile(root: string): Promise<number | null> {
  return hexIn(/^(?:0x)?([0-9a-f]+)$/i.exec((await textOf(join(root, firmwareFile))).trim())?.[1]);
}

/** Other kernels only tell about the voltage. */
async function readVoltageAlarm(root: string): Promise<number | null> {
  const folder = join(root, "sys/class/hwmon");
  for (const name of await readdir(folder).catch(() => [])) {
    if ((await textOf(join(folder, name, "name"))).trim() !== "rpi_volt") continue;
    const alarm = (await textOf(join(folder, name, "in0_lcrit_alarm"))).trim();
    if (alarm !== "") return alarm === "0" ? 0 : 1;
  }
  return null;
}

function conditionsOf(bits: number): Condition[] {
  return conditions.filter((_, bit) => (bits & (1 << bit)) !== 0);
}

function hexIn(text: string | undefined): number | null {
  return text === undefined ? null : Number.parseInt(text, 16);
}

function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
