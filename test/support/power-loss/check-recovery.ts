// Traces the player's stores, starts them on what a power loss left, and lists the promises that they break.
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { silentLog } from "../../../src/base/log.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { FakeClock } from "../clock.ts";
import { updatesIn } from "../commands.ts";
import { temporaryFolder } from "../folder.ts";
import { seededRandom } from "../random.ts";
import { crashStateAt, materialize, type Survival } from "./crash-states.ts";
import { DiskTrace, type TraceEntry } from "./disk-trace.ts";
import { deliverAll, nothing, openStores, pairing, runStores, type History, type Promises, type Stores, uploadAll } from "./stores-run.ts";

/** A life of the stores in the folder `root`: the changes of the disk, and the promises. */
export interface TracedRun {
  root: string;
  trace: readonly TraceEntry[];
  history: History;
}

/** Runs the stores once, with the disk traced. */
export async function traceStores(): Promise<TracedRun & AsyncDisposable> {
  const folder = await temporaryFolder();
  using trace = new DiskTrace(folder.path);
  const history = await runStores(folder.path, () => trace.entries.length);
  return { root: folder.path, trace: trace.entries, history, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** Power losses at one moment, with every fate of what was not synced; random fates with each seed. */
export function powerLossesAt(count: number, seeds: readonly number[]): PowerLoss[] {
  const random = seeds.map((seed) => ({ count, survival: "random" as const, seed: seed * 1_000_003 + count }));
  return [...(["none", "all", "length"] as const).map((survival) => ({ count, survival, seed: 0 })), ...random];
}

/** The promises that the stores break after these power losses, with the power loss. */
export async function brokenPromises(run: TracedRun, losses: readonly PowerLoss[]): Promise<string[]> {
  const found = await Promise.all(losses.map(async (loss) => (await brokenBy(run, loss)).map((what) => `${what} ${JSON.stringify(loss)}`)));
  return found.flat();
}

/** One power loss: after this many changes of the disk. */
export interface PowerLoss {
  count: number;
  survival: Survival;
  seed: number;
}

async function brokenBy({ root, trace, history }: TracedRun, { count, survival, seed }: PowerLoss): Promise<string[]> {
  const promises = history.findLast(({ from }) => from <= count)?.promises ?? nothing;
  await using folder = await temporaryFolder();
  const state = crashStateAt(trace, count, root, survival, seededRandom(seed));
  await materialize(state, folder.path);
  await adoptFingerprints(folder.path);
  try {
    return await check(folder.path, promises);
  } catch (error) {
    return [`the start failed: ${String(error)}`];
  }
}

async function check(folder: string, promises: Promises): Promise<string[]> {
  const broken: string[] = [];
  const expectThat = (holds: boolean, what: string): void => void (holds || broken.push(what));
  const clock = new FakeClock();
  const disk = new DiskHealth(silentLog);
  const identity = await Identity.open(folder, silentLog, disk);
  expectThat(promises.thumbprint === null || identity.thumbprint === promises.thumbprint, "the identity is lost");
  expectThat(promises.pairing === null || isDeepStrictEqual(identity.pairing, promises.pairing), "the pairing is lost");
  expectThat(identity.pairing === null || isDeepStrictEqual(identity.pairing, pairing), "the pairing is wrong");
  if (identity.pairing === null) return broken;

  const runs: string[] = [];
  const execute = async ({ id }: { id: string }) => (runs.push(id), { is: "done" as const, result: null });
  const stores = await openStores(folder, identity, clock, execute, disk);
  broken.push(...(await checkContent(stores, promises)));
  const interventions = stores.interventions.interventions.value.map(({ id }) => id);
  expectThat(
    promises.interventions.every((id) => interventions.includes(id)),
    "an intervention is lost",
  );

  const messages: string[] = [];
  await deliverAll(stores.outbox, clock, (id) => messages.push(id));
  expectThat(
    promises.messages.every((id) => messages.includes(id)),
    "a message is lost",
  );

  expectThat(!promises.isPlaying || stores.previousRun.snapshot.open.length === 1, "the play on the screen is lost");
  const events: string[] = [];
  await uploadAll(stores.playLog, clock, (ids) => events.push(...ids));
  expectThat(new Set(events).size === events.length, "a play event is there twice");
  const kept = events.filter((id) => promises.events.includes(id));
  expectThat(isDeepStrictEqual(kept, promises.events), `play events are lost or out of order: ${kept.length} of ${promises.events.length}`);
  await stores.playLog.close();
  expectThat(!disk.condition.damaged.some((name) => name.endsWith(".plays")), "a power loss is reported as damage of the play log");

  const commands = await stores.openCommands();
  await updatesIn(stores.outbox);
  for (const jws of promises.begun) {
    await commands.receive(jws, new AbortController().signal);
    const statuses = (await updatesIn(stores.outbox)).map(({ status }) => status);
    expectThat(!statuses.includes("acknowledged") && runs.length === 0, "a command would run twice");
  }
  return broken;
}

/** The stored state is the promised one or a newer one, and every file that may be shown has the right bytes. */
async function checkContent({ desired, cache }: Stores, { state, complete }: Promises): Promise<string[]> {
  const current = desired.current.value;
  if (state !== null && (current === null || current.revision < state.revision)) return ["the desired state is lost"];
  const ready = cache.ready.value;
  if (ready === null) return [];
  const broken: string[] = [];
  for (const sha256 of ready.files.values()) {
    const bytes = await readFile(join(cache.findFile(sha256)!.folder, sha256));
    if (createHash("sha256").update(bytes).digest("hex") !== sha256) broken.push("a damaged file would be shown");
  }
  if (complete !== null && ready.desired.revision === complete.revision && ready.files.size < complete.assets.length)
    broken.push("a file of the content is lost");
  return broken;
}

const Fingerprints = z.record(z.string(), z.object({ size: z.number(), modifiedMs: z.number(), inode: z.number() }));

/** Gives the cached files the times and inodes that the cache recorded: files in a copied folder have others, and a power loss changes neither. */
async function adoptFingerprints(folder: string): Promise<void> {
  const file = new DurableFile(join(folder, "content/proofs.json"), (json) => Fingerprints.parse(json));
  const read = await file.read().catch(() => ({ is: "absent" }) as const);
  if (read.is === "absent") return;
  for (const [sha256, fingerprint] of Object.entries(read.value)) {
    const found = await stat(join(folder, "content", sha256)).catch(() => null);
    if (found !== null) Object.assign(fingerprint, { modifiedMs: found.mtimeMs, inode: found.ino });
  }
  await file.write(read.value);
}
