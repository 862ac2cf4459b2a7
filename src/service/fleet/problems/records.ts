// Stores the problems that players record, and finds those that no heartbeat reported.
import { iso } from "../../../base/time.ts";
import type { ProblemRecord, RecordedProblem, RecordedProblemsQuery } from "../../../protocol/device/problem-records.ts";
import type { NewEvent } from "../../events/event-journal.ts";
import type { Db, TelemetryDb } from "../../store/store.ts";
import type { PlayerRow, ProblemRecordRow } from "../../store/tables/fleet.ts";
import { selectMinutes } from "../heartbeats/minutes.ts";

/** The newest records of each player that are kept. */
const maxKept = 1_000;
const maxDeleted = 1_000;

/**
 * Stores a record, or a change of one. A record that is older than the stored one, because an earlier message came later, changes nothing.
 * @returns the row that was stored of it before; undefined: none.
 */
export async function storeProblemRecord(db: Db, row: ProblemRecordRow): Promise<ProblemRecordRow | undefined> {
  const known = await db
    .selectFrom("problem_records")
    .selectAll()
    .where("player_id", "=", row.player_id)
    .where("id", "=", row.id)
    .executeTakeFirst();
  if (known === undefined) {
    await db.insertInto("problem_records").values(row).execute();
    await deleteOldest(db, row.player_id);
  } else if (row.times > known.times || (row.times === known.times && row.ended_at !== null)) {
    const { times, ended_at, received_at } = row;
    const stored = db.updateTable("problem_records").where("player_id", "=", row.player_id).where("id", "=", row.id);
    await stored.set({ times, ended_at, received_at }).execute();
  }
  return known;
}

/** The recorded problems of a player that match a query. */
export function selectProblemRecords(db: Db, playerId: string, { code, from, to }: Pick<RecordedProblemsQuery, "code" | "from" | "to">) {
  let rows = db.selectFrom("problem_records").selectAll().where("player_id", "=", playerId);
  if (code !== undefined) rows = rows.where("code", "=", code);
  if (from !== undefined) rows = rows.where("started_at", ">=", Date.parse(from));
  if (to !== undefined) rows = rows.where("started_at", "<", Date.parse(to));
  return rows;
}

/** The events for a problem that is over and that no heartbeat reported while it lasted; none for any other. */
export async function eventsOfMissedProblem(
  telemetry: TelemetryDb,
  { id, name, team_id: teamId }: PlayerRow,
  row: ProblemRecordRow,
): Promise<NewEvent[]> {
  if (row.ended_at === null) return [];
  const heartbeats = selectMinutes(telemetry, id, row.started_at, row.ended_at + 1).limit(1);
  if ((await heartbeats.executeTakeFirst()) !== undefined) return [];
  const { code, zone_id, item_id, started_at: since, ended_at, detail, remedy } = showProblemRecord(row);
  const player = { player_id: id, name };
  const scope = { teamId, players: [id] };
  return [
    { ...scope, type: "problem.opened", data: { ...player, code, since, zone_id, item_id, detail, remedy } },
    { ...scope, type: "problem.closed", data: { ...player, code, since, zone_id, item_id, ended_at } },
  ];
}

export function problemRecordRow(
  { id: playerId }: PlayerRow,
  id: string,
  { started_at, ended_at, ...rest }: ProblemRecord,
  receivedAt: number,
): ProblemRecordRow {
  const ended = ended_at === null ? null : Date.parse(ended_at);
  return { player_id: playerId, id, ...rest, started_at: Date.parse(started_at), ended_at: ended, received_at: receivedAt };
}

/** A recorded problem as the API shows it. */
export function showProblemRecord({ started_at, ended_at, received_at, ...rest }: ProblemRecordRow): RecordedProblem {
  return {
    ...rest,
    started_at: iso(started_at),
    ended_at: iso(ended_at),
    received_at: iso(received_at),
  };
}

async function deleteOldest(db: Db, playerId: string): Promise<void> {
  const old = db
    .selectFrom("problem_records")
    .select("id")
    .where("player_id", "=", playerId)
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(maxDeleted)
    .offset(maxKept);
  await db.deleteFrom("problem_records").where("player_id", "=", playerId).where("id", "in", old).execute();
}
