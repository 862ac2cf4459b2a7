// Team isolation: every operation that accepts an id is tried with ids of another team.
import type { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { ulid } from "../../../../src/base/ulid.ts";
import { operatorOperations, fillPath, idsIn, callOperation, tablesOf, withIds, type IdPool } from "../../populate-team.ts";
import type { ApiResponse } from "../../harness.ts";
import { watchRefused } from "../refused-view.ts";
import { startTwoTeams, waitForAssets, withoutBackground } from "./two-teams.ts";
import { isOnPostgres } from "../../test-database.ts";

// Tables that the service changes in the background: webhooks and their events.
const background = ["events", "event_journals", "webhook_messages", "webhook_deliveries", "webhook_attempts"];
// On PostgreSQL also the secrets that devices may use once, and the end of a live view, which the audit log has after the operation.
if (isOnPostgres) background.push("used_secrets", "audit_heads");

const known = new WeakMap<DatabaseSync, { version: unknown; content: string }>();

/** All rows of the database except those that the service changes in the background; read only after another connection has written. */
function contentOf(file: DatabaseSync): string {
  if (isOnPostgres) return readContent(file);
  const { data_version: version } = file.prepare("PRAGMA data_version").get()!;
  const before = known.get(file);
  if (before !== undefined && before.version === version) return before.content;
  const content = readContent(file);
  known.set(file, { version, content });
  return content;
}

function readContent(file: DatabaseSync): string {
  const tables = tablesOf(file).filter(({ table }) => !background.includes(table));
  return JSON.stringify(
    tables.map(({ table }) => [
      table,
      file
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .filter(({ action }) => !isOnPostgres || action !== "stopWatchingPlayer")
        .map((row) => withoutBackground(table, row)),
    ]),
  );
}

/** Comparing the texts is fast; the rows show the difference. */
function expectContent(file: DatabaseSync, before: string, operation: string): void {
  const after = contentOf(file);
  if (after !== before) expect(JSON.parse(after), `${operation} changed something`).toEqual(JSON.parse(before));
}

test("[TEA10] every operation that takes an id answers 404 for the id of another team, and changes nothing", async () => {
  await using teams = await startTwoTeams();
  const { file, own, other } = teams;
  await waitForAssets(own, other);
  const [us, ours, theirs] = [own.person, own.pool, other.pool];
  expect([...ours.keys()].toSorted()).toEqual([...theirs.keys()].toSorted());
  for (const [prefix, id] of ours) expect(theirs.get(prefix)).not.toBe(id);

  let tried = 0;
  for (const each of operatorOperations) {
    const ids = idsIn(each.params);
    if (ids.length === 0) continue;
    for (const { prefix } of ids) expect(theirs.has(prefix), `${each.name}: populateTeam() creates no ${prefix}_ yet`).toBe(true);
    if (each.body !== undefined) expect(each.example, `${each.name} has a body and no example of it`).toBeDefined();
    const body = withIds(each.example ?? {}, ours);
    const idsFrom = (pools: IdPool[]) => Object.fromEntries(ids.map(({ name, prefix }, place) => [name, pools[place]!.get(prefix)!]));
    // With all ids of the other team, and with each of several ids alone.
    const mixtures = ids.length === 1 ? [] : ids.map((_id, place) => ids.map((_other, index) => (index === place ? theirs : ours)));
    for (const pools of [ids.map(() => theirs), ...mixtures]) {
      const before = contentOf(file);
      const path = fillPath(each.path, idsFrom(pools));
      const answer = await callOperation(us, each, path, body);
      expect([each.name, path, answer.status]).toEqual([each.name, path, 404]);
      expectContent(file, before, each.name);
      tried += 1;
    }
    // The same message as for an unknown id, so that it does not reveal whether the id exists.
    const unknown = fillPath(each.path, Object.fromEntries(ids.map(({ name, prefix }) => [name, `${prefix}_${ulid(0)}`])));
    const words = ({ status, body }: ApiResponse) => [
      each.name,
      status,
      Buffer.isBuffer(body) ? "" : body.type,
      Buffer.isBuffer(body) ? "" : body.detail,
    ];
    const [never, foreign] = [
      await callOperation(us, each, unknown, body),
      await callOperation(us, each, fillPath(each.path, idsFrom(ids.map(() => theirs))), body),
    ];
    expect(words(foreign)).toEqual(words(never));
    // The same requests succeed with the team's own ids, so the 404s above do not come from wrong paths.
    if (each.method === "GET") {
      const path = fillPath(each.path, idsFrom(ids.map(() => ours)));
      const { status } = each.name === "watchPlayer" ? await watchRefused(own, path) : await us.call("GET", path);
      expect([each.name, path, status]).not.toEqual([each.name, path, 404]);
    }
  }
  expect(tried).toBeGreaterThan(30);
});

test("[TEA11] another team's id in a body or query has no effect on that team", async () => {
  await using teams = await startTwoTeams();
  const { file, own, other } = teams;
  await waitForAssets(own, other);
  const [us, ours, theirs] = [own.person, own.pool, other.pool];
  let tried = 0;
  for (const each of operatorOperations) {
    const ids = Object.fromEntries(idsIn(each.params).map(({ name, prefix }) => [name, ours.get(prefix)!]));
    const body = withIds(each.example ?? {}, theirs);
    if (each.body !== undefined && JSON.stringify(body) !== JSON.stringify(withIds(each.example ?? {}, ours))) {
      const before = contentOf(file);
      const answer = await callOperation(us, each, fillPath(each.path, ids), body);
      expect([400, 403, 404, 409, 422], `${each.name}: ${answer.status}`).toContain(answer.status);
      expectContent(file, before, each.name);
      tried += 1;
    }
    for (const { name, prefix } of idsIn(each.query)) {
      expect(theirs.has(prefix), `${each.name}: populateTeam() creates no ${prefix}_ yet`).toBe(true);
      const answer = await us.call(each.method, `${fillPath(each.path, ids)}?${name}=${theirs.get(prefix)}`);
      if (answer.status === 200) expect(answer.body.data, `${each.name}?${name}`).toEqual([]);
      else expect([404, 422], `${each.name}?${name}`).toContain(answer.status);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(20);
});
