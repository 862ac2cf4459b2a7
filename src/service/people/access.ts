// Operators' access tokens: made, checked, bounded by their user's role. Only their hashes are stored.
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Clock } from "../../base/clock.ts";
import { scopes, type Role, type Scope } from "../../protocol/operator/people.ts";
import { preparedQuery } from "../store/prepared-query.ts";
import { ProblemError } from "../http/problem.ts";
import type { Db } from "../store/store.ts";
import type { TokenRow } from "../store/people-tables.ts";

// Asked at every request; a write of any kind empties it, so that what is in it is true.
const operators = new WeakMap<Db, Map<string, { operator: Operator; until: number }>>();
const maxKnown = 1_000;
// Another program that writes to the same database is heard of after this.
const knownMs = 1_000;

/** Who calls with an operator's token. */
export interface Operator {
  tokenId: string;
  teamId: string;
  userId: string;
  role: Role;
  /** What the token holds and the role still allows. */
  scopes: readonly Scope[];
  /** When the token ends, epoch ms; null: never. */
  expiresAt: number | null;
}

type RowWithRole = TokenRow & { role: string; member_id: string };

const tokensByHash = preparedQuery((db: Db, { digest }: { digest: string }) => tokensWithRole(db).where("hash", "=", digest));
// Reads are to stay cheap: the use of a token is noted this often at most.
const useNotedEveryMs = 60_000;
const prefix = "sgn_pat_";
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const challenge = { "WWW-Authenticate": 'Bearer realm="signage-player"' };

/** The SHA-256 of a secret, in hexadecimal: all that is stored of it. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
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
export function generateToken(): string {
  const body = randomText(30);
  return prefix + body + checksum(body);
}

/** What is shown of a token for people to tell it by: its last four characters. */
export function tokenHint(token: string): string {
  return token.slice(-4);
}

/** Whether `token` is well formed: prefix, length and checksum. Says nothing of whether it is known. */
export function isWellFormedToken(token: string): boolean {
  const match = /^sgn_pat_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(token);
  return match !== null && checksum(match[1]!) === match[2];
}

/** The credentials of a `Bearer` header. @throws Refusal 401 when there are none. */
export function bearerToken(authorization: string | undefined): string {
  const token = tokenIn(authorization);
  if (token === undefined) throw new ProblemError("unauthorized", "Send an access token: Authorization: Bearer …", { headers: challenge });
  return token;
}

function tokenIn(authorization: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "")?.[1];
}

/** Refuses a token that is unknown, expired or revoked; the detail does not tell which. */
export function invalidToken(): ProblemError {
  const headers = { "WWW-Authenticate": `${challenge["WWW-Authenticate"]}, error="invalid_token"` };
  return new ProblemError("unauthorized", "The access token is not valid, or no longer", { headers });
}

/** What a role may do at most. */
export function scopesOfRole(role: Role): readonly Scope[] {
  switch (role) {
    case "owner":
      return scopes;
    case "editor":
      return scopes.filter((scope) => scope !== "teams:write" && scope !== "audit:read");
    case "viewer":
      return scopes.filter((scope) => scope.endsWith(":read") && scope !== "audit:read");
  }
}

/**
 * Who the header's token belongs to. It counts only while its user is a member of its team, and for what the role allows.
 * @throws Refusal 401.
 */
export async function authenticate(db: Db, clock: Clock, authorization: string | undefined): Promise<Operator> {
  const token = bearerToken(authorization);
  if (!isWellFormedToken(token)) throw invalidToken();
  const digest = hashSecret(token);
  const now = Math.trunc(clock.now());
  const [row] = await tokensByHash(db, { digest });
  if (row === undefined || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(digest)) || !isLive(row, now)) throw invalidToken();
  const isToBeNoted = row.last_used_at === null || row.last_used_at <= now - useNotedEveryMs;
  if (isToBeNoted) {
    await db.updateTable("tokens").set({ last_used_at: now }).where("id", "=", row.id).execute();
  }
  const noteAgainAt = (isToBeNoted ? now : row.last_used_at!) + useNotedEveryMs;
  const operator = operatorIn(row);
  remember(db, digest, { operator, until: Math.min(now + knownMs, noteAgainAt, row.expires_at ?? Number.POSITIVE_INFINITY) });
  return operator;
}

/**
 * Who the header's token belongs to, if that was asked a moment ago; undefined: ask {@link authenticate}. Most requests are answered
 * by it, without a promise.
 */
export function cachedOperator(db: Db, clock: Clock, authorization: string | undefined): Operator | undefined {
  const token = tokenIn(authorization);
  const known = token === undefined ? undefined : operators.get(db)?.get(hashSecret(token));
  return known !== undefined && known.until > Math.trunc(clock.now()) ? known.operator : undefined;
}

/** Forgets who was found behind tokens: to be called when a transaction that may have changed that is committed. */
export function clearOperatorCache(db: Db): void {
  operators.get(db)?.clear();
}

function remember(db: Db, digest: string, known: { operator: Operator; until: number }): void {
  const all = operators.get(db) ?? new Map<string, typeof known>();
  if (all.size >= maxKnown) all.clear();
  operators.set(db, all.set(digest, known));
}

/**
 * Makes sure, inside the transaction of a write, that the operator may still do it: since the request came in, the token may have
 * been revoked, or its user's role lowered.
 * @returns the operator as of now
 * @throws Refusal 401, or 403 when `scope` is lost.
 */
export async function reauthorize(db: Db, clock: Clock, operator: Operator, scope: Scope | undefined): Promise<Operator> {
  const row = await tokensWithRole(db).where("tokens.id", "=", operator.tokenId).executeTakeFirst();
  if (row === undefined || !isLive(row, clock.now())) throw invalidToken();
  const present = operatorIn(row);
  if (scope !== undefined) requireScope(present, scope);
  return present;
}

/** Tokens of members, with the role that their user has now. */
function tokensWithRole(db: Db) {
  return db
    .selectFrom("tokens")
    .innerJoin("members", (join) => join.onRef("members.team_id", "=", "tokens.team_id").onRef("members.user_id", "=", "tokens.user_id"))
    .selectAll("tokens")
    .select(["members.role", "members.user_id as member_id"]);
}

function isLive({ revoked_at, expires_at }: TokenRow, now: number): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now);
}

function operatorIn(row: RowWithRole): Operator {
  return {
    tokenId: row.id,
    teamId: row.team_id,
    userId: row.member_id,
    role: row.role as Role,
    scopes: scopesIn(row),
    expiresAt: row.expires_at,
  };
}

function scopesIn(row: RowWithRole): Scope[] {
  const allowed = scopesOfRole(row.role as Role);
  return (JSON.parse(row.scopes) as Scope[]).filter((scope) => allowed.includes(scope));
}

/** @throws Refusal 403 when the operator's token lacks `scope`. */
export function requireScope(operator: Operator, scope: Scope): void {
  if (!operator.scopes.includes(scope)) throw insufficientScope([scope], `The token lacks the scope ${scope}`);
}

/** Refuses a token that lacks scopes (RFC 6750 section 3.1). */
export function insufficientScope(missing: readonly Scope[], detail: string): ProblemError {
  const headers = { "WWW-Authenticate": `${challenge["WWW-Authenticate"]}, error="insufficient_scope", scope="${missing.join(" ")}"` };
  return new ProblemError("forbidden", detail, { headers });
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
