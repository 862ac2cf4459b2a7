// Links that sign a person in once.
import type { Clock } from "../../../base/clock.ts";
import { hourMs, iso } from "../../../base/time.ts";
import type { SignInLink } from "../../../protocol/operator/sessions.ts";
import type { Role } from "../../../protocol/operator/people.ts";
import { ProblemError } from "../../http/problem.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { SignInLinkRow } from "../../store/tables/people.ts";
import { scopesOfRole } from "../operator.ts";
import { selectMembers } from "../store/teams.ts";
import { hashSecret, randomText } from "../token-secrets.ts";

/** How the audit log and mails call whoever runs `signage-service sign-in-link`. */
const machineName = "the service's machine";
const linkMs = hourMs;

/** Whom a link signs in, and where the service is. */
interface NewLink {
  teamId: string;
  userId: string;
  name: string;
  /** The user who makes it, by which it is for this team only; null: the machine makes it, for the whole person. */
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
  const expires_at = iso(row.expires_at);
  // Behind `#`, so that no server's log and no Referer header contains it.
  const team_id = createdBy === null ? null : teamId;
  return { id: row.id, user_id: userId, name, team_id, url: `${baseUrl}/sign-in#link=${secret}`, secret, expires_at };
}

/** A link that has just been used. */
export interface UsedSignInLink {
  id: string;
  userId: string;
  teamId: string;
  /** The user who made it, by which the session is confined to the team; null: it is the whole person's. */
  confinedBy: string | null;
  /** The name of whoever made it. */
  issuer: string;
}

/** Uses a link. @throws ProblemError 401 if it is unknown, used or expired, or if who made it may make none any more. */
export async function useSignInLink({ clock }: { clock: Clock }, db: Db, secret: string): Promise<UsedSignInLink> {
  const now = Math.trunc(clock.now());
  const row = await db
    .updateTable("sign_in_links")
    .set({ used_at: now })
    .where("secret_hash", "=", hashSecret(secret))
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
  const issuer = row === undefined ? null : await issuerOf(db, row);
  if (row !== undefined && issuer !== null) {
    return { id: row.id, userId: row.user_id, teamId: row.team_id, confinedBy: row.created_by, issuer };
  }
  throw new ProblemError("unauthorized", "The sign-in link is unknown, was used or has expired: ask an owner for another one");
}

/** The name of whoever made a link; null: they are no owner of its team any more. */
async function issuerOf(db: Db, { team_id, created_by }: SignInLinkRow): Promise<string | null> {
  if (created_by === null) return machineName;
  const member = await selectMembers(db, team_id).where("id", "=", created_by).executeTakeFirst();
  return member !== undefined && scopesOfRole(member.role as Role).includes("teams:write") ? member.name : null;
}

/** The newest links that signed somebody in as a user, for the user. */
export function selectUsedLinks(db: Db, userId: string) {
  return db
    .selectFrom("sign_in_links")
    .innerJoin("teams", "teams.id", "sign_in_links.team_id")
    .leftJoin("users", "users.id", "sign_in_links.created_by")
    .select(["sign_in_links.id", "teams.name as team_name", "users.name as made_by", "sign_in_links.used_at"])
    .where("sign_in_links.user_id", "=", userId)
    .where("sign_in_links.used_at", "is not", null)
    .orderBy("sign_in_links.used_at", "desc")
    .limit(10);
}

/** Makes the unused links of a user invalid. */
export async function withdrawSignInLinks(db: Db, userId: string): Promise<void> {
  await db.deleteFrom("sign_in_links").where("user_id", "=", userId).where("used_at", "is", null).execute();
}
