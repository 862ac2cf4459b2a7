// The backup and restore commands, while the service is running.
import { cp, mkdir, open, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { runBackup, runRestore } from "../../../src/main/backup.ts";
import type { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program, startService } from "../../support/programs/programs.ts";
import { FuzzedService, targets } from "../fuzz/fuzzed-service.ts";
import { TestService, blobsIn, call, Device, heartbeat, picture } from "../harness.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { isOnPostgres } from "../test-database.ts";

const run = (...argv: string[]) => new Program(["src/main/cli.ts", ...argv]);
const id = (kind: string, number: number) => `${kind}_01jd3v8q6m9x2k4n7r5t${String(number).padStart(6, "0")}`;

function play(number: number): PlayEvent {
  const start = Date.now() - 60_000;
  return {
    id: id("evt", number),
    layout_id: id("lay", 1),
    zone_id: id("zon", 1),
    schedule_id: null,
    item_id: id("itm", 1),
    asset_id: null,
    sha256: null,
    revision: "r1",
    result: "completed",
    reason: null,
    started_at: new Date(start).toISOString(),
    ended_at: new Date(start + 1_000).toISOString(),
    duration_ms: 1_000,
    started_monotonic_ms: 1,
    ended_monotonic_ms: 1_001,
    boot_id: "b1",
    clock_offset_ms: 0,
    clock_error_ms: null,
  };
}

/** Runs a command as a program; rejects with its output if it fails. */
async function succeed(...argv: string[]): Promise<void> {
  await using program = run(...argv);
  if ((await program.exitCode) !== 0) throw new Error(program.output);
}

// The same commands within this process: a program costs as much CPU time as fifty of them.
const { signal } = new AbortController();
const backUp = (data: string, to: string) => runBackup({ data, to }, silentLog, signal);
const restore = (from: string, data: string) => runRestore({ from, data }, silentLog, signal);

/** The same device, connected to another service. */
function moved(device: Device, url: string): Device {
  return Object.assign(new Device(url), { keys: device.keys, grant: device.grant, access: device.access });
}

test.skipIf(isOnPostgres)(
  "[BKP1] a backup under write load restores every write acknowledged before it began, references no missing file, and serves the API as described",
  async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, "data");
    await using service = await startService(data);
    const { url, token } = service.api;
    const authorization = `Bearer ${token}`;
    const ask = (method: string, path: string, body?: unknown, at = url) => call(at, method, path, body, { authorization });
    const device = new Device(url);
    await device.askForCode();
    await ask("POST", "players/pair", { code: device.grant.user_code, name: "Lobby" });
    await device.firstToken();

    const assets: string[] = [];
    const playlists: string[] = [];
    let plays = 0;
    let purged = 0;
    const stop = new AbortController();
    const write = async () => {
      for (let size = 16; !stop.signal.aborted; size += 1) {
        const created = await ask("POST", "assets", await picture("png", 16 + (size % 60)));
        assets.push(created.body.id);
        // Permanently delete other assets and their bytes while the backup copies.
        const doomed = await ask("POST", "assets", Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="9"/>`));
        if ((await ask("DELETE", `assets/${doomed.body.id}?permanent=true`)).status === 204) purged += 1;
        playlists.push((await ask("POST", "playlists", { name: `P${playlists.length}` })).body.id);
        await device.call("POST", "play-events", { events: [play(plays)] });
        plays += 1;
      }
    };
    const writing = write();
    await using writes = new AsyncDisposableStack();
    writes.defer(async () => {
      stop.abort();
      await writing;
    });
    await expect.poll(() => Math.min(assets.length, playlists.length, plays, purged)).toBeGreaterThan(10);

    const upload = await call(url, "POST", "uploads", undefined, {
      authorization,
      "tus-resumable": "1.0.0",
      "upload-length": "2000",
      "upload-metadata": `filename ${Buffer.from("a.png").toString("base64")}`,
    });
    const location = upload.headers.get("location")!;
    const part = await call(url, "PATCH", location, Buffer.alloc(700, 7), {
      authorization,
      "tus-resumable": "1.0.0",
      "upload-offset": "0",
      "content-type": "application/offset+octet-stream",
    });
    expect(part.status).toBe(204);

    const written = () => assets.length + playlists.length + plays;
    const backups = new Map<string, { assets: string[]; playlists: string[]; plays: number }>();
    const program = (from: string, to: string) => succeed("backup", "--data", from, "--to", to);
    for (const [target, make] of [
      ["whole.tar", program],
      ["folder", backUp],
    ] as const) {
      // A busy machine may answer no write while a small backup is made: it is made anew until one was answered meanwhile.
      const writtenDuring = async (): Promise<number> => {
        await rm(join(folder.path, target), { recursive: true, force: true });
        backups.set(target, { assets: [...assets], playlists: [...playlists], plays });
        const before = written();
        await make(data, join(folder.path, target));
        return written() - before;
      };
      await expect.poll(writtenDuring, { message: "writes went on while it was made" }).toBeGreaterThan(0);
    }
    await writes.disposeAsync();

    for (const [target, answered] of backups) {
      const restored = join(folder.path, `restored-${target}`);
      if (target === "folder") await restore(join(folder.path, target), restored);
      else await succeed("restore", "--from", join(folder.path, target), "--data", restored);
      // Before any service opens it: every referenced blob exists and is intact.
      const rows = new DatabaseSync(join(restored, "state.db"), { readOnly: true });
      const named = rows
        .prepare(
          "SELECT sha256 FROM assets WHERE sha256 IS NOT NULL UNION SELECT thumbnail_sha256 FROM assets WHERE thumbnail_sha256 IS NOT NULL",
        )
        .all();
      rows.close();
      expect(await blobsIn(restored)).toEqual(expect.arrayContaining(named.map(({ sha256 }) => sha256)));

      await using again = await TestService.start(restored);
      const at = again.service.url;
      for (const asset of answered.assets) {
        const content = await ask("GET", `assets/${asset}/content`, undefined, at);
        const original = await ask("GET", `assets/${asset}/content`);
        expect(content.status).toBe(200);
        expect(Buffer.compare(content.body, original.body)).toBe(0);
      }
      for (const playlist of answered.playlists) expect((await ask("GET", `playlists/${playlist}`, undefined, at)).status).toBe(200);
      const known = (
        await moved(device, at).call("POST", "play-events", {
          events: Array.from({ length: Math.min(500, answered.plays) }, (_, number) => play(number)),
        })
      ).body;
      expect(known).toMatchObject({ accepted: 0, duplicates: Math.min(500, answered.plays) });
      const offset = await call(at, "HEAD", location, undefined, { authorization, "tus-resumable": "1.0.0" });
      expect(offset.headers.get("upload-offset")).toBe("700");
      const link = await moved(device, at).connect();
      link.socket.terminate();
    }

    // Resources of every kind can be created and read in it.
    await using restored = await TestService.start(join(folder.path, "restored-whole.tar"));
    const fuzzed = await FuzzedService.start(restored);
    // A live view waits for a screen that is not there.
    for (const target of targets.filter(
      ({ method, caller, name }) => method === "GET" && caller === "operator" && name !== "watchPlayer",
    )) {
      const { status } = await fuzzed.ask(target, {});
      expect(status, target.name).toBeLessThan(500);
    }
  },
);

test.skipIf(isOnPostgres)(
  "[BKP2] players and subscribers of a restored service do not resume from forgotten messages: they fetch everything once",
  async () => {
    await using folder = await temporaryFolder();
    const [data, to, back] = ["data", "to", "back"].map((name) => join(folder.path, name)) as [string, string, string];
    await using first = await TestService.start(data);
    const device = await first.pairDevice();
    const before = device.socket();
    before.hello();
    const { epoch } = (await before.next("welcome")).data;
    using listener = new EventSubscriber(first.service.url, first.token);
    const place = await listener.subscribe(["commands"]);
    await backUp(data, to);
    for (let number = 0; number < 3; number += 1) await first.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
    const received = await before.next("command");
    await restore(to, back);
    await using second = await TestService.start(back);
    // Send other messages until the sequence numbers reach the player's.
    for (let number = 0; number < 5; number += 1) await second.call("POST", `players/${device.playerId}/commands`, { type: "reload" });
    const link = moved(device, second.service.url).socket();
    link.hello(epoch, received.seq!);
    const welcome = await link.next("welcome");
    expect(welcome.data).toMatchObject({ resumed: false });
    expect(welcome.data.answer.commands).toHaveLength(5);
    using later = new EventSubscriber(second.service.url, second.token);
    const again = await later.subscribe(["commands"], { after: { epoch: place.epoch, seq: place.seq } });
    expect(again.epoch).not.toBe(place.epoch);
    for (const each of [before, link]) each.socket.terminate();
  },
);

test.skipIf(isOnPostgres)("[BKP3] a damaged, truncated, newer or invalid backup is rejected and leaves nothing behind", async () => {
  await using folder = await temporaryFolder();
  const path = (name: string) => join(folder.path, name);
  {
    await using api = await TestService.start(path("data"));
    await api.showPicture(await api.pairDevice());
  }
  await backUp(path("data"), path("good"));
  await backUp(path("data"), path("good.tar"));
  expect((await stat(path("good.tar"))).mode & 0o777).toBe(0o600);
  const [blob] = await blobsIn(path("good"));
  const blobPath = (of: string) => join(path(of), "blobs", blob!.slice(0, 2), blob!);

  const variant = async (name: string, spoil: () => Promise<unknown>) => {
    await cp(path("good"), path(name), { recursive: true });
    await spoil();
  };
  await variant("changed", () => writeFile(blobPath("changed"), "other bytes"));
  await variant("lacking", () => rm(blobPath("lacking")));
  await variant("unfinished", () => rm(join(path("unfinished"), "manifest.json")));
  await variant("more", () => writeFile(join(path("more"), "stowaway"), "x"));
  await cp(path("good.tar"), path("short.tar"));
  await truncate(path("short.tar"), (await stat(path("good.tar"))).size - 20_000);
  await cp(path("good.tar"), path("flipped.tar"));
  const file = await open(path("flipped.tar"), "r+");
  await file.write(Buffer.from("x"), 0, 1, 3);
  await file.close();
  await writeFile(path("nonsense.tar"), Buffer.alloc(10_240, 65));
  const cases = [
    ["changed", /is changed/],
    ["lacking", /is missing/],
    ["unfinished", /is incomplete/],
    ["more", /does not list/],
    ["short.tar", /truncated/],
    ["flipped.tar", /checksum/],
    ["nonsense.tar", /checksum/],
    ["nowhere.tar", /there is no backup/],
  ] as const;
  for (const [from, why] of cases) {
    await expect(restore(path(from), path("new")), from).rejects.toThrow(why);
    expect((await readdir(folder.path)).filter((name) => name.startsWith("new"))).toEqual([]);
  }
  const state = new DatabaseSync(join(path("data"), "state.db"));
  state.prepare("INSERT INTO kysely_migration VALUES ('9999-future', '2027-01-01T00:00:00.000Z')").run();
  state.close();
  await backUp(path("data"), path("newer"));
  await using program = run("restore", "--from", path("newer"), "--data", path("new"));
  expect(await program.exitCode).toBe(1);
  expect(program.output).toContain("newer version");
});

test.skipIf(isOnPostgres)(
  "[BKP4] neither backup nor restore overwrites anything; the backup reports files that are already missing and contains the rest",
  async () => {
    await using folder = await temporaryFolder();
    const path = (name: string) => join(folder.path, name);
    await using api = await TestService.start(path("data"));
    const device = await api.pairDevice();
    const { asset, layout } = await api.showPicture(device);
    const link = await device.connect();
    link.send({ type: "heartbeat", data: heartbeat() });
    await link.next("heartbeat.answer");
    await mkdir(path("full"));
    await writeFile(join(path("full"), "mine"), "precious");
    await writeFile(path("file.tar"), "precious");
    await mkdir(path("empty"));
    for (const refused of [
      () => backUp(path("data"), path("full")),
      () => backUp(path("data"), path("file.tar")),
      () => backUp(path("empty"), path("out")),
      () => restore(path("full"), path("data")),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: "refused" });
    }
    await using overwriting = run("backup", "--data", path("data"), "--to", path("full"));
    expect(await overwriting.exitCode).toBe(1);
    expect(overwriting.output.trim().split("\n")).toHaveLength(1);
    expect(await readFile(path("file.tar"), "utf8")).toBe("precious");
    await using bad = run("backup", "--data", path("data"));
    expect(await bad.exitCode).toBe(2);
    expect(bad.output).toContain("--to");

    await rm(join(path("data"), "blobs", asset.sha256.slice(0, 2), asset.sha256));
    await using lossy = run("backup", "--data", path("data"), "--to", path("lossy.tar"));
    expect(await lossy.exitCode).toBe(1);
    expect(lossy.output).toContain(asset.sha256);
    expect(lossy.output).not.toContain("backed up");
    await restore(path("lossy.tar"), path("empty"));
    await using again = await TestService.start(path("empty"));
    expect((await again.call("GET", `layouts/${layout.id}`)).status).toBe(200);
    expect((await again.call("GET", `assets/${asset.id}`)).body.sha256).toBe(asset.sha256);
    link.socket.terminate();
  },
);
