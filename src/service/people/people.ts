// Users and their memberships: queries, and the effects of a changed role on tokens and invitations.
import type { Clock } from "../../base/clock.ts";
import type { Role, Scope } from "../../protocol/operator/people.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { TeamRow, UserRow } from "../store/people-tables.ts";
import { scopesOfRole, type Operator } from "./operator.ts";

export async function createUser(
  { makeId, clock }: { makeId: MakeId; clock: Clock },
  db: Db,
  details: { name: string; email: string | null },
): Promise<UserRow> {
  const now = Math.trunc(clock.now());
  const row = { id: makeId("usr"), ...details, proven_email: null, created_at: now, updated_at: now };
  await db.insertInto("users").values(row).execute();
  return row;
}

/** Creates a team with one member, its owner. */
export async function insertTeam(
  { clock, makeId }: { clock: Clock; makeId: MakeId },
  db: Db,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<TeamRow> {
  const now = Math.trunc(clock.now());
  const row: TeamRow = {
    id: makeId("team"),
    name,
    safe_asset_id: null,
    approval: "none",
    created_at: now,
    updated_at: now,
    deleted_at: null,
  };
  await db.insertInto("teams").values(row).execute();
  const member = { team_id: row.id, user_id: ownerId, role: "owner" satisfies Role, created_at: now };
  await db.insertInto("members").values(member).execute();
  return row;
}

/** The members of a team; the `id` of a row is the user's. */
export function selectMembers(db: Db, teamId: string) {
  const rows = db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .select(["users.id", "users.id as user_id", "users.name", "users.email", "users.proven_email", "members.role", "members.created_at"])
    .where("members.team_id", "=", teamId);
  return db.selectFrom(rows.as("member")).selectAll();
}

/** The teams of a user, with the user's role in each. */
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

/** The teams that an operator may know of: those of their user, for a confined session only its own. */
export function selectOwnTeams(db: Db, { userId, teamId, confinedBy }: Pick<Operator, "userId" | "teamId" | "confinedBy">) {
  const teams = selectTeams(db, userId);
  return confinedBy === null ? teams : teams.where("id", "=", teamId);
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
  if (!allowed.includes("teams:write")) {
    await updatePendingInvitations(db, teamId).set({ revoked_at: now }).where("created_by", "=", userId).execute();
  }
  return changed;
}

/** An update of a team's invitations that are neither accepted nor revoked. */
export function updatePendingInvitations(db: Db, teamId: string) {
  return db.updateTable("invitations").where("team_id", "=", teamId).where("accepted_at", "is", null).where("revoked_at", "is", null);
}
