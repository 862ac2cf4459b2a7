// The accounts at the provider of single sign-on that sign people in. Their subject decides, never an email that may have changed.
import { iso } from "../../../base/time.ts";
import type { Identity } from "../../../protocol/operator/sessions.ts";
import type { MakeId } from "../../store/ids.ts";
import type { IdentityRow } from "../../store/tables/people.ts";
import type { Db } from "../../store/store.ts";
import { proveEmail } from "../emails.ts";
import type { SsoPerson } from "./single-sign-on.ts";

/** The account of a person at the provider; undefined: it was never linked. */
export function findIdentity(db: Db, { issuer, subject }: Pick<SsoPerson, "issuer" | "subject">): Promise<IdentityRow | undefined> {
  return db.selectFrom("identities").selectAll().where("issuer", "=", issuer).where("subject", "=", subject).executeTakeFirst();
}

/** The accounts of a user, the oldest first. */
export function identitiesOf(db: Db, userId: string): Promise<IdentityRow[]> {
  return db.selectFrom("identities").selectAll().where("user_id", "=", userId).orderBy("created_at").orderBy("id").execute();
}

/** Links an account to a user, whose email it proves if the provider has verified the same one. @returns its id */
export async function linkIdentity(
  db: Db,
  makeId: MakeId,
  userId: string,
  { issuer, subject, email }: SsoPerson,
  now: number,
): Promise<string> {
  const id = makeId("idn");
  await db.insertInto("identities").values({ id, issuer, subject, user_id: userId, email, created_at: now, last_used_at: now }).execute();
  // Whoever runs the service chose the provider and trusts it with emails. Only now, when the person was found out in another way: an
  // account that was linked in an earlier version may have been linked to somebody else who carried the email.
  if (email !== null) await proveEmail(db, userId, email);
  return id;
}

/** Records that an account was used. */
export async function recordUse(db: Db, id: string, { email }: SsoPerson, now: number): Promise<void> {
  await db
    .updateTable("identities")
    .set({ last_used_at: now, ...(email === null ? {} : { email }) })
    .where("id", "=", id)
    .execute();
}

export async function deleteIdentity(db: Db, id: string): Promise<void> {
  await db.deleteFrom("identities").where("id", "=", id).execute();
}

export function showIdentity({ id, issuer, email, created_at, last_used_at }: IdentityRow): Identity {
  return { id, issuer, email, created_at: iso(created_at), last_used_at: iso(last_used_at) };
}
