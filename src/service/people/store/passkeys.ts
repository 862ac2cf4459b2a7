// Passkeys in the database.
import type { PasskeyRow } from "../../store/tables/people.ts";
import type { Db } from "../../store/store.ts";

/** The passkeys of a user, oldest first. */
export function passkeysOf(db: Db, userId: string): Promise<PasskeyRow[]> {
  return db.selectFrom("passkeys").selectAll().where("user_id", "=", userId).orderBy("id").execute();
}

export function findPasskey(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom("passkeys").selectAll().where("credential_id", "=", credentialId).executeTakeFirst();
}

export async function insertPasskey(db: Db, row: PasskeyRow): Promise<void> {
  await db.insertInto("passkeys").values(row).execute();
}

export function renamePasskey(db: Db, passkeyId: string, name: string): Promise<PasskeyRow> {
  return db.updateTable("passkeys").set({ name }).where("id", "=", passkeyId).returningAll().executeTakeFirstOrThrow();
}

/** Stores that a passkey was used. @returns false if it was removed or used meanwhile. */
export async function updateCounter(db: Db, { id, counter: before }: PasskeyRow, counter: number, now: number): Promise<boolean> {
  const used = db.updateTable("passkeys").set({ counter, last_used_at: now }).where("id", "=", id).where("counter", "=", before);
  return (await used.returning("id").executeTakeFirst()) !== undefined;
}

export async function deletePasskey(db: Db, passkeyId: string): Promise<void> {
  await db.deleteFrom("passkeys").where("id", "=", passkeyId).execute();
}
