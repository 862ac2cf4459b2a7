// Teams isolate: every operation of the table that takes an id is tried with the ids of another team.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import sharp from "sharp";
import { expect, test } from "vitest";
import { z } from "zod";
import { ulid } from "../../src/base/ulid.ts";
import { operations } from "../../src/service/operations.ts";
import type { Operation } from "../../src/service/operations/operation.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Bench, picture, type Answer } from "./harness.ts";
import { otherTeam, owner, type Person } from "./people.ts";

const anId = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{26}$/;
const patience = 120_000;
const asked = operations.filter(({ caller }) => caller === "operator");

/** An id of each kind that a team has; the first one found stays. */
type Pool = Map<string, string>;

function collect(value: unknown, pool: Pool): void {
  if (typeof value === "string") {
    const prefix = anId.exec(value)?.[1];
    if (prefix !== undefined && !pool.has(prefix)) pool.set(prefix, value);
  } else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) collect(part, pool);
}

/** The same with each id replaced by the pool's; null when the pool has none of a kind. */
function withIds<T>(value: T, pool: Pool): T | null {
  let isWhole = true;
  const replaced = JSON.parse(JSON.stringify(value), (_name, part: unknown) => {
    const prefix = typeof part === "string" ? anId.exec(part)?.[1] : undefined;
    if (prefix === undefined) return part;
    if (!pool.has(prefix)) isWhole = false;
    return pool.get(prefix);
  }) as T;
  return isWhole ? replaced : null;
}

/** The ids that a schema of parameters takes: name and kind, in the order of the path. */
function idsIn(schema: z.ZodType | undefined): { name: string; prefix: string }[] {
  if (schema === undefined) return [];
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, { pattern?: string }>;
  };
  return Object.entries(properties).flatMap(([name, { pattern }]) => {
    const prefix = /^\^([a-z]+)_\[/.exec(pattern ?? "")?.[1];
    return prefix === undefined ? [] : [{ name, prefix }];
  });
}

function fill(path: string, values: Record<string, string>): string {
  return path.slice(1).replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? name);
}

async function send(person: Person, each: Operation, path: string, body: unknown): Promise<Answer> {
  // Of a kind that is converted, so that there is an original too.
  if (each.bytes !== undefined)
    return person.call(
      each.method,
      path,
      await sharp(await picture())
        .tiff()
        .toBuffer(),
      { "content-type": "image/tiff" },
    );
  return person.call(each.method, path, each.body === undefined ? undefined : body);
}

/** Gives a team one of everything: what needs a device by hand, the rest by the examples of the operations that create. */
async function furnish(bench: Bench, person: Person, file: DatabaseSync): Promise<Pool> {
  const pool: Pool = new Map();
  collect([person.userId, person.teamId, person.tokenId], pool);
  const device = await bench.device();
  collect((await person.call("POST", "players/pair", { code: device.grant.user_code, name: "Screen" })).body, pool);
  await device.firstToken();
  expect((await device.putScreenshot(`shot_${ulid(Date.now())}`, await picture())).status).toBeLessThan(300);
  const begun = await person.call("POST", "uploads", undefined, { "tus-resumable": "1.0.0", "upload-length": "10" });
  expect(begun.status).toBe(201);

  let left = asked.filter(({ name, method, status }) => method === "POST" && (status === 201 || status === 202) && name !== "pairPlayer");
  for (let isMoving = true; isMoving;) {
    isMoving = false;
    const later: Operation[] = [];
    for (const each of left) {
      const own = Object.fromEntries(idsIn(each.params).map(({ name, prefix }) => [name, pool.get(prefix)]));
      const body = withIds(each.example ?? {}, pool);
      const isReady = body !== null && !Object.values(own).includes(undefined);
      const answer = isReady ? await send(person, each, fill(each.path, own as Record<string, string>), body) : null;
      if (answer === null || answer.status >= 300) later.push(each);
      else {
        collect(answer.body, pool);
        isMoving = true;
      }
    }
    left = later;
  }
  for (const { table } of tablesOf(file)) {
    if (file.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE name = 'team_id'`).get() === undefined) continue;
    collect(file.prepare(`SELECT * FROM ${table} WHERE team_id = ?`).all(person.teamId), pool);
  }
  return pool;
}

function tablesOf(file: DatabaseSync): { table: string }[] {
  return file.prepare(`SELECT name AS "table" FROM sqlite_master WHERE type = 'table' ORDER BY name`).all() as { table: string }[];
}

// What the service does by itself meanwhile: thumbnails, imports, webhooks, and what it tells of them.
const background = ["events", "event_journals", "webhook_messages", "webhook_deliveries", "webhook_attempts"];
const own = { last_used_at: 0, status: "", error: "", source_url: "", thumbnail_sha256: "", thumbnail_bytes: 0, thumbnail_tries: 0 };

/** All that the database holds, but for what the service changes by itself. */
function contentOf(file: DatabaseSync): string {
  const tables = tablesOf(file).filter(({ table }) => !background.includes(table));
  return JSON.stringify(
    tables.map(({ table }) => [
      table,
      file
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map((row) => (table === "assets" ? { ...row, ...own, updated_at: 0 } : { ...row, last_used_at: 0 })),
    ]),
  );
}

test("[TM10] another team's id is not found on any operation that takes one, and nothing changes", { timeout: patience }, async () => {
  await using folder = await temporaryFolder();
  await using bench = await Bench.start(folder.path);
  const us = await owner(bench);
  const them = await otherTeam(bench);
  using file = new DatabaseSync(join(folder.path, "state.db"), { timeout: 10_000 });
  const ours = await furnish(bench, us, file);
  const theirs = await furnish(bench, them, file);
  expect([...ours.keys()].toSorted()).toEqual([...theirs.keys()].toSorted());
  for (const [prefix, id] of ours) expect(theirs.get(prefix)).not.toBe(id);

  let tried = 0;
  for (const each of asked) {
    const ids = idsIn(each.params);
    if (ids.length === 0) continue;
    for (const { prefix } of ids) expect(theirs.has(prefix), `${each.name}: furnish() makes no ${prefix}_ yet`).toBe(true);
    if (each.body !== undefined) expect(each.example, `${each.name} has a body and no example of it`).toBeDefined();
    const body = withIds(each.example ?? {}, ours);
    const idsFrom = (pools: Pool[]) => Object.fromEntries(ids.map(({ name, prefix }, place) => [name, pools[place]!.get(prefix)!]));
    // All of them theirs; and of several each one alone.
    const mixtures = ids.length === 1 ? [] : ids.map((_id, place) => ids.map((_other, index) => (index === place ? theirs : ours)));
    for (const pools of [ids.map(() => theirs), ...mixtures]) {
      const before = contentOf(file);
      const path = fill(each.path, idsFrom(pools));
      const answer = await send(us, each, path, body);
      expect([each.name, path, answer.status]).toEqual([each.name, path, 404]);
      expect(contentOf(file), `${each.name} changed something`).toBe(before);
      tried += 1;
    }
    // Were the addresses themselves wrong, all of the above would be 404 too.
    if (each.method === "GET") {
      const path = fill(each.path, idsFrom(ids.map(() => ours)));
      expect([each.name, path, (await us.call("GET", path)).status]).not.toEqual([each.name, path, 404]);
    }
  }
  expect(tried).toBeGreaterThan(30);
});

test("[TM11] another team's id in a body or a query leads to nothing of theirs", { timeout: patience }, async () => {
  await using folder = await temporaryFolder();
  await using bench = await Bench.start(folder.path);
  const us = await owner(bench);
  const them = await otherTeam(bench);
  using file = new DatabaseSync(join(folder.path, "state.db"), { timeout: 10_000 });
  const ours = await furnish(bench, us, file);
  const theirs = await furnish(bench, them, file);
  let tried = 0;
  for (const each of asked) {
    const own = Object.fromEntries(idsIn(each.params).map(({ name, prefix }) => [name, ours.get(prefix)!]));
    const body = withIds(each.example ?? {}, theirs);
    if (each.body !== undefined && JSON.stringify(body) !== JSON.stringify(withIds(each.example ?? {}, ours))) {
      const before = contentOf(file);
      const answer = await send(us, each, fill(each.path, own), body);
      expect([400, 403, 404, 409, 422], `${each.name}: ${answer.status}`).toContain(answer.status);
      expect(contentOf(file), `${each.name} changed something`).toBe(before);
      tried += 1;
    }
    for (const { name, prefix } of idsIn(each.query)) {
      expect(theirs.has(prefix), `${each.name}: furnish() makes no ${prefix}_ yet`).toBe(true);
      const answer = await us.call(each.method, `${fill(each.path, own)}?${name}=${theirs.get(prefix)}`);
      if (answer.status === 200) expect(answer.body.data, `${each.name}?${name}`).toEqual([]);
      else expect([404, 422], `${each.name}?${name}`).toContain(answer.status);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(3);
});
