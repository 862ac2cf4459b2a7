// Finds the operator that a token belongs to. A service of one process caches looked-up operators for a second.
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Role, Scope } from "../../protocol/operator/people.ts";
import { preparedQuery } from "../store/prepared-query.ts";
import { ProblemError } from "../http/problem.ts";
import type { Db, Store } from "../store/store.ts";
import type { TokenRow } from "../store/tables/people.ts";
import { bearerChallenge, requireScope, scopesOfRole, scopesOfSession, type Operator } from "./operator.ts";
import { confinedByOf } from "./sessions/confinement.ts";
import { idleMs } from "./sessions/session-limits.ts";
import { hashSecret, isWellFormedSession, isWellFormedToken } from "./token-secrets.ts";

interface CachedOperator {
  operator: Operator;
  /** Epoch ms. */
  until: number;
}

type RowWithRole = TokenRow & {
  role: string;
  member_id: string;
  proved_at: number | null;
  method: string | null;
  link_by: string | null;
};

// By the hash of the token. Every committed write clears the cache, so its entries are never outdated by the service itself.
const operators = new WeakMap<Db, Map<string, CachedOperator>>();
const maxCached = 1_000;
// How soon a change by another program that writes to the same database is noticed.
const cachedMs = 1_000;
// Limits the writes that reads cause.
const useRecordedEveryMs = 60_000;

const tokensByHash = preparedQuery((db: Db, { digest }: { digest: string }) => selectTokensWithRole(db).where("hash", "=", digest));

/** The token of an `Authorization: Bearer` header. @throws ProblemError 401 when there is none. */
export function bearerToken(authorization: string | undefined): string {
  const token = parseBearer(authorization);
  if (token !== undefined) return token;
  throw missingToken();
}

function missingToken(): ProblemError {
  return new ProblemError("unauthorized", "Send an access token: Authorization: Bearer …", { headers: bearerChallenge() });
}

/** The token of an `Authorization: Bearer` header; undefined: there is none. */
export function parseBearer(authorization: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "")?.[1];
}

/** The error for a token that is unknown, expired or revoked. It does not reveal which. */
export function invalidToken(): ProblemError {
  return new ProblemError("unauthorized", "The access token is unknown, expired or revoked", {
    headers: bearerChallenge('error="invalid_token"'),
  });
}

/**
 * The operator with this secret of a token or a session. It is valid only while its user is a member of its team.
 * @throws ProblemError 401.
 */
export async function authenticate(db: Db, clock: Clock, secret: string | undefined): Promise<Operator> {
  if (secret === undefined) throw missingToken();
  const isSession = isWellFormedSession(secret);
  if (!isSession && !isWellFormedToken(secret)) throw invalidToken();
  const digest = hashSecret(secret);
  const now = Math.trunc(clock.now());
  const [row] = await tokensByHash(db, { digest });
  if (row === undefined || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(digest)) || !isValid(row, now)) throw invalidToken();
  const mustRecordUse = row.last_used_at === null || row.last_used_at <= now - useRecordedEveryMs;
  if (mustRecordUse) await db.updateTable("tokens").set({ last_used_at: now }).where("id", "=", row.id).execute();
  const recordNextUseAt = (mustRecordUse ? now : row.last_used_at!) + useRecordedEveryMs;
  const operator = operatorFromRow(row, mustRecordUse ? now : row.last_used_at);
  cacheOperator(db, digest, { operator, until: Math.min(now + cachedMs, recordNextUseAt, operator.expiresAt ?? Number.POSITIVE_INFINITY) });
  return operator;
}

/**
 * The operator with this secret, if it was looked up within the last second; undefined: call {@link authenticate}.
 * Synchronous, since most requests take this path.
 */
export function cachedOperator(db: Db, clock: Clock, secret: string | undefined): Operator | undefined {
  const cached = secret === undefined ? undefined : operators.get(db)?.get(hashSecret(secret));
  return cached !== undefined && cached.until > Math.trunc(clock.now()) ? cached.operator : undefined;
}

/** Caches the operators of a store that only this process changes. */
export function cacheOperators(store: Store): void {
  const cached = new Map<string, CachedOperator>();
  operators.set(store.db, cached);
  store.onCommit(() => cached.clear());
}

function cacheOperator(db: Db, digest: string, cached: CachedOperator): void {
  const all = operators.get(db);
  if (all !== undefined && all.size >= maxCached) all.clear();
  all?.set(digest, cached);
}

/**
 * Checks inside the transaction of a write that the operator may still perform it: since the request arrived, the token may have
 * been revoked or its user demoted.
 * @returns the operator as it is now
 * @throws ProblemError 401, or 403 when `scope` was lost.
 */
export async function reauthorize(db: Db, clock: Clock, operator: Pick<Operator, "tokenId">, scope: Scope | undefined): Promise<Operator> {
  const row = await selectTokensWithRole(db).where("tokens.id", "=", operator.tokenId).executeTakeFirst();
  if (row === undefined || !isValid(row, clock.now())) throw invalidToken();
  const current = operatorFromRow(row, row.last_used_at);
  if (scope !== undefined) requireScope(current, scope);
  return current;
}

/** Tokens of members, with the user's current role. */
function selectTokensWithRole(db: Db) {
  return db
    .selectFrom("tokens")
    .innerJoin("members", (join) => join.onRef("members.team_id", "=", "tokens.team_id").onRef("members.user_id", "=", "tokens.user_id"))
    .leftJoin("sessions", "sessions.token_id", "tokens.id")
    .selectAll("tokens")
    .select(["members.role", "members.user_id as member_id", "sessions.proved_at", "sessions.method", "sessions.link_by"]);
}

function isValid(row: RowWithRole, now: number): boolean {
  // A node of an earlier version, which does not yet know confined sessions, has begun it: nobody knows who made its link.
  if (row.method === "link" && row.link_by === null) return false;
  const end = endOf(row, row.last_used_at);
  return row.revoked_at === null && (end === null || end > now);
}

/** When a token ends, epoch ms; null: never. A session also ends when it is not used for long. */
function endOf({ expires_at, proved_at }: RowWithRole, usedAt: number | null): number | null {
  if (proved_at === null || usedAt === null) return expires_at;
  return Math.min(expires_at ?? Number.POSITIVE_INFINITY, usedAt + idleMs);
}

function operatorFromRow(row: RowWithRole, usedAt: number | null): Operator {
  const role = row.role as Role;
  const isSession = row.proved_at !== null;
  const confinedBy = confinedByOf(row);
  const allowed = isSession ? scopesOfSession(role, { confinedBy }) : scopesOfRole(role);
  return {
    tokenId: row.id,
    isSession,
    provedAt: row.proved_at,
    confinedBy,
    isMachine: row.is_machine === 1,
    teamId: row.team_id,
    userId: row.member_id,
    role,
    // A person who is signed in has the rights of their role now, also if it was raised since.
    scopes: isSession ? allowed : (JSON.parse(row.scopes) as Scope[]).filter((scope) => allowed.includes(scope)),
    expiresAt: endOf(row, usedAt),
  };
}
