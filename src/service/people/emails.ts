// The emails of people: anybody may carry any address, and only a proven one says who somebody is.
import { ProblemError } from "../http/problem.ts";
import type { UserRow } from "../store/tables/people.ts";
import type { Db } from "../store/store.ts";

/** So many people with passwords may carry one address unproven, since signing in compares a password with those of all of them. */
export const maxUnproven = 3;

/** True if a user has proven that the email is theirs. */
export function isProven({ email, proven_email }: Pick<UserRow, "email" | "proven_email">): boolean {
  return email !== null && proven_email === email;
}

/** The user who has proven that an address is theirs; undefined: nobody. */
export function findProvenUser(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom("users").selectAll().where("proven_email", "=", email).where("email", "=", email).executeTakeFirst();
}

/**
 * Records that a user's address is theirs. Others who carry it keep it, unproven.
 * @returns false: it is another person's, or this user carries another address.
 */
export async function proveEmail(db: Db, userId: string, email: string): Promise<boolean> {
  const owner = await findProvenUser(db, email);
  if (owner !== undefined) return owner.id === userId;
  // A node of an earlier version may have changed the email of a user who had proven this one.
  await db.updateTable("users").set({ proven_email: null }).where("proven_email", "=", email).execute();
  const proven = db.updateTable("users").set({ proven_email: email }).where("id", "=", userId).where("email", "=", email);
  return (await proven.returning("id").executeTakeFirst()) !== undefined;
}

/** True if a user may sign in with a password and their address: of those who have not proven it, only some may. */
export async function hasRoom(db: Db, { id, email, proven_email }: Pick<UserRow, "id" | "email" | "proven_email">): Promise<boolean> {
  if (email === null || isProven({ email, proven_email })) return true;
  const others = await db
    .selectFrom("passwords")
    .innerJoin("users", "users.id", "passwords.user_id")
    .select(["users.email", "users.proven_email"])
    .where("passwords.email", "=", email)
    .where("users.id", "<>", id)
    .execute();
  return others.filter((each) => !isProven(each)).length < maxUnproven;
}

/** @throws ProblemError 409 if a user would be one too many who signs in with a password and this address without having proven it. */
export async function requireRoom(db: Db, user: Parameters<typeof hasRoom>[1]): Promise<void> {
  if (await hasRoom(db, user)) return;
  throw new ProblemError(
    "conflict",
    `${maxUnproven} people sign in with this email already, and none of them has proven that it is theirs: use another one, or prove it first`,
  );
}
