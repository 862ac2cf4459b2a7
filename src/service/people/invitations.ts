// Accepted invitations: whoever has the secret of a pending one joins its team.
import { ProblemError } from "../http/problem.ts";
import type { InvitationRow } from "../store/tables/people.ts";
import type { Db } from "../store/store.ts";
import { showInvitation } from "./people-resources.ts";
import { findInvitation } from "./store/invitations.ts";
import { findMembership, insertMember } from "./store/teams.ts";
import { hashSecret } from "./token-secrets.ts";
import { updateTeamRow } from "../store/tables/team-rows.ts";

/** An invitation, and whether its secret was mailed to its email and shown to nobody: whoever has it then has proven the email. */
export type PresentedInvitation = InvitationRow & { isMailed: boolean };

/** The invitation with this secret. @throws ProblemError 404 unless it is pending. */
export async function findPendingInvitation(db: Db, secret: string, now: number): Promise<PresentedInvitation> {
  const hash = hashSecret(secret);
  const row = await findInvitation(db, hash);
  if (row !== undefined && showInvitation(row, now).status === "pending") return { ...row, isMailed: row.mailed_secret_hash === hash };
  throw new ProblemError("not-found", "The invitation is unknown, used, withdrawn or expired: ask for a new one");
}

/** Makes a user a member of the invitation's team, and uses the invitation. @throws ProblemError 409 for a member of the team. */
export async function joinTeam(db: Db, { id, team_id, role }: InvitationRow, userId: string, now: number): Promise<void> {
  const present = await findMembership(db, team_id, userId);
  if (present !== undefined) throw new ProblemError("conflict", "You are already a member of this team");
  await insertMember(db, team_id, userId, role, now);
  await updateTeamRow(db, "invitations", id, { accepted_at: now });
}
