// Calls every operation as one team, and checks that no response contains an id of another team.
import type { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import type { z } from "zod";
import type { ApiResponse } from "../../harness.ts";
import {
  callOperation,
  fillPath,
  idsIn,
  idsWithin,
  operatorOperations,
  propertiesOf,
  tablesOf,
  withIds,
  type IdPool,
} from "../../populate-team.ts";
import { watchRefused } from "../refused-view.ts";
import { rowsOf, type Team } from "./two-teams.ts";

type AnyOperation = (typeof operatorOperations)[number];

/** Lists that may be empty for a populated team. */
const mayBeEmpty = new Set(["getForecast"]);
/** Filters by an own id that may find nothing: a schedule of the example begins later than what a report can tell. */
const mayFindNothing = new Set(["getPlannedAndShown schedule_id"]);
// Operations that would end the team, its members or the calling token, need another device, or need more than their example.
const skipped = /^(?:pairPlayer|replacePlayer|updateMember|removeMember|deleteTeam|revokeToken|deleteSession|appendUpload)$/;

/**
 * Reads everything that `team` can read, with every filter.
 * @param foreign ids of the other team. @param otherPool an id of each kind of the other team.
 * @returns how many responses were checked.
 */
export async function readEverything(team: Team, foreign: ReadonlySet<string>, otherPool: IdPool): Promise<number> {
  let checked = 0;
  const check = (request: string, { status, body }: ApiResponse): void => {
    expect([request, status < 500]).toEqual([request, true]);
    if (status < 300) {
      const ids = idsWithin(Buffer.isBuffer(body) ? body.toString() : (body ?? null));
      expect([request, ids.filter((id) => foreign.has(id))]).toEqual([request, []]);
    }
    checked += 1;
  };
  for (const each of operatorOperations.filter(({ method }) => method === "GET")) {
    const path = fillPath(each.path, paramsOf(each, team.pool));
    const unfiltered = each.name === "watchPlayer" ? await watchRefused(team, path) : await team.person.call("GET", path);
    check(path, unfiltered);
    const isList = Array.isArray(unfiltered.body.data);
    // An empty list would prove nothing.
    if (isList && !mayBeEmpty.has(each.name)) expect([path, unfiltered.body.data.length > 0]).toEqual([path, true]);
    for (const { name, value } of textFilters(each.query)) {
      check(`${path}?${name}=${value}`, await team.person.call("GET", `${path}?${name}=${value}`));
    }
    const idFilters = idsIn(each.query);
    if (each.name === "listAudit") idFilters.push({ name: "resource_id", prefix: "cal" });
    for (const { name, prefix } of idFilters) {
      const withOwnId = await team.person.call("GET", `${path}?${name}=${team.pool.get(prefix)}`);
      check(`${path}?${name} with an own id`, withOwnId);
      const otherId = otherPool.get(prefix)!;
      // The founder of the other team is a member of both teams.
      if (!foreign.has(otherId)) continue;
      const request = `${path}?${name} with an id of the other team`;
      const withOtherId = await team.person.call("GET", `${path}?${name}=${otherId}`);
      if (isList && withOtherId.status === 200) {
        const hasFound = mayFindNothing.has(`${each.name} ${name}`) || withOwnId.body.data.length > 0;
        expect([request, hasFound, withOtherId.body.data]).toEqual([request, true, []]);
      } else expect([404, 422], request).toContain(withOtherId.status);
      checked += 1;
    }
  }
  return checked;
}

/**
 * Performs every write of `team` on its own resources, each with its example, and finally deletes all of them permanently.
 * @param foreign ids of the other team. @param afterEach is called after each write.
 */
export async function writeEverything(
  team: Team,
  file: DatabaseSync,
  foreign: ReadonlySet<string>,
  afterEach: (action: string) => void,
): Promise<void> {
  const write = async (each: AnyOperation, path: string) => {
    const { status, body } = await callOperation(team.person, each, path, withIds(each.example ?? {}, team.pool));
    expect([each.name, status < 500]).toEqual([each.name, true]);
    const ids = Buffer.isBuffer(body) ? [] : idsWithin(body ?? null);
    expect([each.name, ids.filter((id) => foreign.has(id))]).toEqual([each.name, []]);
    afterEach(`${each.name} ${status}`);
  };
  const writes = operatorOperations.filter(({ name, method }) => !["GET", "HEAD"].includes(method) && !skipped.test(name));
  for (const each of writes.filter(({ method }) => method !== "DELETE")) {
    const path = fillPath(each.path, paramsOf(each, team.pool));
    // First while the newest file with these bytes is the other team's.
    if ("duplicate" in propertiesOf(each.query)) await write(each, `${path}?duplicate=reuse`);
    await write(each, path);
  }
  // A resource in use cannot be deleted, but the second or third time its users are deleted.
  const deletions = writes.filter(({ method }) => method === "DELETE");
  for (const each of [...deletions, ...deletions, ...deletions]) {
    const { prefix } = idsIn(each.params)[0]!;
    const all = tablesOf(file).flatMap(({ table }) => rowsOf(file, table, team.person.teamId).map(({ id }) => String(id)));
    for (const id of all.filter((one) => one.startsWith(`${prefix}_`))) {
      const path = fillPath(each.path, { id });
      await write(each, path);
      if ("permanent" in propertiesOf(each.query)) await write(each, `${path}?permanent=true`);
    }
  }
  for (const table of ["schedules", "layouts", "playlists", "assets", "calendars", "webhooks"]) {
    expect(rowsOf(file, table, team.person.teamId), table).toEqual([]);
  }
}

function paramsOf(each: AnyOperation, pool: IdPool): Record<string, string> {
  return Object.fromEntries(idsIn(each.params).map(({ name, prefix }) => [name, pool.get(prefix)!]));
}

/** Values for the text filters of a query: all of an enumeration, or values that match resources of both teams. */
function textFilters(schema: z.ZodType | undefined): { name: string; value: string }[] {
  const values: Record<string, string[]> = {
    q: ["e"],
    tag: ["lobby"],
    action: ["createPlaylist"],
    group_by: ["player,asset,layout", "day,item"],
  };
  return Object.entries(propertiesOf(schema)).flatMap(([name, { enum: enumeration }]) =>
    (enumeration ?? values[name] ?? []).map((value) => ({ name, value })),
  );
}
