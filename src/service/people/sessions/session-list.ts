// The list of sessions, as the people see it who may end them.
import { iso } from "../../../base/time.ts";
import type { SessionEntry, SessionMethod } from "../../../protocol/operator/sessions.ts";
import type { TokenRow } from "../../store/tables/people.ts";
import type { Db } from "../../store/store.ts";
import { browserOf } from "./browser-name.ts";
import type { Operator } from "../operator.ts";
import { idleMs } from "./session-limits.ts";
import { showEnds } from "./sessions.ts";

/** The sessions that an operator may see and end: their own, and for an owner those in the team. */
export function selectSessions(db: Db, { userId, teamId, role }: Operator, now: number) {
  const rows = db
    .selectFrom("tokens")
    .innerJoin("sessions", "sessions.token_id", "tokens.id")
    .innerJoin("users", "users.id", "tokens.user_id")
    .innerJoin("teams", "teams.id", "tokens.team_id")
    .leftJoin("users as makers", "makers.id", "sessions.link_by")
    .selectAll("tokens")
    .select(["users.name as user_name", "teams.name as team_name", "makers.name as made_by"])
    .select(["sessions.method", "sessions.address", "sessions.user_agent"])
    .where("tokens.revoked_at", "is", null)
    .where("tokens.expires_at", ">", Math.trunc(now))
    .where("tokens.last_used_at", ">", Math.trunc(now) - idleMs)
    .where((row) => {
      const isOwn = row("tokens.user_id", "=", userId);
      return role === "owner" ? row.or([isOwn, row("tokens.team_id", "=", teamId)]) : isOwn;
    });
  return db.selectFrom(rows.as("session")).selectAll();
}

export function findSession(db: Db, operator: Operator, id: string, now: number) {
  return selectSessions(db, operator, now).where("id", "=", id).executeTakeFirst();
}

interface SessionListRow extends TokenRow {
  user_name: string;
  team_name: string;
  /** The name of the user who made the link by which the session is confined; null: it is the whole person's. */
  made_by: string | null;
  method: string;
  address: string;
  user_agent: string;
}

export function showSessionEntry(row: SessionListRow, currentId: string): SessionEntry {
  return {
    id: row.id,
    user_id: row.user_id!,
    user_name: row.user_name,
    created_at: iso(row.created_at),
    last_used_at: iso(row.last_used_at ?? row.created_at),
    ...showEnds(row),
    address: row.address,
    browser: browserOf(row.user_agent),
    method: row.method as SessionMethod,
    team_name: row.team_name,
    confined: row.made_by === null ? null : { made_by: row.made_by },
    is_current: row.id === currentId,
  };
}
