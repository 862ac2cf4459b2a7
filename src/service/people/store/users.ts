// Users in the database.
import type { Clock } from "../../../base/clock.ts";
import type { MakeId } from "../../store/ids.ts";
import type { EmailProofRow, UserRow } from "../../store/tables/people.ts";
import type { Db } from "../../store/store.ts";

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

export function readUser(db: Db, userId: string): Promise<UserRow> {
  return db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
}

export async function findUserName(db: Db, userId: string): Promise<string | undefined> {
  return (await db.selectFrom("users").select("name").where("id", "=", userId).executeTakeFirst())?.name;
}

/** The user, if they are a member of the team. */
export function findMember(db: Db, teamId: string, userId: string): Promise<UserRow | undefined> {
  const members = db.selectFrom("users").innerJoin("members", "members.user_id", "users.id").selectAll("users");
  return members.where("members.team_id", "=", teamId).where("users.id", "=", userId).executeTakeFirst();
}

/** Changes a user's name and email. A new email is unproven, and also that of the user's password. */
export async function updateUser(
  db: Db,
  userId: string,
  next: { name: string; email: string | null },
  { hasNewEmail, now }: { hasNewEmail: boolean; now: number },
): Promise<UserRow> {
  const { email } = next;
  if (hasNewEmail && email !== null) await db.updateTable("passwords").set({ email }).where("user_id", "=", userId).execute();
  return db
    .updateTable("users")
    .set({ ...next, ...(hasNewEmail ? { proven_email: null } : {}), updated_at: now })
    .where("id", "=", userId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The code that was mailed to a user to prove their email. */
export function findEmailProof(db: Db, userId: string): Promise<EmailProofRow | undefined> {
  return db.selectFrom("email_proofs").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** Stores the code that is mailed to a user. An earlier code becomes invalid. */
export async function putEmailProof(db: Db, row: EmailProofRow): Promise<void> {
  const proof = db.insertInto("email_proofs").values(row);
  await proof.onConflict((conflict) => conflict.column("user_id").doUpdateSet(row)).execute();
}

export async function deleteEmailProof(db: Db, userId: string): Promise<void> {
  await db.deleteFrom("email_proofs").where("user_id", "=", userId).execute();
}

/** True if anybody has a way to sign in besides links. */
export async function hasWayToSignIn(db: Db): Promise<boolean> {
  for (const table of ["passwords", "passkeys", "identities"] as const) {
    if ((await db.selectFrom(table).select("user_id").limit(1).executeTakeFirst()) !== undefined) return true;
  }
  return false;
}
