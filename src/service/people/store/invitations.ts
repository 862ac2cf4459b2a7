// Invitations in the database. An invitation is pending until it is accepted, withdrawn or too old.
import type { InvitationRow } from "../../store/tables/people.ts";
import type { Db } from "../../store/store.ts";

/** The invitation with this secret, which its page or its mail contains. */
export function findInvitation(db: Db, hash: string): Promise<InvitationRow | undefined> {
  const rows = db.selectFrom("invitations").selectAll();
  return rows.where((each) => each.or([each("secret_hash", "=", hash), each("mailed_secret_hash", "=", hash)])).executeTakeFirst();
}

/** A pending invitation of the email to the team. */
export function findPendingOf(db: Db, teamId: string, email: string, now: number): Promise<InvitationRow | undefined> {
  return selectPending(db, now).where("team_id", "=", teamId).where("email", "=", email).executeTakeFirst();
}

/** The newest pending invitation of the email to any team, whose tokens do not expire. */
export function findLastingOf(db: Db, email: string, now: number): Promise<InvitationRow | undefined> {
  return selectPending(db, now)
    .innerJoin("teams", "teams.id", "invitations.team_id")
    .where("email", "=", email)
    .where("token_expires_at", "is", null)
    .where("deleted_at", "is", null)
    .orderBy("invitations.created_at", "desc")
    .executeTakeFirst();
}

/** Withdraws the pending invitations to a team, or those of one user. */
export async function withdrawInvitations(db: Db, teamId: string, revoked_at: number, createdBy?: string): Promise<void> {
  const pending = updatePending(db).set({ revoked_at }).where("team_id", "=", teamId);
  await (createdBy === undefined ? pending : pending.where("created_by", "=", createdBy)).execute();
}

/** Withdraws the pending invitations that these tokens created. Call it wherever tokens are revoked. */
export async function withdrawInvitationsByTokens(db: Db, tokenIds: readonly string[], revoked_at: number): Promise<void> {
  await updatePending(db).set({ revoked_at }).where("token_id", "in", tokenIds).execute();
}

function selectPending(db: Db, now: number) {
  const rows = db.selectFrom("invitations").selectAll("invitations").where("accepted_at", "is", null).where("revoked_at", "is", null);
  return rows.where("expires_at", ">", now);
}

function updatePending(db: Db) {
  return db.updateTable("invitations").where("accepted_at", "is", null).where("revoked_at", "is", null);
}
