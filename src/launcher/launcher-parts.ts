// The parts that all commands of the launcher share: its version, the player's health, the last start of the unit.
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { z } from "zod";
import { Timestamp } from "../protocol/common.ts";
import { Health, ReleaseVersion } from "../protocol/device/updates.ts";
import { hasErrorCode, isFault, reasonOf } from "../base/fault.ts";
import { recordText } from "../base/files/record.ts";
import { isSystemError } from "../base/files/system-error.ts";
import type { Device } from "./device.ts";
import type { LauncherFolders } from "./launcher-folders.ts";
import type { SyncTree } from "./slots.ts";
import { UnitStart, StateStore } from "./state.ts";
import { readSafely } from "../base/files/untrusted-file.ts";

/** `launcher.json` beside the launcher. */
const LauncherInfo = z.object({ launcher_version: ReleaseVersion, built_at: Timestamp });

export interface Launcher {
  readonly folders: LauncherFolders;
  readonly device: Device;
  readonly store: StateStore;
  readonly version: string;
  /** When it was built, ms since the epoch: the machine's time is later. */
  readonly builtAt: number;
  readonly syncTree: SyncTree;
  readonly log: (message: string, fields?: Record<string, unknown>) => void;
}

/** Root's commands open it. @throws ZodError for a damaged launcher.json, the system's error where it is missing. */
export async function openLauncher(folders: LauncherFolders, device: Device, log: Launcher["log"]): Promise<Launcher> {
  // The player's user starts programs in there; the state's file itself is only root's.
  for (const folder of [folders.data, dirname(folders.slot("a"))]) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o755 });
      await chmod(folder, 0o755);
    } catch (error) {
      // The player is started nevertheless, with the files that are there.
      if (!isSystemError(error)) throw error;
      log("a folder of the launcher cannot be prepared", { folder, reason: reasonOf(error) });
    }
  }
  const info = LauncherInfo.parse(JSON.parse(await readFile(folders.launcherInfo, "utf8")));
  const store = new StateStore(folders, device.clock, log);
  const syncTree: SyncTree = async (folder) => void (await device.run("sync", ["--file-system", folder], { limitMs: 600_000 }));
  return { folders, device, store, version: info.launcher_version, builtAt: Date.parse(info.built_at), syncTree, log };
}

// health.json and request.json have a few hundred bytes.
const longestMessageBytes = 64 * 1024;

/** A message from the player; null while it is missing, damaged or not readable, which for a launcher is the same silence. */
export async function readMessage<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  const bytes = await readSafely(path, longestMessageBytes).catch((error: unknown) => {
    if (isFault(error) || isSystemError(error)) return null;
    throw error;
  });
  return bytes === null ? null : parseMessage(bytes.toString("utf8"), schema);
}

export function readHealth(folders: LauncherFolders): Promise<Health | null> {
  return readMessage(folders.health, Health);
}

/** The last start of the player's unit since the machine booted; null before the first one. */
export async function readUnitStart(folders: LauncherFolders): Promise<UnitStart | null> {
  const text = await readFile(folders.unitStart, "utf8").catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  });
  return text === null ? null : parseMessage(text, UnitStart);
}

/** Writes a record in `/run` for its readers, as {@link publishText} does. @throws Fault `record-unreadable` if they could not read it. */
export async function publish<T>(path: string, schema: z.ZodType<T>, value: T): Promise<void> {
  await publishText(path, `${recordText(value, (json) => schema.parse(json), basename(path))}\n`);
}

/** Writes a world-readable file in `/run`, which a reader sees only whole. It does not survive a boot, so it is not synced. */
export async function publishText(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  // The units have a umask, which would take the right to read it from the player.
  await chmod(`${path}.new`, 0o644);
  await rename(`${path}.new`, path);
}

function parseMessage<T>(text: string, schema: z.ZodType<T>): T | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null; // half written or damaged: the writer replaces it within seconds, and a message that stays away is a fault
  }
  const result = schema.safeParse(json);
  return result.success ? result.data : null;
}
