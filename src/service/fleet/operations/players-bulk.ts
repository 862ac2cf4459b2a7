// Changes the layout, the tags or the device settings of many players at once.
import type { Clock } from "../../../base/clock.ts";
import { BulkPlayerChange, BulkPlayerChangeResult } from "../../../protocol/operator/resources.ts";
import { checkControlCalendars } from "../players/control-calendars.ts";
import { controlColumns } from "../players/columns.ts";
import { playersOfTarget, targetWarnings, updateTagIndex } from "../players/targets.ts";
import { invalidField } from "../../http/problem.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import { checkLayout, eventsOf } from "./players.ts";
import { updateTeamRow } from "../../store/tables/team-rows.ts";

interface PlayersBulkDependencies {
  clock: Clock;
}

const maxTags = 50;

const operation = operationsWith<PlayersBulkDependencies>();

export const bulkOperations: readonly Operation<PlayersBulkDependencies>[] = [
  operation({
    name: "updatePlayers",
    tag: "players",
    method: "POST",
    path: "/players/bulk",
    summary: "Change many players",
    description: "Changes all players with a tag, or the listed players; at most 10,000. Either all are changed or none.",
    agent:
      "Use it to make the same change to all players with a tag. Call it with dry_run first, and tell a person the count if it is higher than expected.",
    caller: "operator",
    scope: "players:write",
    body: BulkPlayerChange,
    example: { target: { tag: "lobby" }, change: { layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh", tags_add: ["christmas"] } },
    status: 200,
    output: BulkPlayerChangeResult,
    errors: ["invalid"],
    async run({ clock }, { teamId }, { body }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const { layout_id, tags_add, tags_remove, ...control } = body.change;
        await checkLayout(db, teamId, layout_id, "/change/layout_id");
        await checkControlCalendars(db, teamId, control, "/change");
        const before = await playersOfTarget(db, teamId, body.target);
        const updated_at = Math.trunc(clock.now());
        const changed: PlayerRow[] = [];
        const events: WriteEvent[] = [];
        for (const row of before) {
          const tags = tagsOf(row, tags_add, tags_remove);
          const columns = { layout_id: layout_id === undefined ? row.layout_id : layout_id, tags, ...controlColumns(control, row) };
          const next = { ...row, ...columns, updated_at };
          if (canonicalJson({ ...row, updated_at }) === canonicalJson(next)) continue;
          await updateTeamRow(db, "players", row.id, { ...columns, updated_at });
          changed.push(next);
          events.push(...eventsOf(row, next));
        }
        await updateTagIndex(db, changed);
        const warnings = await targetWarnings(db, teamId, body.target, before);
        return { result: { matched: before.length, changed: changed.length, warnings }, affected: changed, events };
      });
    },
  }),
];

function tagsOf(row: PlayerRow, add: readonly string[], remove: readonly string[]): string {
  const before = JSON.parse(row.tags) as string[];
  const after = [...before, ...add.filter((tag, index) => !before.includes(tag) && add.indexOf(tag) === index)].filter(
    (tag) => !remove.includes(tag),
  );
  if (after.length > maxTags) throw invalidField("/change/tags_add", `“${row.name}” (${row.id}) would have more than ${maxTags} tags`);
  return after.length === before.length && after.every((tag, index) => tag === before[index]) ? row.tags : JSON.stringify(after);
}
