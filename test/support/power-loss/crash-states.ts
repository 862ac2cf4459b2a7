// Computes what may be on the disk after a power loss, as POSIX allows it: only synced bytes and synced names are certain.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { TraceEntry } from "./disk-trace.ts";

/**
 * What became of the changes that were not synced: none or all of them are on the disk, or each was decided at random. A write may be
 * there in part, or only as the length of the file, which then has zeros.
 */
export type Survival = "none" | "all" | "length" | "random";

/** The content of a folder after a power loss: relative paths of folders, and of files with their bytes. */
export interface CrashState {
  folders: string[];
  files: Map<string, Buffer>;
}

/** A state of the folder `root` if the power fails after the first `count` entries. */
export function crashStateAt(
  trace: readonly TraceEntry[],
  count: number,
  root: string,
  survival: Survival,
  random: () => number,
): CrashState {
  const before = trace.slice(0, count);
  const names = survivingNames(before, survival, random);
  const exists = (path: string): boolean => path === root || (names.get(path) === "folder" && exists(dirname(path)));
  const state: CrashState = { folders: [], files: new Map() };
  const contents = new Map<number, Buffer>();
  for (const [path, to] of [...names].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (to === null || !exists(dirname(path))) continue;
    if (to === "folder") state.folders.push(relative(root, path));
    else {
      // Two names of one file show the same bytes.
      if (!contents.has(to)) contents.set(to, survivingBytes(before, to, survival, random));
      state.files.set(relative(root, path), contents.get(to)!);
    }
  }
  return state;
}

/** Writes a state into an empty folder. */
export async function materialize({ folders, files }: CrashState, folder: string): Promise<void> {
  for (const path of folders) await mkdir(join(folder, path), { recursive: true });
  for (const [path, bytes] of files) await writeFile(join(folder, path), bytes, { mode: 0o600 });
}

/** The trace of a program that lacks the syncs of files, or those of folders. */
export function withoutSyncs(trace: readonly TraceEntry[], kind: "sync-file" | "sync-folder"): TraceEntry[] {
  return trace.map((entry) => (entry.is === kind ? { ...entry, covers: 0 } : entry));
}

function survivingNames(entries: readonly TraceEntry[], survival: Survival, random: () => number) {
  const certain = new Map<string, number>();
  for (const entry of entries)
    if (entry.is === "sync-folder") certain.set(entry.folder, Math.max(entry.covers, certain.get(entry.folder) ?? 0));
  const names = new Map<string, number | "folder" | null>();
  for (const [index, entry] of entries.entries()) {
    if (entry.is !== "names") continue;
    const isCertain = index < (certain.get(entry.folder) ?? 0);
    if (isCertain || survival === "all" || survival === "length" || (survival === "random" && random() < 0.5)) {
      for (const { path, to } of entry.names) names.set(path, to);
    }
  }
  return names;
}

function survivingBytes(entries: readonly TraceEntry[], file: number, survival: Survival, random: () => number): Buffer {
  let certain = 0;
  for (const entry of entries) if (entry.is === "sync-file" && entry.file === file) certain = Math.max(certain, entry.covers);
  let content = Buffer.alloc(0);
  for (const [index, entry] of entries.entries()) {
    if (!("file" in entry) || entry.file !== file) continue;
    const fate = index < certain ? "all" : survival === "random" ? fates[Math.floor(random() * fates.length)]! : survival;
    if (fate === "none") continue;
    if (entry.is === "truncate") content = Buffer.alloc(0);
    if (entry.is !== "write") continue;
    const bytes = fate === "length" ? Buffer.alloc(entry.bytes.length) : entry.bytes;
    const kept = fate === "part" ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
    const next = Buffer.alloc(Math.max(content.length, entry.offset + kept.length));
    content.copy(next);
    kept.copy(next, entry.offset);
    content = next;
  }
  return content;
}

const fates = ["none", "all", "length", "part"] as const;
