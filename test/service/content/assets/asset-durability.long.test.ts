// Durability of assets: after a kill between any two steps, and after an upgrade from an older version.
import { createHash } from "node:crypto";
import { mkdirSync, watch } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Kysely, SqliteDialect } from "kysely";
import { Migrator } from "kysely/migration";
import { expect, test } from "vitest";
import { Asset } from "../../../../src/protocol/content/assets.ts";
import { adaptDatabase } from "../../../../src/service/store/store.ts";
import { migrations } from "../../../../src/service/store/migrations/index.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { Program } from "../../../support/programs/programs.ts";
import { TestService, blobsIn, call, picture } from "../../harness.ts";
import { openTables } from "../../tables-of.ts";
import { isOnPostgres } from "../../test-database.ts";

const patient = { timeout: 20_000 };
const hashOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

async function start(folder: string) {
  const program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", folder]);
  const url = String((await program.line("listening"))["url"]);
  const authorization = `Bearer ${(await readFile(join(folder, "admin-token"), "utf8")).trim()}`;
  return { program, call: (method: string, path: string, body?: Buffer) => call(url, method, path, body, { authorization }) };
}

type Running = Awaited<ReturnType<typeof start>>;

/** Checks that every asset has all its bytes, and that no other bytes are stored. */
async function expectWhole({ call: ask }: Running, folder: string, answered: readonly string[]): Promise<void> {
  let assets: Asset[] = [];
  await expect
    .poll(async () => {
      assets = Asset.array().parse((await ask("GET", "assets?limit=100")).body.data);
      return assets.every(({ status }) => status === "ready");
    }, patient)
    .toBe(true);
  for (const { id, sha256 } of assets) expect(hashOf((await ask("GET", `assets/${id}/content`)).body)).toBe(sha256);
  const ids = assets.map(({ id }) => id);
  for (const id of answered) expect(ids).toContain(id);
  const thumbnails = await Promise.all(assets.map(async ({ thumbnail_url }) => hashOf((await ask("GET", thumbnail_url!)).body)));
  const named = new Set([...assets.map(({ sha256 }) => sha256!), ...thumbnails]);
  await expect.poll(async () => (await blobsIn(folder)).toSorted(), patient).toEqual([...named].toSorted());
  expect(await readdir(join(folder, "blobs/incoming"))).toEqual([]);
}

test(
  "[AST29] after a kill between any two steps of an upload, the service starts without partial assets and orphaned files",
  { timeout: 180_000 },
  async () => {
    await using folder = await temporaryFolder();
    const answered: string[] = [];
    // The steps that are visible from outside: the first bytes arrive, the blob gets its name, the response arrives, the thumbnail
    // gets its name. Kill at each step, at once and a moment later, when the next step may be half done.
    const steps = ["incoming", "named", "answered", "thumbnail"] as const;
    let running = await start(folder.path);
    for (const [round, step] of [...steps, ...steps].entries()) {
      const bytes = await picture("png", 200 + round);
      const blob = hashOf(bytes);
      const shard = join(folder.path, "blobs", blob.slice(0, 2));
      mkdirSync(shard, { recursive: true });
      using watched = new DisposableStack();
      const seen = Promise.withResolvers<void>();
      const see = (path: string, isIt: (name: string) => boolean) => {
        const watcher = watch(path, { recursive: true }, (_event, name) => isIt(name ?? "") && seen.resolve());
        watched.defer(() => watcher.close());
      };
      if (step === "incoming") see(join(folder.path, "blobs/incoming"), () => true);
      if (step === "named") see(shard, (name) => name.endsWith(blob));
      if (step === "thumbnail") see(join(folder.path, "blobs"), (name) => /\/[0-9a-f]{64}$/.test(name) && !name.endsWith(blob));
      const uploading = running.call("POST", "assets?name=x", bytes).then(
        ({ status, body }) => {
          if (status === 201) answered.push(body.id);
          if (step === "answered") seen.resolve();
        },
        () => undefined,
      );
      await seen.promise;
      const afterMs = Math.floor(round / steps.length) * 3;
      if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
      process.kill(running.program.pid, "SIGKILL");
      await uploading;
      await running.program[Symbol.asyncDispose]();
      running = await start(folder.path);
      await expectWhole(running, folder.path, answered);
    }
    await running.program[Symbol.asyncDispose]();
    expect(answered.length).toBeGreaterThanOrEqual(2);
  },
);

test.skipIf(isOnPostgres)("[UPL8] data folders of older versions are migrated: their assets stay and get thumbnails", async () => {
  await using folder = await temporaryFolder();
  const bytes = await picture();
  const sha256 = hashOf(bytes);
  const file = openTables(folder.path);
  const db = new Kysely<never>({ dialect: new SqliteDialect({ database: adaptDatabase(file) }) });
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => ({ "0001-first": migrations["0001-first"]! }) },
  }).migrateToLatest();
  expect(error).toBeUndefined();
  const team = "team_01jd3v8q6m9x2k4n7r5t1w0yzh";
  const id = "ast_01jd3v8q6m9x2k4n7r5t1w0yzh";
  file.prepare("INSERT INTO teams VALUES (?, 'Team', 1)").run(team);
  const columns = "id, team_id, created_at, name, mime_type, size_bytes, sha256, width, height";
  file.prepare(`INSERT INTO assets (${columns}) VALUES (?, ?, 1, 'old', 'image/png', ?, ?, 64, 64)`).run(id, team, bytes.length, sha256);
  await db.destroy();
  await mkdir(join(folder.path, "blobs", sha256.slice(0, 2)), { recursive: true });
  await writeFile(join(folder.path, "blobs", sha256.slice(0, 2), sha256), bytes);
  await using api = await TestService.start(folder.path);
  await expect.poll(async () => (await api.call("GET", `assets/${id}`)).body.status, patient).toBe("ready");
  const asset = Asset.parse((await api.call("GET", `assets/${id}`)).body);
  expect(asset).toMatchObject({ name: "old", kind: "image", tags: [], sha256, warnings: [], deleted_at: null });
  expect((await api.call("GET", asset.thumbnail_url!)).status).toBe(200);
  expect((await api.call("GET", asset.url!)).body).toEqual(bytes);
});
