// Applies a signage.toml from a boot partition or a USB stick, once per content, and removes its secrets.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../../../base/files/durable-file.ts";
import { isSystemError } from "../../../base/files/system-error.ts";
import { Fault, hasErrorCode, isFault, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import type { SetupFile } from "../../../protocol/device/setup-file.ts";
import { applySettings, checkSettings, type Applied } from "../apply.ts";
import { AppliedFiles, writeReport } from "./memory.ts";
import type { Places } from "../places.ts";
import { isSameServer, readPresent, type PresentSettings } from "../present.ts";
import { noRights, replaceFile } from "../replace-file.ts";
import { parseSetupToml } from "./toml.ts";
import { hasSecrets, withoutSecrets } from "./wipe-secrets.ts";

/** The file's name on every medium. */
export const setupFileName = "signage.toml";

const errorFileName = "signage-error.txt";
const maxBytes = 65_536;

/** Where a file comes from. Anybody may insert a stick, so it may do less to a paired player. */
export type FileOrigin = "boot" | "usb";

/**
 * Applies `folder`'s signage.toml if there is one and this content was not applied before.
 * @returns the changes; null when nothing had to be done.
 * @throws Fault `bad-config` when the file is wrong: nothing was changed then, and the error is beside the file and on the screen.
 */
export async function applyFolder(folder: string, origin: FileOrigin, places: Places, log: Log): Promise<Applied | null> {
  const path = join(folder, setupFileName);
  const memory = await AppliedFiles.open(places, log);
  const text = await reported(folder, places, log, () => readText(path));
  if (text === null) return null;
  const isKnown = memory.has(hashOf(text));
  const { settings, present } = await reported(folder, places, log, async () => {
    const parsed = parseSetupToml(text, setupFileName);
    const now = await readPresent(places);
    if (!isKnown) await checkSettings(parsed, now, places);
    if (!isKnown && origin === "usb") refuseTakeover(parsed, now);
    return { settings: parsed, present: now };
  });
  let applied: Applied | null = null;
  const wiped = hasSecrets(settings) ? withoutSecrets(text, settings) : text;
  if (isKnown) {
    log.info({ file: path }, "this signage.toml was applied before; change its text to apply it again");
  } else {
    applied = await applySettings(settings, present, places);
    // Before the secrets are removed: after a power cut in between they are removed at the next start, and nothing is applied twice.
    await memory.remember(hashOf(text), hashOf(wiped));
    log.info({ file: path, changes: applied.changes }, "settings stored");
  }
  if (wiped !== text) await wipe(path, wiped, log);
  await clearError(folder, places, log);
  return applied;
}

/** Runs `read`; writes its error beside the file and into the report for the screen. */
async function reported<T>(folder: string, places: Places, log: Log, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isFault(error, "bad-config") && !isSystemError(error)) throw error;
    const problem = isFault(error) ? error.message : `${setupFileName} cannot be read: ${reasonOf(error)}`;
    await writeReport(places, problem);
    await onMedium(log, "the error cannot be written beside the file", () =>
      replaceFile(join(folder, errorFileName), `${problem}\n`, noRights),
    );
    throw new Fault("bad-config", problem, { cause: error });
  }
}

/** @throws Fault `bad-config` if the file would give a paired player to somebody else. */
function refuseTakeover({ server, proxy, flags }: SetupFile, { paired }: PresentSettings): void {
  if (paired === null) return;
  const named = [
    ...(server === undefined || isSameServer(server, paired) ? [] : ["server"]),
    ...(proxy === undefined ? [] : ["proxy"]),
    ...(flags === undefined ? [] : ["flags"]),
  ];
  if (named.length === 0) return;
  throw new Fault(
    "bad-config",
    `${named.join(", ")}: this player is paired with ${paired}, so a USB stick cannot set this. Use “sudo signage-player setup” or ${setupFileName} on the boot partition`,
  );
}

async function readText(path: string): Promise<string | null> {
  let file;
  try {
    // A link on a stick must not lead to a file of this machine.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw new Fault("bad-config", `${setupFileName} has ${size} bytes: at most ${maxBytes} are read`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

async function wipe(path: string, text: string, log: Log): Promise<void> {
  const isDone = await onMedium(log, "the secrets stay in signage.toml: remove them yourself", () => replaceFile(path, text, noRights));
  if (isDone) log.info({ file: path }, "the secrets were removed from the file");
}

async function clearError(folder: string, places: Places, log: Log): Promise<void> {
  await writeReport(places, null);
  await onMedium(log, "the old error cannot be removed", async () => {
    await rm(join(folder, errorFileName), { force: true });
    await syncFolder(dirname(join(folder, errorFileName)));
  });
}

/** Writes to a medium that may be write-protected or full, which is no reason to fail. */
async function onMedium(log: Log, failure: string, write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    log.warn({ reason: reasonOf(error) }, failure);
    return false;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
