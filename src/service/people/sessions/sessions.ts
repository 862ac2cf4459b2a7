// Browser sessions. A session is a token whose secret only a cookie holds.
import type { Clock } from "../../../base/clock.ts";
import { iso } from "../../../base/time.ts";
import type { Role } from "../../../protocol/operator/people.ts";
import type { Session, SessionMethod } from "../../../protocol/operator/sessions.ts";
import { ProblemError } from "../../http/problem.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { TokenRow } from "../../store/tables/people.ts";
import { scopesOfSession } from "../operator.ts";
import { showTeam, showUser } from "../people-resources.ts";
import { ownTeams, selectTeams } from "../store/teams.ts";
import { findPassword } from "../passwords/passwords.ts";
import { confinedByOf, linkBy } from "./confinement.ts";
import { idleMs, longestSessionMs } from "./session-limits.ts";
import { selectUsedLinks } from "./sign-in-links.ts";
import { generateSessionSecret, hashSecret, tokenHint } from "../token-secrets.ts";
import { passkeysOf } from "../store/passkeys.ts";
import { readSession } from "../store/tokens.ts";
import { readUser } from "../store/users.ts";

interface SessionDependencies {
  clock: Clock;
  makeId: MakeId;
}

/** How and from where a person signs in. */
export interface SignIn {
  userId: string;
  /** The team that the session begins in; null: the first that the person joined. */
  teamId: string | null;
  method: SessionMethod;
  /** The user who made the link, by which the session is confined to the team; default: it is the whole person's. */
  confinedBy?: string | null;
  address: string;
  userAgent: string;
  /** When the person proved who they are, epoch ms; default: just now. */
  provedAt?: number | null;
  /** The session that it continues in another team; by default it is a new one. */
  since?: { createdAt: number; expiresAt: number; provedAt: number };
}

/** A session that has just started. It is the only place that contains its secret. */
export interface StartedSession {
  id: string;
  teamId: string;
  secret: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** Starts a session. @throws ProblemError 403 for a person who is in no team, or not in that team. */
export async function startSession(
  { clock, makeId }: SessionDependencies,
  db: Db,
  { userId, teamId, method, confinedBy = null, address, userAgent, since, provedAt: proved }: SignIn,
): Promise<StartedSession> {
  const memberships = selectTeams(db, userId).orderBy("team.created_at").orderBy("team.id");
  const team = await (teamId === null ? memberships : memberships.where("team.id", "=", teamId)).executeTakeFirst();
  if (team === undefined) throw new ProblemError("forbidden", "You are in no team any more: ask an owner to invite you");
  const now = Math.trunc(clock.now());
  const { createdAt, expiresAt, provedAt } = since ?? { createdAt: now, expiresAt: now + longestSessionMs, provedAt: proved ?? now };
  const secret = generateSessionSecret();
  const row: TokenRow = {
    id: makeId("tok"),
    team_id: team.id,
    user_id: userId,
    name: "Browser session",
    hash: hashSecret(secret),
    hint: tokenHint(secret),
    scopes: JSON.stringify(scopesOfSession(team.role as Role, { confinedBy })),
    created_by: userId,
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: null,
    last_used_at: now,
    is_machine: 0,
  };
  await db.insertInto("tokens").values(row).execute();
  const details = { method, address, user_agent: userAgent.slice(0, 400), proved_at: provedAt, link_by: linkBy(method, confinedBy) };
  await db
    .insertInto("sessions")
    .values({ token_id: row.id, ...details })
    .execute();
  return { id: row.id, teamId: team.id, secret, expiresAt };
}

/** The session as the API shows it. */
export async function showSession(db: Db, sessionId: string): Promise<Session> {
  const row = await readSession(db, sessionId);
  const userId = row.user_id!;
  const user = await readUser(db, userId);
  const confinedBy = confinedByOf(row);
  const teams = await ownTeams(db, { userId, teamId: row.team_id, confinedBy });
  const links = confinedBy === null ? await selectUsedLinks(db, userId).execute() : [];
  const shown = teams.map((team) => ({ ...showTeam(team), role: team.role as Role }));
  const { role, ...team } = shown.find(({ id }) => id === row.team_id)!;
  return {
    id: row.id,
    user: showUser(user),
    team,
    role,
    scopes: [...scopesOfSession(role, { confinedBy })],
    teams: shown,
    method: row.method as SessionMethod,
    confined: await showConfinement(db, confinedBy),
    used_links: links.map(({ used_at, ...link }) => ({ ...link, used_at: iso(used_at!) })),
    has_password: (await findPassword(db, userId)) !== undefined,
    has_passkey: (await passkeysOf(db, userId)).length > 0,
    created_at: iso(row.created_at),
    proved_at: iso(row.proved_at),
    ...showEnds(row),
  };
}

async function showConfinement(db: Db, confinedBy: string | null): Promise<Session["confined"]> {
  if (confinedBy === null) return null;
  const { name } = await readUser(db, confinedBy);
  return { made_by: name };
}

/** When a session ends, as the API shows it. */
export function showEnds({ expires_at, last_used_at, created_at }: TokenRow): { idle_until: string; expires_at: string } {
  const expiresAt = expires_at!;
  return { idle_until: iso(Math.min((last_used_at ?? created_at) + idleMs, expiresAt)), expires_at: iso(expiresAt) };
}

/** Ends sessions. @returns their ids; pass them to {@link TokenExpiry.end}. */
export async function endSessions(db: Db, ids: readonly string[], now: number): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .updateTable("tokens")
    .set({ revoked_at: Math.trunc(now) })
    .where("id", "in", ids)
    .where("id", "in", db.selectFrom("sessions").select("token_id"))
    .where("revoked_at", "is", null)
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Ends all sessions of a user, in every team, except one. @returns like {@link endSessions} */
export async function endOtherSessions(db: Db, userId: string, except: string, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom("tokens")
    .innerJoin("sessions", "sessions.token_id", "tokens.id")
    .select("id")
    .where("user_id", "=", userId)
    .where("id", "<>", except)
    .execute();
  return endSessions(
    db,
    rows.map(({ id }) => id),
    now,
  );
}
