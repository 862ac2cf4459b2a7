// The power fails at any change of the disk during an update: one slot can always be started, with every file as it was signed.
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerRequest } from "../../src/launcher/install.ts";
import { checkSlot } from "../../src/launcher/slots.ts";
import { LauncherRig } from "../support/launcher.ts";
import { crashStateAt, materialize, type Survival } from "../support/power-loss/crash-states.ts";
import { DiskTrace, type TraceEntry } from "../support/power-loss/disk-trace.ts";
import { seededRandom } from "../support/random.ts";

const isLong = process.env["SIGNAGE_LONG"] === "1";
const sampleSize = 25;

let rig: LauncherRig;
let trace: TraceEntry[];
/** What `sync` made durable. */
const treeSyncs = new Set<TraceEntry>();
/** From how many changes of the disk on a version is decided for good. */
const decided: { from: number; version: string }[] = [{ from: 0, version: "1.0.0" }];

/** Two updates, of which the second one overwrites nothing that runs, and the third one the slot of the first. */
beforeAll(async () => {
  rig = await LauncherRig.create();
  const { data } = rig.folders;
  // The trusted metadata has tests of its own, and is written by the library in ways that the trace does not know.
  await mkdir(join(data, "../tuf"));
  await symlink("../tuf", rig.folders.tuf);
  await rm(rig.folders.state, { force: true });
  await rm(join(data, "slots"), { recursive: true });
  for (const version of ["1.1.0", "1.2.0", "1.3.0"]) await rig.offer(version, { files: { "dist/part.js": version } });
  using disk = new DiskTrace(data);
  // The daemon makes folders durable by the program `sync`, so the trace has to know what that covers.
  const launcher = { ...rig.launcher, folders: { ...rig.folders, tuf: join(data, "../tuf") }, syncTree: async () => syncAll(disk.entries) };
  for (const version of ["1.1.0", "1.2.0", "1.3.0"]) {
    await rig.request(version);
    await answerRequest(launcher, await launcher.store.read());
    decided.push({ from: disk.entries.length, version });
    // It passed its test.
    await launcher.store.change((state) => ({ ...state, trial: null }));
  }
  trace = disk.entries;
});

afterAll(() => rig[Symbol.asyncDispose]());

function syncAll(entries: TraceEntry[]): void {
  const covers = entries.length;
  const files = new Set(entries.flatMap((entry) => ("file" in entry ? [entry.file] : [])));
  const folders = new Set(entries.flatMap((entry) => (entry.is === "names" ? [entry.folder] : [])));
  for (const file of files) entries.push({ is: "sync-file", file, covers });
  for (const folder of folders) entries.push({ is: "sync-folder", folder, covers });
  for (const entry of entries.slice(covers)) treeSyncs.add(entry);
}

/** What a device starts after a power cut; "none" if nothing can be started. */
async function startedAfter(entries: readonly TraceEntry[], count: number, survival: Survival): Promise<string> {
  const state = crashStateAt(entries, count, rig.folders.data, survival, seededRandom(count + 1));
  await rm(rig.folders.data, { recursive: true });
  await mkdir(rig.folders.data);
  await materialize(state, rig.folders.data);
  await rig.boot();
  const { slot, version } = await rig.status();
  const check = await checkSlot(rig.folders, slot, { deep: true });
  return check.is === "startable" ? version : "none";
}

const survivals = ["none", "all", "length", "random"] as const;

test(
  "[SLT8] after a power cut at any moment of an update a whole version runs, and no older one than before",
  { timeout: 600_000 },
  async () => {
    const random = seededRandom(7);
    const all = Array.from({ length: trace.length + 1 }, (_, index) => index);
    const moments = isLong ? all : all.filter(() => random() < sampleSize / trace.length);
    const seen = new Map<string, number>();
    for (const moment of moments) {
      for (const survival of isLong ? survivals : [survivals[moment % survivals.length]!]) {
        const version = await startedAfter(trace, moment, survival);
        const atLeast = decided.findLast(({ from }) => from <= moment)!.version;
        expect(version >= atLeast && version <= "1.3.0", `${version} after ${survival} at ${moment}, decided was ${atLeast}`).toBe(true);
        seen.set(version, (seen.get(version) ?? 0) + 1);
      }
    }
    expect(seen.size).toBeGreaterThan(2);
  },
);

test("[SLT8] without the sync of a slot before its marker the test notices what a power cut damages", { timeout: 600_000 }, async () => {
  const careless = trace.map((entry) => (treeSyncs.has(entry) ? { ...entry, covers: 0 } : entry) as TraceEntry);
  for (let moment = trace.length; moment > 0; moment -= 5) {
    const version = await startedAfter(careless, moment, "length");
    if (version === "none" || version < decided.findLast(({ from }) => from <= moment)!.version) return;
  }
  expect.fail("no power cut had an effect");
});
