// The files in a player's cache, as a soak checks them.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../src/base/fault.ts";
import type { Show } from "./show.ts";

export function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function cachedFile({ playerFolder }: Show, sha256: string): string {
  return join(playerFolder, "content", sha256);
}

/** Whether the player has this file and every byte of it is right. */
export async function isWhole(show: Show, sha256: string): Promise<boolean> {
  const bytes = await readFile(cachedFile(show, sha256)).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  });
  return bytes !== null && sha256Of(bytes) === sha256;
}
