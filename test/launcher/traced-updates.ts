// Two updates whose changes of the disk are recorded, and what a device starts after a power cut at any of these changes.
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { answerRequest } from "../../src/launcher/install.ts";
import { checkSlot } from "../../src/launcher/slots.ts";
import { LauncherRig } from "../support/launcher.ts";
import { crashStateAt, materialize, type Survival } from "../support/power-loss/crash-states.ts";
import { DiskTrace, type TraceEntry } from "../support/power-loss/disk-trace.ts";
import { seededRandom } from "../support/random.ts";

/** What may be left of the writes that were not synced. */
export const survivals = ["none", "all", "length", "random"] as const;

/** A device after three updates, of which the second one overwrites nothing that runs, and the third one the slot of the first. */
export class TracedUpdates implements AsyncDisposable {
  readonly #rig: LauncherRig;
  readonly trace: readonly TraceEntry[];
  /** What `sync` made durable. */
  readonly #treeSyncs: ReadonlySet<TraceEntry>;
  /** From how many changes of the disk on a version is decided for good. */
  readonly #decided: readonly { from: number; version: string }[];

  private constructor(
    rig: LauncherRig,
    trace: readonly TraceEntry[],
    treeSyncs: ReadonlySet<TraceEntry>,
    decided: readonly { from: number; version: string }[],
  ) {
    this.#rig = rig;
    this.trace = trace;
    this.#treeSyncs = treeSyncs;
    this.#decided = decided;
  }

  static async create(): Promise<TracedUpdates> {
    const rig = await LauncherRig.create();
    const { data } = rig.folders;
    // The trusted metadata has tests of its own, and is written by the library in ways that the trace does not know.
    await mkdir(join(data, "../tuf"));
    await symlink("../tuf", rig.folders.tuf);
    await rm(rig.folders.state, { force: true });
    await rm(join(data, "slots"), { recursive: true });
    const versions = ["1.1.0", "1.2.0", "1.3.0"];
    for (const version of versions) await rig.offer(version, { files: { "dist/part.js": version } });
    const treeSyncs = new Set<TraceEntry>();
    const decided = [{ from: 0, version: "1.0.0" }];
    using disk = new DiskTrace(data);
    // The daemon makes folders durable by the program `sync`, so the trace has to know what that covers.
    const syncTree = async (): Promise<void> => syncAll(disk.entries, treeSyncs);
    const launcher = { ...rig.launcher, folders: { ...rig.folders, tuf: join(data, "../tuf") }, syncTree };
    for (const version of versions) {
      await rig.request(version);
      await answerRequest(launcher, await launcher.store.read());
      decided.push({ from: disk.entries.length, version });
      // It passed its test.
      await launcher.store.change((state) => ({ ...state, trial: null }));
    }
    return new TracedUpdates(rig, disk.entries, treeSyncs, decided);
  }

  /** The same changes, as if the syncs of slots had covered nothing. */
  get careless(): readonly TraceEntry[] {
    return this.trace.map((entry) => (this.#treeSyncs.has(entry) ? { ...entry, covers: 0 } : entry) as TraceEntry);
  }

  /** The oldest version that may run after so many changes. */
  decidedAt(count: number): string {
    return this.#decided.findLast(({ from }) => from <= count)!.version;
  }

  /** What a device starts after a power cut; "none" if nothing can be started. */
  async startedAfter(entries: readonly TraceEntry[], count: number, survival: Survival): Promise<string> {
    const rig = this.#rig;
    const state = crashStateAt(entries, count, rig.folders.data, survival, seededRandom(count + 1));
    await rm(rig.folders.data, { recursive: true });
    await mkdir(rig.folders.data);
    await materialize(state, rig.folders.data);
    await rig.boot();
    const { slot, version } = await rig.status();
    const check = await checkSlot(rig.folders, slot, { deep: true });
    return check.is === "startable" ? version : "none";
  }

  /** Expects a whole version, and none that is older than what was decided. Resolves to that version. */
  async expectWhole(count: number, survival: Survival): Promise<string> {
    const version = await this.startedAfter(this.trace, count, survival);
    const atLeast = this.decidedAt(count);
    expect(version >= atLeast && version <= "1.3.0", `${version} after ${survival} at ${count}, decided was ${atLeast}`).toBe(true);
    return version;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#rig[Symbol.asyncDispose]();
  }
}

function syncAll(entries: TraceEntry[], treeSyncs: Set<TraceEntry>): void {
  const covers = entries.length;
  const files = new Set(entries.flatMap((entry) => ("file" in entry ? [entry.file] : [])));
  const folders = new Set(entries.flatMap((entry) => (entry.is === "names" ? [entry.folder] : [])));
  for (const file of files) entries.push({ is: "sync-file", file, covers });
  for (const folder of folders) entries.push({ is: "sync-folder", folder, covers });
  for (const entry of entries.slice(covers)) treeSyncs.add(entry);
}
