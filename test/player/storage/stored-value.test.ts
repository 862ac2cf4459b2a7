// Identity, pairing, desired state and interventions on a damaged, full or emptied disk.
import { copyFile, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { DurableFile } from "../../../src/base/files/durable-file.ts";
import { silentLog } from "../../../src/base/log.ts";
import { ContentCache } from "../../../src/player/content/content-cache.ts";
import { DesiredStateStore } from "../../../src/player/content/desired-state-store.ts";
import { ProvenFiles } from "../../../src/player/content/proven-files.ts";
import { StoredValue } from "../../../src/player/storage/stored-value.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { Identity } from "../../../src/player/pairing/identity.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import { FakeClock } from "../../support/clock.ts";
import { damages } from "../../support/damages.ts";
import { breakDisk } from "../../support/disk.ts";
import { failDisk } from "../../support/failing-disk.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { assetOf, desiredOf, imageItem, newId } from "../../support/states.ts";

const pairing = { server: "https://signage.example", playerId: newId("plr"), playerName: "Lobby", serviceKey: "key" };
const t0 = Date.UTC(2026, 10, 22);

const harms: typeof damages = [...damages, ["replaced by a folder", (path) => rm(path).then(() => mkdir(path))]];
const identityFiles = ["identity.json", "pairing.json", "copies/identity.json", "copies/pairing.json"];

test.each(identityFiles.flatMap((name) => harms.map(([how, damage]) => [name, how, damage] as const)))(
  "[DSK8] %s, %s, is restored from its other copy, and reported unless only a copy is missing",
  async (name, how, damage) => {
    await using folder = await temporaryFolder();
    const first = await Identity.open(folder.path, silentLog);
    await first.pair(pairing);
    const path = join(folder.path, name);
    const before = await readFile(path, "utf8");
    await damage(path);
    const disk = new DiskHealth(silentLog);
    const again = await Identity.open(folder.path, silentLog, disk);
    expect([again.keys, again.pairing]).toEqual([first.keys, pairing]);
    // An older version wrote no copy, so a missing copy is no damage.
    const isDamage = how !== "deleted" || !name.startsWith("copies/");
    expect(disk.condition.damaged).toEqual(isDamage ? [name.replace("copies/", "")] : []);
    // A folder in its place cannot be replaced; the value still has its other copy.
    if (how !== "replaced by a folder") expect(await readFile(path, "utf8")).toBe(before);
    // The other copy may now be damaged too.
    const other = join(folder.path, name.startsWith("copies/") ? name.slice(7) : `copies/${name}`);
    if (how !== "replaced by a folder") await damage(other);
    const third = await Identity.open(folder.path, silentLog);
    expect([third.keys, third.pairing]).toEqual([first.keys, pairing]);
  },
);

test("[DSK8] after a new pairing or a revocation neither copy brings back the old pairing", async () => {
  await using folder = await temporaryFolder();
  const first = await Identity.open(folder.path, silentLog);
  await first.pair(pairing);
  const moved = { ...pairing, serviceKey: "another key" };
  await first.pair(moved);
  await truncate(join(folder.path, "pairing.json"), 10);
  expect((await Identity.open(folder.path, silentLog)).pairing).toEqual(moved);
  await first.unpair();
  expect((await Identity.open(folder.path, silentLog)).pairing).toBeNull();
});

test("[DSK8] a power cut between the two writes of a new pairing leaves the new one", async () => {
  await using folder = await temporaryFolder();
  const identity = await Identity.open(folder.path, silentLog);
  await identity.pair(pairing);
  const copy = join(folder.path, "copies/pairing.json");
  await copyFile(copy, `${copy}.before`);
  const moved = { ...pairing, playerName: "Foyer" };
  await identity.pair(moved);
  await copyFile(`${copy}.before`, copy);
  expect((await Identity.open(folder.path, silentLog)).pairing).toEqual(moved);
  await truncate(join(folder.path, "pairing.json"), 10);
  expect((await Identity.open(folder.path, silentLog)).pairing).toEqual(moved);
});

test.each(damages)(
  "[DSK9] if the newest desired state was %s, the state before it plays with its files, and is reported",
  async (_how, damage) => {
    await using folder = await temporaryFolder();
    const clock = new FakeClock();
    const bytes = ["old", "new"].map((text) => Buffer.from(text));
    const [oldAsset, newAsset] = bytes.map((each) => assetOf(each)) as [ReturnType<typeof assetOf>, ReturnType<typeof assetOf>];
    const older = desiredOf([imageItem(oldAsset, 5_000)], [oldAsset], "older");
    const newest = { ...desiredOf([imageItem(newAsset, 5_000)], [newAsset], "newest"), player: older.player };
    const file = new DurableFile(join(folder.path, "desired.json"), (json) => json as typeof older);
    for (const state of [older, newest]) await file.write(state);
    await mkdir(join(folder.path, "content"));
    for (const [index, { sha256 }] of [oldAsset, newAsset].entries()) await writeFile(join(folder.path, "content", sha256), bytes[index]!);
    const openFile = (): Promise<never> => Promise.reject(new Error("nothing has to be fetched"));
    const start = async (disk: DiskHealth) => {
      const store = await DesiredStateStore.open(folder.path, older.player.id, silentLog, disk);
      const cache = await ContentCache.open(join(folder.path, "content"), clock, silentLog, disk);
      await cache.content.restore(store.received, older.player.id);
      await cache.prepare(store.current.value!, openFile, new AbortController().signal);
      return { store, cache };
    };
    // A restart keeps the files of both states.
    expect((await start(new DiskHealth(silentLog))).store.current.value?.revision).toBe("newest");
    await damage(join(folder.path, "desired.json"));
    const disk = new DiskHealth(silentLog);
    const { store, cache } = await start(disk);
    expect(store.current.value?.revision).toBe("older");
    expect([...cache.ready.value!.files.values()]).toEqual([oldAsset.sha256]);
    expect(disk.condition.damaged).toEqual(["desired.json"]);
  },
);

test.for([
  ["desired.json", "received"],
  ["desired.json.previous", "shown"],
  ["content/generations.json", "received"],
] as const)(
  "[DSK13] while the disk fails to read %s no stored file is removed, until other states are shown or the room is needed",
  async ([unread, third]) => {
    await using folder = await temporaryFolder();
    const clock = new FakeClock();
    const texts = ["first", "second", "third"];
    const assets = texts.map((text) => assetOf(Buffer.from(text)));
    const { player } = desiredOf([], [], "");
    const states = texts.map((text, index) => ({ ...desiredOf([imageItem(assets[index]!, 5_000)], [assets[index]!], text), player }));
    const file = new DurableFile(join(folder.path, "desired.json"), (json) => json as (typeof states)[number]);
    const content = join(folder.path, "content");
    await mkdir(content);
    const storeFile = (index: number): Promise<void> => writeFile(join(content, assets[index]!.sha256), texts[index]!);
    const present = async () => {
      const names = await readdir(content);
      return texts.filter((_, index) => names.includes(assets[index]!.sha256));
    };
    const openFile = (): Promise<never> => Promise.reject(new Error("nothing has to be fetched"));
    const start = async (disk: DiskHealth) => {
      const store = await DesiredStateStore.open(folder.path, player.id, silentLog, disk);
      const cache = await ContentCache.open(content, clock, silentLog, disk);
      await cache.content.restore(store.received, player.id);
      await store.continueWith(cache.content.generations.newest);
      const prepare = (state = store.current.value!) => cache.prepare(state, openFile, new AbortController().signal);
      await prepare();
      return { cache, prepare };
    };
    // The second state is shown after the first, and the third is received, or shown, after that.
    for (const index of [0, 1]) await file.write(states[index]!);
    for (const index of [0, 1]) await storeFile(index);
    await start(new DiskHealth(silentLog));
    await file.write(states[2]!);
    await storeFile(2);
    if (third === "shown") await start(new DiskHealth(silentLog));
    const before = await present();
    expect(before).toEqual(third === "shown" ? ["second", "third"] : texts);

    using _failing = failDisk("read", "EIO", (path) => path === join(folder.path, unread));
    const disk = new DiskHealth(silentLog);
    const { cache, prepare } = await start(disk);
    expect(disk.condition.unread.map(({ what }) => what)).toEqual([basename(unread)]);
    expect(await present()).toEqual(before);

    if (unread === "content/generations.json") return;
    await prepare(states[2]);
    await cache.clear([]);
    expect(await present()).toEqual(["third"]);
  },
);

test.for([
  ["bytes", "read"],
  ["attributes", "metadata"],
] as const)(
  "[DSK13] a stored file whose %s the disk fails to read is neither used nor removed, until it can be read again",
  async ([, how]) => {
    await using folder = await temporaryFolder();
    const assets = ["one", "two"].map((text) => assetOf(Buffer.from(text)));
    for (const [index, { sha256 }] of assets.entries()) await writeFile(join(folder.path, sha256), ["one", "two"][index]!);
    const disk = new DiskHealth(silentLog);
    const files = await ProvenFiles.open(folder.path, silentLog, disk);
    using failing = failDisk(how, "EIO", (path) => path === join(folder.path, assets[1]!.sha256));
    let isReadAgain = false;
    disk.onReadAgain(() => (isReadAgain = true), new AbortController().signal);
    expect([...(await files.presentOf(assets)).keys()]).toEqual([assets[0]!.id]);
    await disk.retryReads();
    expect([disk.condition.unread.map(({ what }) => what), isReadAgain]).toEqual([["content"], false]);
    failing.heal();
    await disk.retryReads();
    expect([disk.condition.unread, isReadAgain]).toEqual([[], true]);
    expect([...(await files.presentOf(assets)).keys()]).toEqual(assets.map(({ id }) => id));
  },
);

test("[DSK13] a file that fails to be read while another one, reported by the same name, is read again is tried again later", async () => {
  const disk = new DiskHealth(silentLog);
  const error = Object.assign(new Error("EIO"), { code: "EIO", syscall: "open" });
  const tried: string[] = [];
  disk.unreadable("content", error, async () => {
    tried.push("first");
    disk.unreadable("content", error, async () => tried.push("second"));
  });
  await disk.retryReads();
  expect(disk.condition.unread).toHaveLength(1);
  await disk.retryReads();
  expect([tried, disk.condition.unread]).toEqual([["first", "second"], []]);
});

test("[DSK5] on a full disk a pairing and an override take effect, and are written once there is room", async () => {
  await using folder = await temporaryFolder();
  const disk = new DiskHealth(silentLog);
  const store = await InterventionStore.open(folder.path, silentLog, disk);
  const clock = new CorrectedClock(new FakeClock(t0));
  const variable = { id: "x", at: t0, is: "variable" as const, until: null, name: "sale", value: true };
  let identity: Identity;
  {
    using _broken = await breakDisk("ENOSPC");
    identity = await Identity.open(folder.path, silentLog, disk);
    await identity.pair(pairing);
    await store.add([variable], clock.now());
    expect([identity.pairing, store.interventions.value]).toEqual([pairing, [variable]]);
    await identity.save();
    await store.save();
    expect(disk.condition.unwritten.map(({ what }) => what)).toEqual(["identity.json", "pairing.json", "records.json"]);
  }
  await identity.save();
  await store.save();
  expect(disk.condition.unwritten).toEqual([]);
  const again = await Identity.open(folder.path, silentLog);
  expect([again.keys, again.pairing]).toEqual([identity.keys, pairing]);
  expect((await InterventionStore.open(folder.path, silentLog)).interventions.value).toEqual([variable]);
});

test("[DSK7] files that are deleted while the player runs are written again", async () => {
  await using parent = await temporaryFolder();
  const folder = join(parent.path, "player");
  const identity = await Identity.open(folder, silentLog);
  await identity.pair(pairing);
  const store = await InterventionStore.open(folder, silentLog);
  const variable = { id: "x", at: t0, is: "variable" as const, until: null, name: "sale", value: true };
  await store.add([variable], t0);
  for (const lost of [folder, join(folder, "copies"), join(folder, "pairing.json")]) {
    await rm(lost, { recursive: true });
    await identity.save();
    await store.save();
    const again = await Identity.open(folder, silentLog);
    expect([again.keys, again.pairing]).toEqual([identity.keys, pairing]);
    expect((await InterventionStore.open(folder, silentLog)).interventions.value).toEqual([variable]);
  }
});

test("[DSK13] an error of the program is not taken for a disk that fails to read", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "count.json");
  const numbers = new DurableFile<unknown>(path, (json) => json);
  for (const count of [1, 2]) await numbers.write(count);
  await truncate(path, 1);
  const disk = new DiskHealth(silentLog);
  // Its value cannot be written as JSON, so repairing the damaged file from its previous generation fails.
  const counts = new DurableFile(path, (json) => BigInt(json as number));
  await expect(StoredValue.open(counts, disk, "counting from zero")).rejects.toThrow(TypeError);
  expect(disk.condition.unread).toEqual([]);
});
