// Access tokens in the database, and the times of the sessions that are tokens in a cookie.
import type { Role, Scope } from "../../../protocol/operator/people.ts";
import type { SessionRow, TokenRow } from "../../store/tables/people.ts";
import type { Db } from "../../store/store.ts";
import { scopesOfRole } from "../operator.ts";
import { withdrawInvitations } from "./invitations.ts";

export function readToken(db: Db, tokenId: string): Promise<TokenRow> {
  return db.selectFrom("tokens").selectAll().where("id", "=", tokenId).executeTakeFirstOrThrow();
}

export function findToken(db: Db, hash: string): Promise<TokenRow | undefined> {
  return db.selectFrom("tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
}

/** The valid tokens of a team, or those of one user. The sessions of browsers have a list of their own. */
export function selectTokens(db: Db, teamId: string, userId?: string) {
  const tokens = db.selectFrom("tokens").selectAll().where("team_id", "=", teamId).where("revoked_at", "is", null);
  const rows = tokens.where("id", "not in", db.selectFrom("sessions").select("token_id"));
  return userId === undefined ? rows : rows.where("user_id", "=", userId);
}

/** One of {@link selectTokens}. */
export function findTokenOf(db: Db, teamId: string, userId: string | undefined, tokenId: string): Promise<TokenRow | undefined> {
  return selectTokens(db, teamId, userId).where("id", "=", tokenId).executeTakeFirst();
}

export function renameToken(db: Db, tokenId: string, name: string): Promise<TokenRow> {
  return db.updateTable("tokens").set({ name }).where("id", "=", tokenId).returningAll().executeTakeFirstOrThrow();
}

/** Revokes all tokens of a team. @returns their ids; pass them to {@link TokenExpiry.end}. */
export async function revokeTeamTokens(db: Db, teamId: string, revoked_at: number): Promise<string[]> {
  const tokens = db.updateTable("tokens").set({ revoked_at }).where("team_id", "=", teamId).where("revoked_at", "is", null);
  return (await tokens.returning("id").execute()).map(({ id }) => id);
}

/**
 * Removes from a user's tokens in a team the scopes that the new role does not allow, and revokes tokens without any scope left.
 * A role of null, for a removed member, revokes all tokens. Withdraws the user's pending invitations if the role cannot invite.
 * @returns the ids of the changed tokens; pass them to {@link TokenExpiry.end}.
 */
export async function restrictTokensToRole(db: Db, now: number, teamId: string, userId: string, role: Role | null): Promise<string[]> {
  const allowed = role === null ? [] : scopesOfRole(role);
  const rows = await db
    .selectFrom("tokens")
    .select(["id", "scopes"])
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
  const changed: string[] = [];
  for (const row of rows) {
    const before = JSON.parse(row.scopes) as Scope[];
    const remaining = before.filter((scope) => allowed.includes(scope));
    if (role !== null && remaining.length === before.length) continue;
    changed.push(row.id);
    const change = remaining.length === 0 ? { revoked_at: now } : { scopes: JSON.stringify(remaining) };
    await db.updateTable("tokens").set(change).where("id", "=", row.id).execute();
  }
  if (!allowed.includes("teams:write")) await withdrawInvitations(db, teamId, now, userId);
  return changed;
}

/** The session with its token. */
export function readSession(db: Db, sessionId: string): Promise<SessionRow & TokenRow> {
  const sessions = db.selectFrom("tokens").innerJoin("sessions", "sessions.token_id", "tokens.id").selectAll();
  return sessions.where("id", "=", sessionId).executeTakeFirstOrThrow();
}

/** Records that the person of a session has just proved who they are. */
export async function recordProof(db: Db, sessionId: string, proved_at: number): Promise<void> {
  await db.updateTable("sessions").set({ proved_at }).where("token_id", "=", sessionId).execute();
}
