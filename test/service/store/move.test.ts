// The move of a data folder to PostgreSQL and a bucket, in the test's process; with the programs: move.long.test.ts.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { copyBlobs } from "../../../src/service/store/move/copy-blobs.ts";
import { moveFolder } from "../../../src/service/store/move/move.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startS3Server } from "../../support/s3/server.ts";
import { s3Config } from "../content/blobs/stores.ts";
import { picture, TestService } from "../harness.ts";
import { sharedPostgres } from "../test-database.ts";

const { signal } = new AbortController();

test("[PGS18] if the database stores a value that differs from the folder, the move fails and the database stays empty", async () => {
  await using folder = await temporaryFolder();
  {
    await using _api = await TestService.start(folder.path, { database: null });
  }
  const database = await (await sharedPostgres()).createDatabase();
  const client = new pg.Client(database);
  await client.connect();
  await client.query(`CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name := NEW.name || '!'; RETURN NEW; END $$;
    CREATE TRIGGER change BEFORE INSERT ON state.teams FOR EACH ROW EXECUTE FUNCTION change()`);
  await expect(moveFolder(folder.path, database, silentLog, signal)).rejects.toMatchObject({
    code: "file-corrupt",
    message: expect.stringContaining("state.teams has other rows"),
  });
  await client.query("DROP TRIGGER change ON state.teams");
  expect((await client.query("SELECT count(*)::int AS count FROM state.teams")).rows).toEqual([{ count: 0 }]);
  await client.end();
  const moved = await moveFolder(folder.path, database, silentLog, signal);
  expect(moved.find(({ table }) => table === "state.teams")).toMatchObject({ from: { rows: 1 }, to: { rows: 1 } });
  for (const { table, from, to } of moved) expect([table, to]).toEqual([table, from]);
});

test("[PGS15] what the bucket has already is not sent again, and a damaged file is named and not sent", async () => {
  await using folder = await temporaryFolder();
  await using s3 = await startS3Server(join(folder.path, "bucket"));
  const data = join(folder.path, "data");
  const assets: { sha256: string }[] = [];
  {
    await using api = await TestService.start(data, { database: null });
    for (const format of ["png", "jpeg"] as const) assets.push((await api.upload(await picture(format, 90))).body);
    await expect.poll(async () => (await api.call("GET", "assets?status=ready")).body.data.length).toBe(2);
  }
  const { sha256: damaged } = assets[1]!;
  await writeFile(join(data, "blobs", damaged.slice(0, 2), damaged), "other bytes");
  const first = await copyBlobs(data, s3Config(s3.url), silentLog, signal);
  expect(first).toMatchObject({ sent: first.blobs, damaged: [damaged] });
  expect(first.sent).toBeGreaterThan(0);
  expect(await copyBlobs(data, s3Config(s3.url), silentLog, signal)).toMatchObject({ blobs: first.blobs, sent: 0, damaged: [damaged] });
});
