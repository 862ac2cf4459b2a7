// Two teams with the same resources in one service, and what its database contains of each.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { expect } from "vitest";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { TestService } from "../../harness.ts";
import { idsWithin, populateTeam, tablesOf, type PopulatedTeam } from "../../populate-team.ts";
import { cheapPasswords } from "../browser.ts";
import { createOtherTeam, owner, type Person } from "../people.ts";
import { openTables } from "../../tables-of.ts";

export type Team = PopulatedTeam & { person: Person };

const statements = new WeakMap<DatabaseSync, Map<string, StatementSync | null>>();

/** Starts a service with two populated teams, each with a device. Its time stands still then, so that nobody goes offline. */
export async function startTwoTeams() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const clock = new FakeClock(Date.now());
  const service = opened.use(await TestService.start(folder.path, { ...cheapPasswords, clock }));
  const file = opened.use(openDatabase(folder.path));
  const [ownPerson, otherPerson] = [await owner(service), await createOtherTeam(service)];
  const own: Team = { person: ownPerson, ...(await populateTeam(service, ownPerson, file)) };
  const other: Team = { person: otherPerson, ...(await populateTeam(service, otherPerson, file)) };
  // Reports of what was planned need some time that has passed.
  clock.advance(10_000);
  const owned = opened.move();
  return { service, clock, file, own, other, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

export function openDatabase(folder: string): DatabaseSync {
  return openTables(folder);
}

/** The rows of a table that belong to a team, by their team or by their player. */
export function rowsOf(file: DatabaseSync, table: string, teamId: string): Record<string, unknown>[] {
  const prepared = statements.get(file) ?? new Map<string, StatementSync | null>();
  statements.set(file, prepared);
  if (!prepared.has(table)) prepared.set(table, prepareRowsOf(file, table));
  return prepared.get(table)?.all(teamId) ?? [];
}

/** Null for a table whose rows belong to no team. */
function prepareRowsOf(file: DatabaseSync, table: string): StatementSync | null {
  const columns = file
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => name);
  if (table === "teams") return file.prepare("SELECT * FROM teams WHERE id = ?");
  if (table === "webhook_deliveries") {
    return file.prepare("SELECT * FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE team_id = ?)");
  }
  if (columns.includes("team_id")) return file.prepare(`SELECT * FROM ${table} WHERE team_id = ?`);
  if (!columns.includes("player_id")) return null;
  return file.prepare(`SELECT * FROM ${table} WHERE player_id IN (SELECT id FROM players WHERE team_id = ?)`);
}

/** The ids in a team's rows, except those that are also in the rows of `exceptTeamId`, such as users in both teams. */
export function idsOnlyIn(file: DatabaseSync, teamId: string, exceptTeamId: string): ReadonlySet<string> {
  const idsOf = (team: string) =>
    idsWithin([team, tablesOf(file).map(({ table }) => rowsOf(file, table, team).map((row) => ({ ...row, team_id: "" })))]);
  const excepted = new Set(idsOf(exceptTeamId));
  return new Set(idsOf(teamId).filter((id) => !excepted.has(id)));
}

// Columns that the service changes in the background: imports and thumbnails, the progress of rollouts, deliveries that fail.
const ofAssets = ["status", "error", "source_url", "thumbnail_sha256", "thumbnail_bytes", "thumbnail_tries", "updated_at"];
const changing: Readonly<Record<string, object>> = {
  assets: Object.fromEntries(ofAssets.map((name) => [name, null])),
  rollouts: { ring_done_at: null, updated_at: null },
  webhooks: { failing_since: null, last_error: null },
};

/** A row without what the service changes in the background. */
export function withoutBackground(table: string, row: Record<string, unknown>): Record<string, unknown> {
  return { ...row, last_used_at: null, ...changing[table] };
}

/** All rows of a team. Of rows that the service changes in the background, only those columns that it does not change. */
export function contentOf(file: DatabaseSync, teamId: string): Record<string, unknown> {
  const rows = tablesOf(file).map(({ table }): [string, unknown] => {
    const all = rowsOf(file, table, teamId);
    if (["events", "webhook_messages", "webhook_deliveries"].includes(table)) {
      return [table, all.map((row) => row["id"] ?? row["event_id"])];
    }
    return [table, all.map((row) => withoutBackground(table, row))];
  });
  return Object.fromEntries(rows);
}

/** Returns a check that fails if a team's rows have changed since this call. */
export function createUnchangedCheck(file: DatabaseSync, teamId: string): (action: string) => void {
  const before = contentOf(file, teamId);
  const text = JSON.stringify(before);
  return (action) => {
    const after = contentOf(file, teamId);
    // Comparing JSON is fast; the objects show the difference.
    if (JSON.stringify(after) !== text) expect(after, action).toEqual(before);
  };
}

/** Waits until no asset of the teams is being imported or processed, which changes rows and sends events. */
export async function waitForAssets(...teams: readonly Team[]): Promise<void> {
  for (const { person } of teams) {
    for (const status of ["importing", "processing"]) {
      await expect.poll(async () => (await person.call("GET", `assets?status=${status}`)).body.data).toEqual([]);
    }
  }
}
