// Fills a team with one resource of every kind, using the examples in the table of operations.
import type { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import sharp from "sharp";
import { expect } from "vitest";
import { z } from "zod";
import { ulid } from "../../src/base/ulid.ts";
import { operations } from "../../src/service/operations/operations.ts";
import type { Operation } from "../../src/service/operations/operation.ts";
import type { ProblemRecord } from "../../src/protocol/device/problem-records.ts";
import { heartbeat, picture, type ApiResponse, type TestService, type Device } from "./harness.ts";
import { addPasskey, browserAtLocalhost } from "./people/passkeys/passkey-browser.ts";
import type { Person } from "./people/people.ts";

const anId = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{26}$/;
/** The operations of operators. */
export const operatorOperations = operations.filter(({ caller }) => caller === "operator");

/** One id of each kind: the first one found. */
export type IdPool = Map<string, string>;

function collect(value: unknown, pool: IdPool): void {
  if (typeof value === "string") {
    const prefix = anId.exec(value)?.[1];
    if (prefix !== undefined && !pool.has(prefix)) pool.set(prefix, value);
  } else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) collect(part, pool);
}

/** The result of {@link populateTeam}. */
export interface PopulatedTeam {
  pool: IdPool;
  device: Device;
}

/** All ids in a value, at any depth. */
export function idsWithin(value: unknown): string[] {
  return JSON.stringify(value).match(/[a-z]+_[0-9a-hjkmnp-tv-z]{26}/g) ?? [];
}

/** Copies a value with each id replaced by the pool's id of the same kind; null if the pool has none. */
export function withIds<T>(value: T, pool: IdPool): T | null {
  let isWhole = true;
  const replaced = JSON.parse(JSON.stringify(value), (_name, part: unknown) => {
    const prefix = typeof part === "string" ? anId.exec(part)?.[1] : undefined;
    if (prefix === undefined) return part;
    if (!pool.has(prefix)) isWhole = false;
    return pool.get(prefix);
  }) as T;
  return isWhole ? replaced : null;
}

/** A parameter's JSON Schema. */
interface Property {
  $ref?: string;
  pattern?: string;
  enum?: string[];
}

/** The JSON Schemas of an operation's parameters, with references resolved. */
export function propertiesOf(schema: z.ZodType | undefined): Record<string, Property> {
  if (schema === undefined) return {};
  type Described = Property & { properties?: Record<string, Property> };
  const whole = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Described & { $defs?: Record<string, Described> };
  const follow = (each: Described): Described => (each.$ref === undefined ? each : whole.$defs![each.$ref.split("/").at(-1)!]!);
  return Object.fromEntries(Object.entries(follow(whole).properties ?? {}).map(([name, each]) => [name, follow(each)]));
}

/** The parameters that are ids: name and kind, in the order of the path. */
export function idsIn(schema: z.ZodType | undefined): { name: string; prefix: string }[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, { pattern }]) => {
    const prefix = /^\^([a-z]+)_\[/.exec(pattern ?? "")?.[1];
    return prefix === undefined ? [] : [{ name, prefix }];
  });
}

/** Fills in the parameters of an operation's path. */
export function fillPath(path: string, values: Record<string, string>): string {
  return path.slice(1).replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? name);
}

/** Calls an operation. One that accepts bytes gets a TIFF, which is converted, so that the asset has an original. */
export async function callOperation(person: Person, each: Operation, path: string, body: unknown): Promise<ApiResponse> {
  if (each.bytes !== undefined) return person.call(each.method, path, await converted(), { "content-type": "image/tiff" });
  return person.call(each.method, path, each.body === undefined ? undefined : body);
}

async function converted(): Promise<Buffer> {
  return sharp(await picture())
    .tiff()
    .toBuffer();
}

/** Creates one resource of every kind: those that need a device step by step, the others with the examples of their operations. */
export async function populateTeam(api: TestService, person: Person, file: DatabaseSync): Promise<PopulatedTeam> {
  const pool: IdPool = new Map();
  collect([person.userId, person.teamId, person.tokenId], pool);
  const device = await api.newDevice();
  collect((await person.call("POST", "players/pair", { code: device.grant.user_code, name: "Screen" })).body, pool);
  await device.firstToken();
  expect((await device.putScreenshot(`shot_${ulid(Date.now())}`, await picture())).status).toBeLessThan(300);
  expect((await device.putLog(`log_${ulid(Date.now())}`, gzipSync("a line\n"))).status).toBeLessThan(300);
  const upload = await person.call("POST", "uploads", undefined, { "tus-resumable": "1.0.0", "upload-length": "10" });
  expect(upload.status).toBe(201);

  let left = operatorOperations.filter(
    ({ name, method, status }) => method === "POST" && (status === 201 || status === 202) && name !== "pairPlayer",
  );
  for (let isMoving = true; isMoving;) {
    isMoving = false;
    const later: typeof left = [];
    for (const each of left) {
      const own = Object.fromEntries(idsIn(each.params).map(({ name, prefix }) => [name, pool.get(prefix)]));
      const body = withIds(each.example ?? {}, pool);
      const isReady = body !== null && !Object.values(own).includes(undefined);
      const answer = isReady ? await callOperation(person, each, fillPath(each.path, own as Record<string, string>), body) : null;
      if (answer === null || answer.status >= 300) later.push(each);
      else {
        collect(answer.body, pool);
        isMoving = true;
      }
    }
    left = later;
  }
  collect((await addPasskey(await browserAtLocalhost(api, person))).passkey, pool);
  const inWaves = { target: { player_ids: [device.playerId] }, type: "reload", waves: { size: 1 } };
  collect((await person.call("POST", "commands", inWaves)).body, pool);
  for (const { table } of tablesOf(file)) {
    if (file.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE name = 'team_id'`).get() === undefined) continue;
    collect(file.prepare(`SELECT * FROM ${table} WHERE team_id = ?`).all(person.teamId), pool);
  }
  collect(writeAlert(file, person, device), pool);
  collect(writeIdentity(file, person.userId), pool);
  const shown = { layout_id: pool.get("lay"), tags: ["lobby"] };
  expect((await person.call("PATCH", `players/${device.playerId}`, shown)).status).toBe(200);
  expect((await person.call("PATCH", `assets/${pool.get("ast")}`, { tags: ["lobby"] })).status).toBe(200);
  expect((await sendHeartbeat(device)).status).toBe(200);
  expect((await device.call("POST", "play-events", { events: [playEvent(pool, Date.now())] })).body.accepted).toBe(1);
  expect((await device.call("PUT", `problems/prb_${ulid(Date.now())}`, problemRecord(pool))).status).toBe(204);
  return { pool, device };
}

/** Sends the heartbeat that a populated team's device has sent: again, it changes no row. */
function sendHeartbeat(device: Device): Promise<ApiResponse> {
  return device.call("POST", "heartbeat", heartbeat({ last_frame_at: null, rendering: false, uptime_ms: 120_000 }));
}

/** Writes an open alert: it takes minutes until one opens. @returns its id. */
export function writeAlert(file: DatabaseSync, { teamId }: { teamId: string }, { playerId }: { playerId: string }): string {
  const id = `alr_${ulid(Date.now())}`;
  const now = Date.now();
  const what = { kind: "hot", state: "open", detail: "It is at 90 °C", remedy: "Give it air.", mail_group: "" };
  const row = { id, team_id: teamId, created_at: now, player_id: playerId, player_name: "Screen", since: now, opened_at: now, ...what };
  const names = Object.keys(row);
  file.prepare(`INSERT INTO alerts (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(...Object.values(row));
  return id;
}

/** Links an account of single sign-on to a user, which only a provider can. @returns its id. */
export function writeIdentity(file: DatabaseSync, userId: string): string {
  const id = `idn_${ulid(Date.now())}`;
  file.prepare("INSERT INTO identities VALUES (?, 'https://login.example.com', ?, ?, NULL, 0, 0)").run(id, id, userId);
  return id;
}

/** A problem of an item with the pool's ids. */
function problemRecord(pool: IdPool): ProblemRecord {
  const at = new Date(Date.now() - 60_000).toISOString();
  const about = { zone_id: pool.get("zon")!, item_id: pool.get("itm")!, detail: "It is too large", remedy: "Use a smaller one." };
  return { code: "item-load", ...about, started_at: at, ended_at: null, times: 1 };
}

/** A play event of an override with the pool's ids, a minute before `now`, UTC ms. */
export function playEvent(pool: IdPool, now: number): unknown {
  const of = (prefix: string) => pool.get(prefix)!;
  const at = new Date(now - 60_000).toISOString();
  return {
    id: `evt_${ulid(Date.now())}`,
    layout_id: of("lay"),
    zone_id: of("zon"),
    schedule_id: of("sch"),
    override_id: of("cmd"),
    layer: "override",
    item_id: of("itm"),
    asset_id: of("ast"),
    sha256: null,
    revision: "r1",
    result: "completed",
    reason: null,
    started_at: at,
    ended_at: at,
    duration_ms: 0,
    started_monotonic_ms: 0,
    ended_monotonic_ms: 0,
    boot_id: "b1",
    clock_offset_ms: 0,
    clock_error_ms: null,
  };
}

/** The tables of a database. */
export function tablesOf(file: DatabaseSync): { table: string }[] {
  return file.prepare(`SELECT name AS "table" FROM sqlite_master WHERE type = 'table' ORDER BY name`).all() as { table: string }[];
}
