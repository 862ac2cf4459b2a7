// The service's signing key as one small file: it alone decides whether paired players believe a service.
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { syncFolder } from "../../../base/files/durable-file.ts";
import { Fault } from "../../../base/fault.ts";
import { lockFolder } from "../../../base/files/folder-lock.ts";
import { signJws, thumbprint, verifyJws } from "../../../base/jws.ts";
import { hasErrorCode } from "../../store/backup/target.ts";
import { serviceKeyFile } from "./signer.ts";

const Key = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const KeyBackup = z.strictObject({ format: z.literal("signage-player-service-key-1"), public_key: Key, private_key: Key });

/** What a restored key has done: nothing, made the first, or taken the place of another. The name is its RFC 7638 thumbprint. */
export interface RestoredKey {
  is: "same" | "first" | "replaced";
  name: string;
}

/**
 * Writes the signing key in `data` to the new file `to`, mode 0600; a service may be running. @returns the key's name, its
 * RFC 7638 thumbprint.
 * @throws Fault `refused` when there is no key, or something at `to` already; `file-corrupt` when the key is damaged.
 */
export async function backUpKey(data: string, to: string): Promise<string> {
  const read = await serviceKeyFile(data).read();
  if (read.is === "absent") throw new Fault("refused", `${data} holds no service's key: give its folder with --data`);
  const { publicKey, privateKey } = read.value;
  const kept: z.infer<typeof KeyBackup> = { format: "signage-player-service-key-1", public_key: publicKey, private_key: privateKey };
  await mkdir(dirname(to), { recursive: true });
  const file = await open(to, "wx", 0o600).catch((error: unknown) => {
    throw hasErrorCode(error, "EEXIST") ? new Fault("refused", `${to} is there already: give another place, or move it away`) : error;
  });
  try {
    await file.writeFile(`${JSON.stringify(kept)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(to));
  return thumbprint(publicKey);
}

/**
 * Makes the key in the file `from` the one that the service in `data` signs with. `replace` allows it where there is another.
 * @throws Fault `refused` when there is another and `replace` is not given; `file-corrupt` when `from` holds no whole key;
 * `data-in-use` while a service runs.
 */
export async function restoreKey(from: string, data: string, replace: boolean): Promise<RestoredKey> {
  const keys = await readBackup(from);
  const name = thumbprint(keys.publicKey);
  using _lock = lockFolder(data);
  const file = serviceKeyFile(data);
  const now = await file.read().catch((error: unknown) => {
    // A key that cannot be read is no reason against the one that can.
    if (replace) return { is: "damaged" as const };
    throw error;
  });
  if (now.is === "found" && now.value.publicKey === keys.publicKey && !now.recovered) return { is: "same", name };
  if (now.is === "found" && now.value.publicKey !== keys.publicKey && !replace) {
    throw new Fault(
      "refused",
      `${data} has another key (${thumbprint(now.value.publicKey)}): players that were paired with it would play on, but no longer obey this service until each is claimed again. Save that key first (backup-key); then give --replace if this is what you want`,
    );
  }
  await file.write(keys);
  // Else a damaged file would bring the other key back.
  await rm(join(data, "service-key.json.previous"), { force: true });
  await syncFolder(data);
  return { is: now.is === "absent" ? "first" : "replaced", name };
}

async function readBackup(from: string): Promise<{ publicKey: string; privateKey: string }> {
  const text = await readFile(from, "utf8").catch((error: unknown) => {
    throw hasErrorCode(error, "ENOENT") ? new Fault("refused", `there is no file at ${from}`) : error;
  });
  const damaged = (cause: unknown) =>
    new Fault("file-corrupt", `${from} holds no service's key, or is damaged: take another copy`, { cause });
  try {
    const { public_key: publicKey, private_key: privateKey } = KeyBackup.parse(JSON.parse(text));
    const keys = { publicKey, privateKey };
    verifyJws("signage-key-check+jws", signJws("signage-key-check+jws", {}, keys), publicKey);
    return keys;
  } catch (error) {
    throw damaged(error);
  }
}
