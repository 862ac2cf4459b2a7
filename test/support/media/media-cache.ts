// Keeps generated media in the run's folder, so that every test file uses the same video instead of encoding its own.
import { createHash, randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The bytes that `create` returns, created once in a run for each `recipe`. The recipe contains everything that determines the
 * bytes. Outside a Vitest run nothing is kept.
 */
export async function cachedMedia(recipe: readonly (string | number | Buffer)[], create: () => Promise<Buffer>): Promise<Buffer> {
  const runFolder = process.env["SIGNAGE_TEST_RUN"];
  if (runFolder === undefined) return create();
  const hash = createHash("sha256");
  for (const part of recipe) hash.update(typeof part === "number" ? String(part) : part).update("\0");
  const path = join(runFolder, "media", hash.digest("hex"));
  const kept = await readIfPresent(path);
  if (kept !== null) return kept;
  const bytes = await create();
  // Renamed when complete: another worker may read or create the same file meanwhile.
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, bytes);
  await rename(unfinished, path);
  return bytes;
}

async function readIfPresent(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
