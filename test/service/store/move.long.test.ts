// signage-service migrate and move, as programs with a real PostgreSQL.
import { writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { serviceKeyFile } from "../../../src/service/fleet/devices/signer.ts";
import { TableDigest } from "../../../src/service/store/move/table-digest.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";
import { startS3Server, testBucket, testCredentials } from "../../support/s3/server.ts";
import { s3Config } from "../content/blobs/stores.ts";
import { heartbeat, picture, TestService } from "../harness.ts";
import { sharedPostgres } from "../test-database.ts";

const patient = { timeout: 120_000 };

/** Runs a program to its end. @returns its lines of JSON and its exit code */
async function run(...flags: string[]): Promise<{ code: number | null; lines: Record<string, unknown>[] }> {
  await using program = new Program(["src/main/cli.ts", ...flags]);
  const code = await program.exitCode;
  const lines = program.output.trim().split("\n");
  return { code, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test("[PGS11] migrate prepares a database, and changes nothing the second time", patient, async () => {
  const database = await (await sharedPostgres()).createDatabase(false);
  const first = await run("migrate", "--database", database);
  expect([first.code, first.lines.at(-1)!["msg"]]).toEqual([0, "the database is migrated"]);
  expect(first.lines.at(-1)!["migrations"]).toBeGreaterThan(40);
  const second = await run("migrate", "--database", database);
  expect([second.code, second.lines.at(-1)]).toMatchObject([0, { migrations: 0, msg: "the database was up to date" }]);
  const missing = await run("migrate", "--database", "postgres://nobody@127.0.0.1:9/none");
  expect([missing.code, missing.lines.at(-1)!["msg"]]).toEqual([1, expect.stringContaining("the database cannot be reached")]);
});

test("[PGS12] move copies every row of a data folder, and a service on the database goes on with them", patient, async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "data");
  const database = await (await sharedPostgres()).createDatabase(false);
  let listed: unknown;
  let playerId: string;
  {
    await using api = await TestService.start(data, { database: null });
    const device = await api.pairDevice("Lobby “1”, \\ and {braces}");
    ({ playerId } = device);
    await api.showPicture(device);
    await device.call("POST", "heartbeat", heartbeat());
    for (let count = 0; count < 2_100; count += 700) {
      const rows = Array.from({ length: 700 }, (_, index) => ({ name: `Show ${count + index}`, items: [] }));
      await Promise.all(rows.map((row) => api.call("POST", "playlists", row)));
    }
    listed = (await api.call("GET", "players")).body.data.map(({ id, name }: { id: string; name: string }) => [id, name]);
  }
  // Earlier versions stored times with fractions.
  using state = new DatabaseSync(join(data, "state.db"));
  state.exec("UPDATE players SET maintenance_until = 1795527595273.75");
  const { code, lines } = await run("move", "--from", data, "--to", database);
  expect([code, lines.at(-1)!["msg"]]).toEqual([0, expect.stringContaining("moved")]);
  const tables = lines.filter(({ msg }) => msg === "table moved");
  expect(tables.length).toBeGreaterThan(50);
  for (const each of tables) expect([each["rows_there"], each["digest_there"]]).toEqual([each["rows"], each["digest"]]);
  for (const { name } of state.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'kysely%'").all()) {
    const { count } = state.prepare(`SELECT count(*) AS count FROM "${String(name)}"`).get()!;
    const moved = tables.find(({ table }) => table === `state.${String(name)}`);
    expect([name, moved?.["rows"] ?? 0]).toEqual([name, count]);
  }
  await using api = await TestService.start(data, { database });
  expect((await api.call("GET", "players")).body.data.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual(listed);
  expect((await api.call("GET", `players/${playerId}`)).body.last_seen_at).not.toBeNull();
  expect((await api.call("GET", "audit/verify")).body.holds).toBe(true);
  // Where all nodes read it.
  const key = await serviceKeyFile(data).read();
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query("SELECT value FROM state.meta WHERE key = 'service-key'");
  await client.end();
  expect(rows.map(({ value }) => JSON.parse(value))).toEqual([key.is === "found" && key.value]);
});

test("[PGS15] move --blobs copies the blobs into the bucket, goes on after an interruption, and names damaged ones", patient, async () => {
  await using folder = await temporaryFolder();
  await using s3 = await startS3Server(join(folder.path, "bucket"));
  const data = join(folder.path, "data");
  const database = await (await sharedPostgres()).createDatabase(false);
  const pictures = [await picture("png", 90), await picture("jpeg", 90), await picture("webp", 90)];
  const assets: { id: string; sha256: string }[] = [];
  {
    await using api = await TestService.start(data, { database: null });
    for (const bytes of pictures) assets.push((await api.upload(bytes)).body);
    await expect.poll(async () => (await api.call("GET", `assets/${assets[2]!.id}`)).body.status).toBe("ready");
  }
  const damaged = assets[1]!;
  const pathOf = (sha256: string) => join(data, "blobs", sha256.slice(0, 2), sha256);
  await writeFile(pathOf(damaged.sha256), "other bytes");
  const { accessKeyId, secretAccessKey } = testCredentials;
  await writeFile(join(folder.path, "secret"), secretAccessKey);
  const bucket = ["--blobs", `s3://${testBucket}/fleet`, "--s3-endpoint", s3.url, "--s3-path-style", "--s3-access-key-id", accessKeyId];
  const flags = ["move", "--from", data, "--to", database, ...bucket, "--s3-secret-key-file", join(folder.path, "secret")];
  const sent = () => s3.requests.filter(({ method, url }) => method === "PUT" && url.includes("/blobs/")).map(({ url }) => url);
  // The bucket fails at one of the files: nothing is moved.
  s3.faults.add({ kind: "error", method: "PUT", key: assets[2]!.sha256, times: 4 });
  const failed = await run(...flags);
  expect([failed.code, failed.lines.at(-1)!["msg"]]).toEqual([1, expect.stringContaining("responds with 500")]);
  const before = sent().length;
  const { code, lines } = await run(...flags);
  expect([code, lines.at(-1)!["msg"]]).toEqual([0, expect.stringContaining("moved: start the service with --database and --blobs")]);
  const copied = lines.find(({ msg }) => msg === "the blobs are in the bucket, except the damaged ones")!;
  expect(copied).toMatchObject({ damaged: 1, to: `s3://${testBucket}/fleet at ${new URL(s3.url).host}` });
  expect(copied["sent"]).toBe(sent().length - before);
  expect(copied["sent"]).toBeLessThan(Number(copied["blobs"]));
  expect(lines.filter(({ msg }) => String(msg).includes("missing or damaged")).map(({ sha256 }) => sha256)).toEqual([damaged.sha256]);
  // Another place is refused, and the bucket serves the files.
  await expect(TestService.start(data, { database })).rejects.toMatchObject({ code: "refused" });
  await using api = await TestService.start(data, { database, s3: s3Config(s3.url) });
  const read = (id: string) => api.call("GET", `assets/${id}/content`);
  expect((await read(assets[0]!.id)).body).toEqual(pictures[0]);
  expect((await read(assets[2]!.id)).body).toEqual(pictures[2]);
  expect((await read(damaged.id)).body.type).toBe("/problems/file-damaged");
});

test("[PGS13] move refuses a folder in use, one without data, and a database that has rows; nothing changes then", patient, async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "data");
  const server = await sharedPostgres();
  const database = await server.createDatabase(false);
  {
    await using _api = await TestService.start(data, { database: null });
    const inUse = await run("move", "--from", data, "--to", database);
    expect([inUse.code, inUse.lines.at(-1)!["msg"]]).toEqual([1, expect.stringContaining("another program uses")]);
  }
  const empty = await run("move", "--from", join(folder.path, "none"), "--to", database);
  expect([empty.code, empty.lines.at(-1)!["msg"]]).toEqual([1, expect.stringContaining("contains no data of a service")]);
  expect((await run("move", "--from", data, "--to", database)).code).toBe(0);
  const again = await run("move", "--from", data, "--to", database);
  expect([again.code, again.lines.at(-1)!["msg"]]).toEqual([1, expect.stringContaining("is not empty")]);
  // A row that PostgreSQL cannot store: nothing is moved.
  using state = new DatabaseSync(join(data, "state.db"));
  state.prepare("UPDATE users SET name = ?").run("a\0b");
  const other = await server.createDatabase(false);
  const refused = await run("move", "--from", data, "--to", other);
  expect([refused.code, refused.lines.at(-1)!["msg"]]).toEqual([1, expect.stringContaining("a row of state.users cannot be stored")]);
  state.prepare("UPDATE users SET name = ?").run("ab");
  expect((await run("move", "--from", data, "--to", other)).code).toBe(0);
});

test("[PGS14] the digest of a table is that of its rows in any order, and of each as often as it is there", () => {
  const digestOf = (...rows: (string | number | null)[][]) => {
    const digest = new TableDigest();
    for (const row of rows) digest.add(row);
    return digest.summary();
  };
  expect(digestOf(["a", 1], ["b", null])).toEqual(digestOf(["b", null], ["a", 1]));
  const different = [
    digestOf(),
    digestOf(["a"]),
    digestOf(["a"], ["a"]),
    digestOf(["a"], ["a"], ["a"]),
    digestOf(["a", null]),
    digestOf([1]),
    digestOf(["1"]),
  ];
  expect(new Set(different.map(({ digest }) => digest)).size).toBe(different.length);
});
