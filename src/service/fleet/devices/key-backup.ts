// Backs up and restores the signing key as one small file. Paired players accept commands only from a service with their key.
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { syncFolder } from "../../../base/files/durable-file.ts";
import { Fault, hasErrorCode, isFault } from "../../../base/fault.ts";
import { lockFolder } from "../../../base/files/folder-lock.ts";
import { signJws, thumbprint, verifyJws } from "../../../base/jws.ts";
import { serviceKeyFile } from "./signer.ts";

const Key = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const KeyBackup = z.strictObject({ format: z.literal("signage-player-service-key-1"), public_key: Key, private_key: Key });

/** The result of restoring a key: it was there already, is the first, or replaced another. The name is its RFC 7638 thumbprint. */
export interface RestoredKey {
  is: "same" | "first" | "replaced";
  name: string;
}

/**
 * Writes the signing key of the data folder `data` to the new file `to`, mode 0600. Works while the service runs.
 * @returns the key's name, its RFC 7638 thumbprint.
 * @throws Fault `refused` when there is no key or `to` exists; `file-corrupt` when the key is damaged.
 */
export async function backUpKey(data: string, to: string): Promise<string> {
  const read = await serviceKeyFile(data).read();
  if (read.is === "absent") throw new Fault("refused", `${data} contains no signing key: give the service's data folder with --data`);
  const { publicKey, privateKey } = read.value;
  const backup: z.infer<typeof KeyBackup> = { format: "signage-player-service-key-1", public_key: publicKey, private_key: privateKey };
  await mkdir(dirname(to), { recursive: true });
  const file = await open(to, "wx", 0o600).catch((error: unknown) => {
    throw hasErrorCode(error, "EEXIST") ? new Fault("refused", `${to} exists already: give another path, or move the file`) : error;
  });
  try {
    await file.writeFile(`${JSON.stringify(backup)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(to));
  return thumbprint(publicKey);
}

/**
 * Restores the key in the file `from` as the signing key of the data folder `data`. `replace` allows to replace another key.
 * @throws Fault `refused` when there is another key and `replace` is false; `file-corrupt` when `from` contains no complete key;
 * `data-in-use` while the service runs.
 */
export async function restoreKey(from: string, data: string, replace: boolean): Promise<RestoredKey> {
  const keys = await readBackup(from);
  const name = thumbprint(keys.publicKey);
  using _lock = lockFolder(data);
  const file = serviceKeyFile(data);
  const current = await file.read().catch((error: unknown) => {
    // A damaged key need not be protected from replacement. One that the disk fails to read may be whole.
    if (replace && isFault(error, "file-corrupt")) return { is: "damaged" as const };
    throw error;
  });
  if (current.is === "found" && current.value.publicKey === keys.publicKey && !current.isRecovered) return { is: "same", name };
  if (current.is === "found" && current.value.publicKey !== keys.publicKey && !replace) {
    throw new Fault(
      "refused",
      `${data} has another key (${thumbprint(current.value.publicKey)}): screens paired with it would keep playing, but reject commands of this service until each is claimed again. To replace the key anyway, back it up first (backup-key), then give --replace`,
    );
  }
  await file.write(keys);
  // Otherwise, if the new file were damaged, the other key would be recovered.
  await rm(join(data, "service-key.json.previous"), { force: true });
  await syncFolder(data);
  return { is: current.is === "absent" ? "first" : "replaced", name };
}

async function readBackup(from: string): Promise<{ publicKey: string; privateKey: string }> {
  const text = await readFile(from, "utf8").catch((error: unknown) => {
    throw hasErrorCode(error, "ENOENT") ? new Fault("refused", `there is no file at ${from}`) : error;
  });
  const damaged = (cause: unknown) =>
    new Fault("file-corrupt", `${from} contains no signing key, or is damaged: use another copy`, { cause });
  try {
    const { public_key: publicKey, private_key: privateKey } = KeyBackup.parse(JSON.parse(text));
    const keys = { publicKey, privateKey };
    await verifyJws("signage-key-check+jws", await signJws("signage-key-check+jws", {}, keys), publicKey);
    return keys;
  } catch (error) {
    throw damaged(error);
  }
}
