// Retention: stored data is deleted when docs/retention.md says so.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { ulid } from "../../../src/base/ulid.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { FakeClock } from "../../support/clock.ts";
import { createKey, enrolNew, machine } from "../../support/enrolling-device.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, blobsIn, picture } from "../harness.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { inviteMember, createOtherTeam, owner, createTokenFor } from "../people/people.ts";
import { openTables } from "../tables-of.ts";
import { isOnPostgres } from "../test-database.ts";

const dayMs = 86_400_000;
type Values = Record<string, SQLInputValue>;

class Rows implements Disposable {
  readonly #file: DatabaseSync;

  constructor(folder: string) {
    this.#file = openTables(folder);
  }

  ids(table: string, column = "id"): string[] {
    return this.#file
      .prepare(`SELECT ${column} AS id FROM ${table} ORDER BY ${column}`)
      .all()
      .map(({ id }) => String(id));
  }

  count(table: string): number {
    return this.ids(table, "1").length;
  }

  /** Adds a copy of the first row with some other values. */
  add(table: string, values: Values): void {
    const row = { ...(this.#file.prepare(`SELECT * FROM ${table} LIMIT 1`).get() as Values), ...values };
    const names = Object.keys(row);
    this.#file.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`).run(...Object.values(row));
  }

  transaction(write: () => void): void {
    this.#file.exec(isOnPostgres ? "BEGIN" : "BEGIN IMMEDIATE");
    write();
    this.#file.exec("COMMIT");
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

test.skipIf(isOnPostgres)("[RET1] docs/retention.md names every table of the databases and everything in the data folder", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  expect(api.folder).toBe(folder.path);
  const text = await readFile(join(rootFolder, "docs/retention.md"), "utf8");
  const named = new Set(
    [...text.matchAll(/^\| ([^|]+)\|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)),
  );
  const stored: string[] = [];
  const entries = await readdir(folder.path);
  for (const name of entries.filter((each) => each.endsWith(".db") && each !== "lock.db")) {
    using file = new DatabaseSync(join(folder.path, name), { timeout: 10_000 });
    stored.push(
      ...file
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .map((row) => String(row["name"])),
    );
  }
  expect(stored.length).toBeGreaterThan(30);
  const files = entries.map((name) => name.replace(/-(?:wal|shm)$/, ""));
  expect([...stored, ...files].filter((name) => !named.has(name))).toEqual([]);
  // The document names no table that does not exist.
  const databases = text.slice(0, text.indexOf("## The service's data folder"));
  const tables = [...databases.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name!);
  expect(tables.toSorted()).toEqual([...new Set(stored)].filter((name) => !name.startsWith("sqlite_")).toSorted());
});

test("[RET2] commands and screenshots are deleted 90 days after their end, with their files; unfinished commands stay", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  using rows = new Rows(folder.path);
  const startedAt = clock.now();
  const device = await api.pairDevice();
  const { id } = (await api.call("POST", `players/${device.playerId}/commands`, { type: "screenshot" })).body;
  expect((await device.putScreenshot(`shot_${ulid(clock.now())}`, await picture(), { "command-id": id })).status).toBe(204);
  const update = { status: "succeeded", result: {}, error: null };
  expect((await device.call("POST", `commands/${id}/status`, update)).status).toBeLessThan(300);
  // More than one batch of expired commands, plus two that must stay: an unfinished one, and one with an active override.
  const [open, on] = [`cmd_${ulid(1)}`, `cmd_${ulid(2)}`];
  rows.transaction(() => {
    for (let each = 0; each < 1_200; each += 1) rows.add("commands", { id: `cmd_${ulid(clock.now())}`, jws: `j${each}` });
    rows.add("commands", { id: open, status: "running", expires_at: clock.now() + 1_000 * dayMs });
    rows.add("commands", { id: on });
  });
  const asset = (await api.upload(await picture("jpeg", 128))).body;
  const kept = (await api.call("POST", `players/${device.playerId}/commands`, { type: "override.set", args: { asset_id: asset.id } })).body;
  rows.add("overrides", { command_id: on });
  // The clock goes on by an hour for each look at what the service has deleted meanwhile.
  clock.advance(80 * dayMs);
  await inTime(clock, () => expect(rows.count("device_tokens")).toBe(0));
  expect([rows.count("commands"), rows.count("screenshots")]).toEqual([1_204, 1]);
  clock.advance(Math.max(0, startedAt + 87 * dayMs - clock.now()));
  await inTime(clock, () => expect(rows.ids("commands")).toEqual([open, on, String(kept.id)].toSorted()));
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual(90 * dayMs);
  expect(rows.count("screenshots")).toBe(0);
  // The asset's file and thumbnail stay.
  await expect.poll(() => blobsIn(folder.path)).toHaveLength(2);
  expect(await blobsIn(folder.path)).toContain(asset.sha256);
});

test("[RET3] tokens and invitations are deleted 90 days after their end; valid ones stay", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  using rows = new Rows(folder.path);
  const us = await owner(api);
  const member = await inviteMember(api, us, "editor");
  const revoked = await createTokenFor(api, us, ["players:read"]);
  expect((await us.call("DELETE", `tokens/${revoked.tokenId}`)).status).toBe(204);
  const ending = await createTokenFor(api, us, ["players:read"], { expires_at: new Date(clock.now() + 10 * dayMs).toISOString() });
  for (const email of ["a@example.com", "b@example.com"])
    expect((await us.call("POST", "invitations", { email, name: "x", role: "viewer" })).status).toBe(201);
  const [, late] = (await us.call("GET", "invitations")).body.data as { id: string }[];
  expect((await us.call("DELETE", `invitations/${late!.id}`)).status).toBe(204);
  expect([rows.count("tokens"), rows.count("invitations")]).toEqual([4, 3]);
  clock.advance(89.9 * dayMs);
  expect((await us.call("GET", "me")).status).toBe(200);
  expect([rows.count("tokens"), rows.count("invitations")]).toEqual([4, 3]);
  // The revoked and accepted ones ended at once, the open invitation after seven days, the other token after ten.
  await inTime(clock, () =>
    expect([rows.ids("tokens"), rows.count("invitations")]).toEqual([[us.tokenId, member.tokenId, ending.tokenId].toSorted(), 1]),
  );
  clock.advance(9.9 * dayMs);
  await inTime(clock, () => expect([rows.ids("tokens"), rows.count("invitations")]).toEqual([[us.tokenId, member.tokenId].toSorted(), 0]));
  for (const person of [us, member]) expect((await person.call("GET", "me")).status).toBe(200);
});

test("[ENR16] enrolment keys are deleted 90 days after their end, with what is known about their machines", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  using rows = new Rows(folder.path);
  const expires_at = new Date(clock.now() + 10 * dayMs).toISOString();
  const [revoked, ending] = [await createKey(api), await createKey(api, { expires_at })];
  for (const key of [revoked, ending]) await enrolNew(api, key.secret, machine(1));
  await api.call("POST", `enrolment-keys/${revoked.id}/revoke`);
  clock.advance(89.9 * dayMs);
  expect([rows.count("enrolment_keys"), rows.count("enrolments")]).toEqual([2, 2]);
  await inTime(clock, () => expect([rows.ids("enrolment_keys"), rows.count("enrolments")]).toEqual([[ending.id], 1]));
  clock.advance(9.9 * dayMs);
  await inTime(clock, () => expect([rows.count("enrolment_keys"), rows.count("enrolments"), rows.count("players")]).toEqual([0, 0, 2]));
});

test("[CRP10] links to reports are deleted 90 days after they were revoked or have expired", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  using rows = new Rows(folder.path);
  const expires_at = new Date(clock.now() + 10 * dayMs).toISOString();
  const report = { kind: "plays", group_by: "player", last_days: 7 };
  const create = async (): Promise<string> => (await api.call("POST", "report-links", { name: "L", report, expires_at })).body.id;
  const [revoked, ending] = [await create(), await create()];
  await api.call("POST", `report-links/${revoked}/revoke`);
  clock.advance(89.9 * dayMs);
  expect(rows.count("report_links")).toBe(2);
  await inTime(clock, () => expect(rows.ids("report_links")).toEqual([ending]));
  clock.advance(9.9 * dayMs);
  await inTime(clock, () => expect(rows.count("report_links")).toBe(0));
});

test("[RET4] stored responses, pairing codes and device tokens are deleted when they expire, even without a request", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  using rows = new Rows(folder.path);
  await api.pairDevice();
  await api.newDevice();
  expect((await api.call("POST", "playlists", { name: "P" }, { "idempotency-key": "k" })).status).toBe(201);
  const counts = () => ["idempotency", "pairing_requests", "device_tokens"].map((table) => rows.count(table));
  expect(counts()).toEqual([1, 2, 1]);
  clock.advance(3_600_000);
  // On PostgreSQL the clock may pass both ends between two looks.
  await inTime(clock, () => (isOnPostgres ? expect(counts()[1]).toBeLessThan(2) : expect(counts()[1]).toBe(1)));
  clock.advance(dayMs);
  await inTime(clock, () => expect(counts()).toEqual([0, 0, 0]));
});

test("[RET5] the newest 100 replaced devices of a player still get a revocation", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  using rows = await (async () => {
    await using api = await TestService.start(folder.path, { clock });
    const { playerId } = await api.pairDevice();
    const code = (await api.newDevice()).grant.user_code;
    expect((await api.call("POST", `players/${playerId}/replace`, { code })).status).toBe(200);
    return new Rows(folder.path);
  })();
  const first = rows.ids("former_keys", "public_key");
  rows.transaction(() => {
    for (let each = 0; each < 700; each += 1)
      rows.add("former_keys", { public_key: `k${String(each).padStart(3, "0")}`, replaced_at: each });
  });
  const newest = Array.from({ length: 99 }, (_, each) => `k${601 + each}`);
  // More than one batch, deleted in one round.
  await using api = await TestService.start(folder.path, { clock });
  await soon(() => expect(rows.ids("former_keys", "public_key")).toEqual([...first, ...newest].toSorted()));
  expect(api.folder).toBe(folder.path);
});

test("[RET6] resources leave the bin after 30 days, batch by batch, and a restart continues an interrupted cleanup", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  using rows = await (async () => {
    await using api = await TestService.start(folder.path, { clock });
    const { id } = (await api.call("POST", "playlists", { name: "P" })).body;
    expect((await api.call("DELETE", `playlists/${id}`)).status).toBe(204);
    return new Rows(folder.path);
  })();
  rows.transaction(() => {
    for (let each = 0; each < 450; each += 1) rows.add("playlists", { id: `pls_${ulid(clock.now())}` });
  });
  const start = () => TestService.start(folder.path, { clock });
  clock.advance(29 * dayMs);
  {
    await using api = await start();
    expect([(await api.call("GET", "playlists")).status, rows.count("playlists")]).toEqual([200, 451]);
  }
  clock.advance(dayMs + 1);
  {
    await using api = await start();
    await soon(() => expect([api.folder, rows.count("playlists") < 451]).toEqual([folder.path, true]));
  }
  await using api = await start();
  await soon(() => expect([api.folder, rows.count("playlists")]).toEqual([folder.path, 0]));
});

test("[RET7] each team's events are deleted after a day; subscribers can resume only from newer events", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  using rows = new Rows(folder.path);
  const [us, them] = [await owner(api), await createOtherTeam(api)];
  const teams = () => new Set(rows.ids("events", "team_id"));
  for (const person of [us, us, us, them]) expect((await person.call("POST", "playlists", { name: "P" })).status).toBe(201);
  clock.advance(20 * 3_600_000);
  for (let each = 0; each < 5; each += 1) expect((await them.call("POST", "playlists", { name: "P" })).status).toBe(201);
  expect(teams()).toEqual(new Set([us.teamId, them.teamId]));
  clock.advance(5 * 3_600_000);
  await inTime(clock, () => expect(teams()).toEqual(new Set([them.teamId])));
  expect(rows.count("events")).toBe(5);
  expect(rows.ids("event_journals", "team_id || ' ' || last_seq || ' ' || trimmed_seq")).toEqual(
    [`${us.teamId} 3 3`, `${them.teamId} 6 1`].toSorted(),
  );
  using listener = new EventSubscriber(api.service.url, them.secret);
  const { epoch } = await listener.subscribe(["playlist_updates"]);
  const resumed = async (seq: number) => (await listener.subscribe(["playlist_updates"], { after: { epoch, seq } })).resumed;
  expect([await resumed(0), await resumed(1), await resumed(4)]).toEqual([false, true, true]);
});

/** Waits until `holds` stops throwing. */
function soon(holds: () => void): Promise<void> {
  return vi.waitFor(holds, { timeout: 300_000, interval: 5 });
}

/** Waits until `holds` stops throwing. Advances the clock by an hour after each failure, since a cleanup may have been running. */
function inTime(clock: FakeClock, holds: () => void): Promise<void> {
  const check = () => {
    try {
      holds();
    } catch (error) {
      clock.advance(3_600_000);
      throw error;
    }
  };
  return vi.waitFor(check, { timeout: 300_000, interval: 100 });
}
