// Browser sessions and the links that start them. A session is a token whose secret only a cookie holds.
import type { Clock } from "../../base/clock.ts";
import type { Role } from "../../protocol/operator/people.ts";
import type { Session, SignInLink } from "../../protocol/operator/sessions.ts";
import { ProblemError } from "../http/problem.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { SignInLinkRow, TokenRow } from "../store/people-tables.ts";
import { scopesOfRole, type Operator } from "./operator.ts";
import { showTeam, showUser } from "./people-resources.ts";
import { selectTeams } from "./people.ts";
import { generateSessionSecret, hashSecret, randomText, tokenHint } from "./token-secrets.ts";

/** A person must sign in again after this time, whatever they do. */
export const longestSessionMs = 30 * 86_400_000;
const linkMs = 60 * 60_000;

interface SessionDependencies {
  clock: Clock;
  makeId: MakeId;
}

/** How and from where a person signs in. */
export interface SignIn {
  userId: string;
  /** The team that the session begins in; null: the first that the person joined. */
  teamId: string | null;
  method: string;
  address: string;
  userAgent: string;
}

/**
 * Starts a session. The result is the only place that contains its secret.
 * @throws ProblemError 403 for a person who is in no team, or no longer in that team.
 */
export async function startSession(
  { clock, makeId }: SessionDependencies,
  db: Db,
  { userId, teamId, method, address, userAgent }: SignIn,
): Promise<{ secret: string; row: TokenRow }> {
  const memberships = selectTeams(db, userId).orderBy("team.created_at").orderBy("team.id");
  const team = await (teamId === null ? memberships : memberships.where("team.id", "=", teamId)).executeTakeFirst();
  if (team === undefined) throw new ProblemError("forbidden", "You are in no team any more: ask an owner to invite you");
  const now = Math.trunc(clock.now());
  const secret = generateSessionSecret();
  const row: TokenRow = {
    id: makeId("tok"),
    team_id: team.id,
    user_id: userId,
    name: "Browser session",
    hash: hashSecret(secret),
    hint: tokenHint(secret),
    scopes: JSON.stringify(scopesOfRole(team.role as Role)),
    created_by: userId,
    created_at: now,
    expires_at: now + longestSessionMs,
    revoked_at: null,
    last_used_at: now,
  };
  await db.insertInto("tokens").values(row).execute();
  await db
    .insertInto("sessions")
    .values({ token_id: row.id, method, address, user_agent: userAgent.slice(0, 400), proved_at: now })
    .execute();
  return { secret, row };
}

/** The session as the API shows it. */
export async function showSession(db: Db, { tokenId, userId, teamId, role, scopes }: Operator): Promise<Session> {
  const user = await db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
  const token = await db.selectFrom("tokens").selectAll().where("id", "=", tokenId).executeTakeFirstOrThrow();
  const teams = await selectTeams(db, userId).orderBy("team.name").orderBy("team.id").execute();
  const shown = teams.map((team) => ({ ...showTeam(team), role: team.role as Role }));
  const { role: _role, ...team } = shown.find(({ id }) => id === teamId)!;
  return {
    id: tokenId,
    user: showUser(user),
    team,
    role,
    scopes: [...scopes],
    teams: shown,
    created_at: new Date(token.created_at).toISOString(),
    expires_at: new Date(token.expires_at!).toISOString(),
  };
}

/** Creates a link that signs a member in once, within an hour. @param baseUrl of the service, as the reader of the link knows it */
export async function createSignInLink(
  { clock, makeId }: SessionDependencies,
  db: Db,
  { teamId, userId, name, createdBy, baseUrl }: { teamId: string; userId: string; name: string; createdBy: string | null; baseUrl: string },
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
  // Behind `#`, so that no server's log and no Referer header contains it.
  return { name, url: `${baseUrl}/sign-in#link=${secret}`, secret, expires_at: new Date(row.expires_at).toISOString() };
}

/** Uses a link. @returns whom it signs in, and the team @throws ProblemError 401 if it is unknown, used or expired. */
export async function useSignInLink({ clock }: { clock: Clock }, db: Db, secret: string): Promise<{ userId: string; teamId: string }> {
  const now = Math.trunc(clock.now());
  const row = await db
    .updateTable("sign_in_links")
    .set({ used_at: now })
    .where("secret_hash", "=", hashSecret(secret))
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new ProblemError("unauthorized", "The sign-in link is unknown, was used or has expired: ask an owner for another one");
  }
  return { userId: row.user_id, teamId: row.team_id };
}
