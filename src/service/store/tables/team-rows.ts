// The rows that belong to a team: reads them by id or by columns, and writes them one by one.
import { sql, type SelectQueryBuilder } from "kysely";
import type { OwnedRow } from "./owned-row.ts";
import { preparedQuery } from "../prepared-query.ts";
import type { Db } from "../store.ts";
import type { LayoutRow } from "./content.ts";
import type { Tables } from "./tables.ts";

const queries = {
  players: owned("players"),
  playlists: owned("playlists"),
  layouts: owned("layouts"),
  schedules: owned("schedules"),
  calendars: owned("calendars"),
  assets: owned("assets"),
  upload_links: owned("upload_links"),
  shows: owned("shows"),
  report_links: owned("report_links"),
  screenshots: owned("screenshots"),
  collected_logs: owned("collected_logs"),
  invitations: owned("invitations"),
  webhooks: owned("webhooks"),
  enrolment_keys: owned("enrolment_keys"),
  rollouts: owned("rollouts"),
  alerts: owned("alerts"),
  command_batches: owned("command_batches"),
  drafts: owned("drafts"),
};

/** The row of `table` with this id, if it belongs to the team. Also finds rows in the bin and removed players. */
export async function findTeamRow<T extends keyof typeof queries>(
  db: Db,
  table: T,
  teamId: string,
  id: string,
): Promise<Tables[T] | undefined> {
  const [row] = await queries[table](db, { id, teamId });
  return row as Tables[T] | undefined;
}

type TeamTable = { [T in keyof Tables]: Tables[T] extends OwnedRow ? T : never }[keyof Tables];
type TeamRow<T extends TeamTable> = Tables[T] & OwnedRow;
type Filter<R> = { [C in keyof R]?: R[C] | undefined };

/** The rows of a team that have the values of `filter`. */
export function selectTeamRows<T extends TeamTable>(
  db: Db,
  table: T,
  teamId: string,
  filter: Filter<TeamRow<T>> = {},
): SelectQueryBuilder<Tables, T, TeamRow<T>> {
  const rows = db
    .selectFrom(table as "layouts")
    .selectAll()
    .where("team_id", "=", teamId);
  return whereEqual(rows, filter as Filter<LayoutRow>) as unknown as SelectQueryBuilder<Tables, T, TeamRow<T>>;
}

/** The rows that have the values of `filter`; an undefined value filters nothing. */
export function whereEqual<DB, TB extends keyof DB, R>(rows: SelectQueryBuilder<DB, TB, R>, filter: Filter<R>): typeof rows {
  const values = Object.entries(filter).filter(([, value]) => value !== undefined);
  return values.reduce((left, [column, value]) => left.where(sql<boolean>`${sql.ref(column)} = ${value}`), rows);
}

export async function insertTeamRow<T extends TeamTable>(db: Db, table: T, row: TeamRow<T>): Promise<void> {
  await db
    .insertInto(table as "layouts")
    .values(row as unknown as LayoutRow)
    .execute();
}

export async function updateTeamRow<T extends TeamTable>(db: Db, table: T, id: string, change: Partial<TeamRow<T>>): Promise<void> {
  await db
    .updateTable(table as "layouts")
    .set(change as Partial<LayoutRow>)
    .where("id", "=", id)
    .execute();
}

export async function deleteTeamRow(db: Db, table: TeamTable, id: string): Promise<void> {
  await db
    .deleteFrom(table as "layouts")
    .where("id", "=", id)
    .execute();
}

function owned(table: keyof Tables) {
  // The tables share these columns, so the types of one table serve for all.
  return preparedQuery<Tables, { id: string; teamId: string }, unknown>((db, { id, teamId }) =>
    db
      .selectFrom(table as "players")
      .selectAll()
      .where("id", "=", id)
      .where("team_id", "=", teamId),
  );
}
