// Operators' access tokens: made, checked, scoped. Only their hashes are stored.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type { Clock } from "../base/clock.ts";
import { syncFolder } from "../base/durable-file.ts";
import type { Log } from "../base/log.ts";
import type { MakeId } from "./ids.ts";
import { Refusal } from "./problem.ts";
import type { Db, Store } from "./store.ts";

/** What a token may allow. */
const scopes = [
  "players:read",
  "players:write",
  "playlists:read",
  "playlists:write",
  "layouts:read",
  "layouts:write",
  "schedules:read",
  "schedules:write",
  "assets:read",
  "assets:write",
  "commands:read",
  "commands:write",
  "screenshots:read",
  "events:read",
  "webhooks:read",
  "webhooks:write",
] as const;
export type Scope = (typeof scopes)[number];

/** Who calls with an operator's token. */
export interface Operator {
  tokenId: string;
  teamId: string;
  scopes: readonly string[];
}

const prefix = "sgn_pat_";
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const challenge = { "WWW-Authenticate": 'Bearer realm="signage-player"' };

/** The SHA-256 of a secret, in hexadecimal: all that is stored of it. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** A text of `length` base-62 digits drawn evenly. */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte; bytes above would favour the first digits.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += digits[byte % 62]!;
  }
  return text;
}

/** A fresh token: 30 random digits and a checksum, so that scanners know it and typing errors show. */
export function createToken(): string {
  const body = randomText(30);
  return prefix + body + checksum(body);
}

/** Whether `token` is well formed: prefix, length and checksum. Says nothing of whether it is known. */
export function isToken(token: string): boolean {
  const match = /^sgn_pat_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(token);
  return match !== null && checksum(match[1]!) === match[2];
}

/** The credentials of a `Bearer` header. @throws Refusal 401 when there are none. */
export function bearerOf(authorization: string | undefined): string {
  const match = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "");
  if (match === null) {
    throw new Refusal("unauthorized", "Send an access token: Authorization: Bearer …", { headers: challenge });
  }
  return match[1]!;
}

/** Refuses a token that is unknown, expired or revoked; the detail does not tell which. */
export function refuseToken(): Refusal {
  const headers = { "WWW-Authenticate": `${challenge["WWW-Authenticate"]}, error="invalid_token"` };
  return new Refusal("unauthorized", "The access token is not valid, or no longer", { headers });
}

/** Who the header's token belongs to. @throws Refusal 401. */
export async function authenticate(db: Db, clock: Clock, authorization: string | undefined): Promise<Operator> {
  const token = bearerOf(authorization);
  if (!isToken(token)) throw refuseToken();
  const hash = hashOf(token);
  const row = await db.selectFrom("tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
  const isGood =
    row !== undefined &&
    timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash)) &&
    row.revoked_at === null &&
    (row.expires_at === null || row.expires_at > clock.now());
  if (!isGood) throw refuseToken();
  return { tokenId: row.id, teamId: row.team_id, scopes: JSON.parse(row.scopes) as string[] };
}

/** @throws Refusal 403 when the operator's token lacks `scope`. */
export function demand(operator: Operator, scope: Scope): void {
  if (operator.scopes.includes(scope)) return;
  const headers = { "WWW-Authenticate": `${challenge["WWW-Authenticate"]}, error="insufficient_scope", scope="${scope}"` };
  throw new Refusal("forbidden", `The token lacks the scope ${scope}`, { headers });
}

/**
 * Makes sure that there is a team and that `folder`/admin-token holds a token with all scopes. A file that is missing or
 * holds no valid token is written anew: deleting it and starting again is the way back in. Earlier tokens stay valid.
 */
export async function ensureAdmin(store: Store, folder: string, makeId: MakeId, clock: Clock, log: Log): Promise<void> {
  const file = join(folder, "admin-token");
  const present = (await readFile(file, "utf8").catch(ifMissing))?.trim();
  if (present !== undefined && (await isValid(store.db, clock, present))) return;
  const token = createToken();
  const isFirst = await store.write((db) => insertAdmin(db, token, makeId, clock));
  await writeSecret(file, `${token}\n`);
  if (isFirst) log.info({ path: file }, "wrote the first access token");
  else log.warn({ path: file }, "wrote a new access token, since the file held no valid one");
}

async function insertAdmin(db: Db, token: string, makeId: MakeId, clock: Clock): Promise<boolean> {
  const now = Math.trunc(clock.now());
  const known = await db.selectFrom("teams").select("id").orderBy("created_at").limit(1).executeTakeFirst();
  const teamId = known?.id ?? makeId("team");
  if (known === undefined) await db.insertInto("teams").values({ id: teamId, name: "Team", created_at: now }).execute();
  const secret = { hash: hashOf(token), scopes: JSON.stringify(scopes), expires_at: null, revoked_at: null };
  await db
    .insertInto("tokens")
    .values({ id: makeId("tok"), team_id: teamId, name: "admin-token file", created_at: now, ...secret })
    .execute();
  return known === undefined;
}

async function isValid(db: Db, clock: Clock, token: string): Promise<boolean> {
  try {
    await authenticate(db, clock, `Bearer ${token}`);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Writes a file that only its owner may read, whole or not at all. */
async function writeSecret(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let place = 0; place < 6; place += 1) {
    text = digits[rest % 62]! + text;
    rest = Math.trunc(rest / 62);
  }
  return text;
}
