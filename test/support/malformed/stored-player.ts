// The data folder of a player that is paired and has its content, without a service that it ever talked to.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { type KeyPair, thumbprint } from "../../../src/base/jws.ts";
import { silentLog } from "../../../src/base/log.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";

/** Stores an identity that is paired with the service of `keys`, a state and its files by hash. @returns the thumbprint of the device's key. */
export async function storePlayer(
  folder: string,
  keys: KeyPair,
  desired: DesiredState,
  files: ReadonlyMap<string, Buffer>,
): Promise<string> {
  await mkdir(join(folder, "content"), { recursive: true });
  const identity = await Identity.open(folder, silentLog);
  await identity.pair({ server: "http://127.0.0.1:9", playerId: desired.player.id, playerName: "Lobby", serviceKey: keys.publicKey });
  await new DurableFile<DesiredState>(join(folder, "desired.json"), (json) => DesiredState.parse(json)).write(desired);
  for (const [sha256, bytes] of files) await writeFile(join(folder, "content", sha256), bytes);
  return thumbprint(identity.keys.publicKey);
}

/** Whether this player has to accept a text as its state. */
export function isUsableState(text: string, playerId: string): boolean {
  try {
    return DesiredState.safeParse(JSON.parse(text)).data?.player.id === playerId;
  } catch {
    return false; // not JSON
  }
}
