// The sensors of a Linux machine beyond load and temperature: network, throttling, storage.
import { join } from "node:path";
import { z } from "zod";
import { isFault } from "../../../base/fault.ts";
import { DurableFile } from "../../../base/files/durable-file.ts";
import { isReadFailure, isSystemError } from "../../../base/files/system-error.ts";
import type { MachineSensors } from "../../../player/machine-controls.ts";
import { readNetwork } from "./network-sensor.ts";
import { StorageSensor } from "./storage-sensor.ts";
import { type ThrottlingMemory, ThrottlingSensor } from "./throttling-sensor.ts";

const Remembered = z.object({
  run: z.string(),
  seen: z.array(z.enum(["under-voltage", "frequency-capped", "throttled", "soft-temperature-limit"])),
});
const memoryName = "throttling.json";

export interface LinuxSensorsOptions {
  env: NodeJS.ProcessEnv;
  /** The folder that has `proc` and `sys`. */
  root: string;
  /** The present run of the machine; null: unknown. */
  run: string | null;
  /** Where it is kept which conditions occurred in this run of the machine; null: nowhere. */
  stateFolder: string | null;
}

export function createLinuxSensors({ env, root, run, stateFolder }: LinuxSensorsOptions): MachineSensors {
  // Each tool has its own limit of time, after which a reading is null.
  const { signal } = new AbortController();
  const throttling = new ThrottlingSensor({ root, env, run, memory: memoryIn(stateFolder) });
  const storage = new StorageSensor({ root, env, now: () => performance.now() });
  return {
    network: () => readNetwork({ root, env, signal }),
    throttling: () => throttling.read(signal),
    storage: (folder) => storage.read(folder, signal),
  };
}

function memoryIn(folder: string | null): ThrottlingMemory {
  if (folder === null) return { read: async () => null, write: async () => undefined };
  const file = new DurableFile(join(folder, memoryName), (json) => Remembered.parse(json));
  return {
    async read() {
      try {
        const read = await file.read();
        return read.is === "found" ? read.value : null;
      } catch (error) {
        if (!isFault(error, "file-corrupt") && !isReadFailure(error)) throw error;
        return null; // The conditions that last are told again.
      }
    },
    async write(memory) {
      try {
        await file.write(memory);
      } catch (error) {
        if (!isSystemError(error)) throw error; // A full disk is reported elsewhere. Until the player ends, they are remembered.
      }
    },
  };
}
