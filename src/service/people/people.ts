// People in teams: how they are looked up and shown, and what becomes of their tokens when their role does.
import type { Invitation, CreatedToken, Member, Role, Scope, Team, Token, User } from "../../protocol/operator/people.ts";
import { generateToken, hashSecret, tokenHint, scopesOfRole } from "./access.ts";
import type { Clock } from "../../base/clock.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { InvitationRow, TeamRow, TokenRow, UserRow } from "../store/tables.ts";

type Making = { makeId: MakeId; clock: Clock };

/** A token to be made. */
export interface TokenDetails {
  teamId: string;
  userId: string;
  name: string;
  scopes: readonly Scope[];
  createdBy: string | null;
  expiresAt: number | null;
}

/** Makes a token; the secret is in the answer and nowhere else. */
export async function issueToken({ makeId, clock }: Making, db: Db, wish: TokenDetails): Promise<CreatedToken> {
  const secret = generateToken();
  const row: TokenRow = {
    id: makeId("tok"),
    team_id: wish.teamId,
    user_id: wish.userId,
    name: wish.name,
    hash: hashSecret(secret),
    hint: tokenHint(secret),
    scopes: JSON.stringify(wish.scopes),
    created_by: wish.createdBy,
    created_at: Math.trunc(clock.now()),
    expires_at: wish.expiresAt,
    revoked_at: null,
    last_used_at: null,
  };
  await db.insertInto("tokens").values(row).execute();
  return { ...showToken(row), secret };
}

/** Adds a person. */
export async function createUser({ makeId, clock }: Making, db: Db, about: { name: string; email: string | null }): Promise<UserRow> {
  const now = Math.trunc(clock.now());
  const row = { id: makeId("usr"), ...about, created_at: now, updated_at: now };
  await db.insertInto("users").values(row).execute();
  return row;
}

/** A person as a member of a team. */
export type Membership = Omit<Member, "created_at" | "role"> & { id: string; role: string; created_at: number };

/** A team's members, a row each, whose `id` is the person's. */
export function selectMembers(db: Db, teamId: string) {
  const rows = db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .select(["users.id", "users.id as user_id", "users.name", "users.email", "members.role", "members.created_at"])
    .where("members.team_id", "=", teamId);
  return db.selectFrom(rows.as("member")).selectAll();
}

/** A person's teams, a row each, with the role in it. */
export function selectTeams(db: Db, userId: string) {
  const rows = db
    .selectFrom("members")
    .innerJoin("teams", "teams.id", "members.team_id")
    .selectAll("teams")
    .select("members.role")
    .where("members.user_id", "=", userId)
    .where("teams.deleted_at", "is", null);
  return db.selectFrom(rows.as("team")).selectAll();
}

/**
 * Fits a person's tokens in a team to a role: they lose what it does not allow, and those left with nothing are revoked. Null, for
 * no member any more, revokes them all. Invitations by someone who may no longer invite are withdrawn.
 * @returns the tokens that lost something, to be ended once this is committed.
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
  const cut: string[] = [];
  for (const row of rows) {
    const held = JSON.parse(row.scopes) as Scope[];
    const kept = held.filter((scope) => allowed.includes(scope));
    if (role !== null && kept.length === held.length) continue;
    cut.push(row.id);
    const change = kept.length === 0 ? { revoked_at: now } : { scopes: JSON.stringify(kept) };
    await db.updateTable("tokens").set(change).where("id", "=", row.id).execute();
  }
  if (!allowed.includes("teams:write")) {
    await updatePendingInvitations(db, teamId).set({ revoked_at: now }).where("created_by", "=", userId).execute();
  }
  return cut;
}

/** A team's invitations that nobody has accepted or withdrawn, to be changed. */
export function updatePendingInvitations(db: Db, teamId: string) {
  return db.updateTable("invitations").where("team_id", "=", teamId).where("accepted_at", "is", null).where("revoked_at", "is", null);
}

export function showTeam(row: TeamRow): Team {
  return { id: row.id, name: row.name, created_at: time(row.created_at), updated_at: time(row.updated_at) };
}

export function showUser(row: UserRow): User {
  return { id: row.id, name: row.name, email: row.email, created_at: time(row.created_at), updated_at: time(row.updated_at) };
}

export function showMember({ user_id, name, email, role, created_at }: Membership): Member {
  return { user_id, name, email, role: role as Role, created_at: time(created_at) };
}

export function showInvitation(row: InvitationRow, now: number): Invitation {
  const { id, team_id, email, name, created_by } = row;
  const ended = row.accepted_at !== null ? "accepted" : row.revoked_at !== null ? "revoked" : null;
  const status = ended ?? (row.expires_at <= now ? "expired" : "pending");
  const times = { created_at: time(row.created_at), expires_at: time(row.expires_at) };
  return { id, team_id, email, name, role: row.role as Role, status, created_by, ...times };
}

export function showToken(row: TokenRow): Token {
  return {
    id: row.id,
    team_id: row.team_id,
    // Every token that is good has one: the start gives it to those of earlier versions.
    user_id: row.user_id!,
    name: row.name,
    hint: row.hint,
    scopes: JSON.parse(row.scopes) as Scope[],
    created_by: row.created_by,
    created_at: time(row.created_at),
    expires_at: row.expires_at === null ? null : time(row.expires_at),
    last_used_at: row.last_used_at === null ? null : time(row.last_used_at),
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
