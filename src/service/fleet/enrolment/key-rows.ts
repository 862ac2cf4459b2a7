// Reads and shows enrolment keys, and says why one cannot be used.
import { iso } from "../../../base/time.ts";
import type { EnrolmentKey, EnrolmentRefusal } from "../../../protocol/operator/enrolment.ts";
import type { Db } from "../../store/store.ts";
import type { EnrolmentKeyRow } from "../../store/tables/fleet.ts";
import { ProblemError } from "../../http/problem.ts";

/** The key with this hash. */
export function findKeyByHash(db: Db, hash: string): Promise<EnrolmentKeyRow | undefined> {
  return db.selectFrom("enrolment_keys").selectAll().where("hash", "=", hash).executeTakeFirst();
}

/** Revokes all keys of a team. */
export async function revokeTeamKeys(db: Db, teamId: string, now: number): Promise<void> {
  const keys = db.updateTable("enrolment_keys").set({ revoked_at: now, updated_at: now }).where("team_id", "=", teamId);
  await keys.where("revoked_at", "is", null).execute();
}

/** Why the key enrols nobody any more; null while it does. A key that is only used up still returns players to their machines. */
export function endOfKey(row: EnrolmentKeyRow, isTeamDeleted: boolean, now: number): ProblemError | null {
  const name = `The enrolment key “${row.name}” (…${row.hint})`;
  if (isTeamDeleted) {
    return new ProblemError(
      "enrolment-team-deleted",
      `The team of the enrolment key (…${row.hint}) was deleted: use a key of another team`,
    );
  }
  if (row.revoked_at !== null) {
    const at = iso(row.revoked_at);
    return new ProblemError("enrolment-key-revoked", `${name} was revoked at ${at}: use another key, or pair by code`);
  }
  if (row.expires_at <= now) {
    const at = iso(row.expires_at);
    return new ProblemError(
      "enrolment-key-expired",
      `${name} expired at ${at}: extend it in the service, use another key, or pair by code`,
    );
  }
  return null;
}

/** The refusal of a key that has created all its players. */
export function usedUp(row: EnrolmentKeyRow): ProblemError {
  return new ProblemError(
    "enrolment-key-used-up",
    `The enrolment key “${row.name}” (…${row.hint}) has created all its ${row.max_count} screens: raise its max_count in the service, use another key, or pair by code`,
  );
}

/** The key in its API form. @param now ms since the epoch */
export function showKey(row: EnrolmentKeyRow, now: number): EnrolmentKey {
  return {
    id: row.id,
    team_id: row.team_id,
    name: row.name,
    hint: row.hint,
    status: statusOf(row, now),
    tags: JSON.parse(row.tags) as string[],
    layout_id: row.layout_id,
    name_pattern: row.name_pattern,
    max_count: row.max_count,
    used_count: row.used_count,
    left_count: row.max_count - row.used_count,
    returned_count: row.returned_count,
    replace_by_serial: row.replace_by_serial === 1,
    created_by: row.created_by,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    expires_at: iso(row.expires_at),
    revoked_at: iso(row.revoked_at),
    last_used_at: iso(row.last_used_at),
    refused_count: row.refused_count,
    last_refusal: row.last_refusal === null ? null : (JSON.parse(row.last_refusal) as EnrolmentRefusal),
  };
}

function statusOf(row: EnrolmentKeyRow, now: number): EnrolmentKey["status"] {
  if (row.revoked_at !== null) return "revoked";
  if (row.expires_at <= now) return "expired";
  return row.used_count >= row.max_count ? "used-up" : "active";
}
