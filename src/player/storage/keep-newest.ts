// Limits a folder to its newest files, by count and bytes. The names of the files sort by age.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

export interface FolderLimits {
  maxFiles: number;
  maxBytes: number;
}

/** Deletes the oldest files of `folder` that exceed a limit. */
export async function keepNewest(folder: string, { maxFiles, maxBytes }: FolderLimits): Promise<void> {
  const newestFirst = (await readdir(folder)).toSorted().toReversed();
  let bytes = 0;
  for (const [index, name] of newestFirst.entries()) {
    const path = join(folder, name);
    bytes += (await stat(path)).size;
    if (index >= maxFiles || bytes > maxBytes) await rm(path, { force: true });
  }
}
