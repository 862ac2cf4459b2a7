// Whom a sign-in link is for: a member of the caller's team, or anybody if the service's machine asks.
import type { Role } from "../../../protocol/operator/people.ts";
import type { NewSignInLink } from "../../../protocol/operator/sessions.ts";
import { invalidField, found, ProblemError } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import { findProvenUser } from "../emails.ts";
import { requireRoleScopes } from "../grants.ts";
import type { Operator } from "../operator.ts";
import { selectMembers, selectTeams } from "../store/teams.ts";
import { readUser } from "../store/users.ts";

/** Whom a link signs in, and where. */
interface LinkPerson {
  userId: string;
  name: string;
  /** The team in which the session begins. */
  teamId: string;
}

/** @throws ProblemError 403 for a member with a higher role than the caller's; 404 if there is no such person; 409 if there are several. */
export async function findLinkPerson(db: Db, operator: Operator, { user_id, email }: NewSignInLink): Promise<LinkPerson> {
  if (operator.isMachine)
    return email === undefined ? findAnybody(db, operator, user_id ?? operator.userId) : findByEmail(db, operator, email);
  if (email !== undefined) throw invalidField("/email", "is for the token of the service's machine: name a member of the team by user_id");
  const { teamId } = operator;
  const row = await selectMembers(db, teamId)
    .where("id", "=", user_id ?? operator.userId)
    .executeTakeFirst();
  const member = found(row, "member of this team");
  requireRoleScopes(operator, member.role as Role, "To sign in as this member");
  return { userId: member.id, name: member.name, teamId };
}

/** Their session begins in the machine's team if they are in it, else in the oldest of theirs. */
async function findAnybody(db: Db, { teamId }: Operator, userId: string): Promise<LinkPerson> {
  const teams = await selectTeams(db, userId).orderBy("created_at").orderBy("id").execute();
  const team = found(teams.find(({ id }) => id === teamId) ?? teams[0], "person with this id in any team");
  const { name } = await readUser(db, userId);
  return { userId, name, teamId: team.id };
}

/** Whoever has proven the email, else the only person who carries it. */
async function findByEmail(db: Db, operator: Operator, email: string): Promise<LinkPerson> {
  const proven = await findProvenUser(db, email);
  if (proven !== undefined) return findAnybody(db, operator, proven.id);
  const users = db.selectFrom("users").select(["id", "name"]).where("email", "=", email).orderBy("id");
  const people = await users.where("id", "in", db.selectFrom("members").select("user_id")).execute();
  if (people.length > 1) {
    const names = people.map(({ id, name }) => `${name} (${id})`).join(", ");
    throw new ProblemError("conflict", `Several people have the email ${email}, and none has proven it. Name one by id: ${names}`);
  }
  return findAnybody(db, operator, found(people[0], `person with the email ${email} in any team`).id);
}
