// Teams and their members in the database.
import type { Clock } from "../../../base/clock.ts";
import type { Role } from "../../../protocol/operator/people.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { TeamRow } from "../../store/tables/people.ts";
import type { Operator } from "../operator.ts";

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
  await insertMember(db, row.id, ownerId, "owner", now);
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

export function findMembership(db: Db, teamId: string, userId: string) {
  return selectMembers(db, teamId).where("id", "=", userId).executeTakeFirst();
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

/** The teams of {@link selectOwnTeams} by name. */
export function ownTeams(db: Db, operator: Parameters<typeof selectOwnTeams>[1]) {
  return selectOwnTeams(db, operator).orderBy("team.name").orderBy("team.id").execute();
}

export function findOwnTeam(db: Db, operator: Parameters<typeof selectOwnTeams>[1], teamId: string) {
  return selectOwnTeams(db, operator).where("id", "=", teamId).executeTakeFirst();
}

export function readTeam(db: Db, teamId: string): Promise<TeamRow> {
  return db.selectFrom("teams").selectAll().where("id", "=", teamId).executeTakeFirstOrThrow();
}

/** The team with this id, or without one the oldest. */
export function findTeam(db: Db, teamId: string | null): Promise<TeamRow | undefined> {
  const teams = db.selectFrom("teams").selectAll().where("deleted_at", "is", null).orderBy("created_at").orderBy("id");
  return (teamId === null ? teams : teams.where("id", "=", teamId)).executeTakeFirst();
}

/** One of the teams of a user. */
export function findTeamOf(db: Db, userId: string): Promise<TeamRow | undefined> {
  return selectTeams(db, userId).limit(1).executeTakeFirst();
}

export function updateTeam(db: Db, teamId: string, next: Partial<TeamRow>): Promise<TeamRow> {
  return db.updateTable("teams").set(next).where("id", "=", teamId).returningAll().executeTakeFirstOrThrow();
}

/** Marks a team as deleted and removes its members. */
export async function deleteTeam(db: Db, teamId: string, now: number): Promise<void> {
  await db.updateTable("teams").set({ deleted_at: now, updated_at: now }).where("id", "=", teamId).execute();
  await db.deleteFrom("members").where("team_id", "=", teamId).execute();
}

export async function insertMember(db: Db, teamId: string, userId: string, role: string, now: number): Promise<void> {
  await db.insertInto("members").values({ team_id: teamId, user_id: userId, role, created_at: now }).execute();
}

/** True if the team has an owner besides this user. */
export async function hasOtherOwner(db: Db, teamId: string, userId: string): Promise<boolean> {
  const owners = db.selectFrom("members").select("user_id").where("team_id", "=", teamId).where("role", "=", "owner");
  return (await owners.where("user_id", "<>", userId).limit(1).executeTakeFirst()) !== undefined;
}

/** Changes the role of a member; null removes them. */
export async function setRole(db: Db, teamId: string, userId: string, role: Role | null): Promise<void> {
  if (role === null) await db.deleteFrom("members").where("team_id", "=", teamId).where("user_id", "=", userId).execute();
  else await db.updateTable("members").set({ role }).where("team_id", "=", teamId).where("user_id", "=", userId).execute();
}
