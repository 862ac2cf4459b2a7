// Links that sign a person in once.
import type { Clock } from "../../base/clock.ts";
import type { SignInLink } from "../../protocol/operator/sessions.ts";
import { ProblemError } from "../http/problem.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { SignInLinkRow } from "../store/people-tables.ts";
import { hashSecret, randomText } from "./token-secrets.ts";

const linkMs = 60 * 60_000;

/** Whom a link signs in, and where the service is. */
interface NewLink {
  teamId: string;
  userId: string;
  name: string;
  createdBy: string | null;
  /** The address of the service, as the reader of the link knows it. */
  baseUrl: string;
}

/** Creates a link that signs a member in once, within an hour. */
export async function createSignInLink(
  { clock, makeId }: { clock: Clock; makeId: MakeId },
  db: Db,
  { teamId, userId, name, createdBy, baseUrl }: NewLink,
): Promise<SignInLink> {
  const now = Math.trunc(clock.now());
  const secret = `sgn_lnk_${randomText(43)}`;
  const row: SignInLinkRow = {
    id: makeId("lnk"),
    team_id: teamId,
    user_id: userId,
    secret_hash: hashSecret(secret),
    created_by: createdBy,
    created_at: now,
    expires_at: now + linkMs,
    used_at: null,
  };
  await db.insertInto("sign_in_links").values(row).execute();
  const expires_at = new Date(row.expires_at).toISOString();
  // Behind `#`, so that no server's log and no Referer header contains it.
  return { id: row.id, user_id: userId, name, url: `${baseUrl}/sign-in#link=${secret}`, secret, expires_at };
}

/** Uses a link. @throws ProblemError 401 if it is unknown, used or expired. */
export async function useSignInLink({ clock }: { clock: Clock }, db: Db, secret: string): Promise<SignInLinkRow> {
  const now = Math.trunc(clock.now());
  const row = await db
    .updateTable("sign_in_links")
    .set({ used_at: now })
    .where("secret_hash", "=", hashSecret(secret))
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new ProblemError("unauthorized", "The sign-in link is unknown, was used or has expired: ask an owner for another one");
}

/** Makes the unused links of a user invalid. */
export async function withdrawSignInLinks(db: Db, userId: string): Promise<void> {
  await db.deleteFrom("sign_in_links").where("user_id", "=", userId).where("used_at", "is", null).execute();
}
