// The browsers in which people have signed in: a long-lived secret in a cookie marks them.
import type { Db } from "../../store/store.ts";
import { hashSecret, randomText } from "../token-secrets.ts";

/** The mark of a browser in which a person has signed in before; undefined: it has none that is known. */
export function findBrowser(db: Db, secret: string | undefined) {
  return db
    .selectFrom("known_browsers")
    .selectAll()
    .where("secret_hash", "=", hashSecret(secret ?? ""))
    .executeTakeFirst();
}

/**
 * Marks the browser in which a user has signed in. A mark that the user does not have already is replaced by a new one: an attacker
 * may have planted it.
 * @returns its secret, for the cookie
 */
export async function markBrowser(db: Db, userId: string, presented: string | undefined, now: number): Promise<string> {
  const known = db.updateTable("known_browsers").set({ used_at: now }).where("user_id", "=", userId);
  const kept = await known
    .where("secret_hash", "=", hashSecret(presented ?? ""))
    .returning("user_id")
    .executeTakeFirst();
  if (kept !== undefined && presented !== undefined) return presented;
  const secret = `sgn_brw_${randomText(43)}`;
  await db
    .insertInto("known_browsers")
    .values({ secret_hash: hashSecret(secret), user_id: userId, used_at: now })
    .execute();
  return secret;
}

/** Forgets the browsers of a user, except the one with this secret. */
export async function forgetBrowsers(db: Db, userId: string, except: string | undefined): Promise<void> {
  await db
    .deleteFrom("known_browsers")
    .where("user_id", "=", userId)
    .where("secret_hash", "<>", hashSecret(except ?? ""))
    .execute();
}
