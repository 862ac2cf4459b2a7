// Schedules: which layout plays when, and on which players.
import { z } from "zod";
import type { EventType } from "../../../protocol/operator/events.ts";
import { BinQuery, DeletionQuery, page } from "../../../protocol/operator/resources.ts";
import { Schedule, ScheduleChange, ScheduleOutlook } from "../../../protocol/scheduling/schedules.ts";
import { NewSchedule } from "../../../schedule/validate-schedule.ts";
import { id } from "../../../protocol/common.ts";
import { restoreSchedule } from "../../cleanup/bin-restore.ts";
import { discard } from "../../cleanup/bin.ts";
import { nameContains, nameMayContain, pageOf } from "../../http/paging.ts";
import { ProblemError } from "../../http/problem.ts";
import { findTeamRow } from "../../store/team-rows.ts";
import { outlookOf } from "../../schedule/schedule-outlook.ts";
import { checkSchedule } from "../../schedule/check-schedule.ts";
import { scheduleColumns, targetedPlayers, showSchedule, targetOf } from "../../schedule/schedules.ts";
import { checkShares, affectsShares } from "../../schedule/shares.ts";
import type { Db } from "../../store/store.ts";
import type { ScheduleRow } from "../../store/tables.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext, type WriteEvent } from "../operation.ts";

const params = z.strictObject({ id: id("sch") });
const example = {
  name: "Friday night",
  layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh",
  target: { type: "tag", tag: "bar" },
  starts_at: "2026-11-27T22:00",
  ends_at: "2026-11-28T02:00",
  rrule: "FREQ=WEEKLY;BYDAY=FR",
  priority: 10,
};

export const scheduleOperations: readonly Operation[] = [
  operation({
    name: "createSchedule",
    tag: "schedules",
    method: "POST",
    path: "/schedules",
    summary: "Create a schedule",
    description:
      "Shows a layout from `starts_at` to `ends_at`, and with `rrule` (RFC 5545) again on every day that it names. Wall times go by the schedule's zone, else the player's; dates alone are whole days there, the last included. A weekday is that of the day on which a window starts, also past midnight. A time that a clock change leaves out is the instant of the change (our choice, where RFC 5545 section 3.3.5 adds the length of the change); one that it repeats is the first of the two. UNTIL in UTC is an instant. The answer says it in words and warns of what never plays; try it with `dry_run=true`.",
    agent:
      "Use it for content with times: campaigns, opening hours, a weekly evening. Not for what always shows: update_player. The higher priority wins, so look at list_schedules first.",
    caller: "operator",
    scope: "schedules:write",
    body: NewSchedule,
    example,
    status: 201,
    output: ScheduleOutlook,
    errors: ["invalid"],
    version,
    async run(context, { body }) {
      const { parts, teamId } = context;
      const write = async (db: Db) => {
        const now = Math.trunc(parts.clock.now());
        await checkSchedule(db, teamId, body, now);
        await checkShares(db, teamId, body, null, now);
        const about = { id: parts.makeId("sch"), team_id: teamId, ...scheduleColumns(body) };
        const row: ScheduleRow = { ...about, created_at: now, updated_at: now, deleted_at: null, deleted_with: null };
        await db.insertInto("schedules").values(row).execute();
        const affected = await targetedPlayers(db, teamId, [body.target]);
        return { result: showSchedule(row), affected, events: [eventOf("schedule.created", row)] };
      };
      return change(context, write, (db, schedule) => outlookOf(parts, db, teamId, schedule));
    },
  }),
  operation({
    name: "listSchedules",
    tag: "schedules",
    method: "GET",
    path: "/schedules",
    summary: "List schedules",
    description: "Newest first, by filters. `deleted=true` lists the bin.",
    caller: "operator",
    scope: "schedules:read",
    query: BinQuery,
    status: 200,
    output: page(Schedule),
    errors: ["invalid"],
    async run({ parts, teamId }, { query }) {
      const all = parts.store.db.selectFrom("schedules").selectAll().where("team_id", "=", teamId);
      const rows = all.where("deleted_at", query.deleted === "true" ? "is not" : "is", null);
      const { q } = query;
      return q === undefined
        ? pageOf(rows, query, showSchedule)
        : pageOf(rows.where(nameMayContain(q)), query, showSchedule, { keep: ({ name }) => nameContains(name, q) });
    },
  }),
  operation({
    name: "getSchedule",
    tag: "schedules",
    method: "GET",
    path: "/schedules/{id}",
    summary: "Read a schedule",
    description: "Its ETag serves as `If-Match` of a change.",
    caller: "operator",
    scope: "schedules:read",
    params,
    status: 200,
    output: ScheduleOutlook,
    errors: ["not-found"],
    version,
    run: (context, input) => read(context, input.params),
  }),
  operation({
    name: "updateSchedule",
    tag: "schedules",
    method: "PATCH",
    path: "/schedules/{id}",
    summary: "Change a schedule",
    description: "What is not given stays; `conditions` and `exdates` replace all.",
    agent: "Use it to move or end a campaign: an `ends_at` keeps the record, which delete_schedule does not.",
    caller: "operator",
    scope: "schedules:write",
    params,
    body: ScheduleChange,
    example: { priority: 20, ends_at: "2026-11-28T03:00" },
    status: 200,
    output: ScheduleOutlook,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: readPlain,
    async run(context, { params: { id: scheduleId }, body }) {
      const { parts, teamId } = context;
      const write = async (db: Db) => {
        const row = found(await find(db, teamId, scheduleId), "schedule");
        const { id: _id, created_at: _created, updated_at: _updated, deleted_at: _deleted, ...before } = showSchedule(row);
        const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
        const after: typeof before = { ...before, ...given };
        const now = Math.trunc(parts.clock.now());
        await checkSchedule(db, teamId, after, now, before.target);
        if (affectsShares(given)) await checkShares(db, teamId, after, row.id, now);
        const next: ScheduleRow = { ...row, ...scheduleColumns(after), updated_at: now };
        if (isSame(row, next)) return { result: showSchedule(row) };
        await db.updateTable("schedules").set(next).where("id", "=", row.id).execute();
        const affected = await targetedPlayers(db, teamId, [targetOf(row), after.target]);
        return { result: showSchedule(next), affected, events: [eventOf("schedule.updated", next)] };
      };
      return change(context, write, (db, schedule) => outlookOf(parts, db, teamId, schedule));
    },
  }),
  operation({
    name: "deleteSchedule",
    tag: "schedules",
    method: "DELETE",
    path: "/schedules/{id}",
    summary: "Delete a schedule",
    description:
      "Puts it in the bin for 30 days, `permanent=true` deletes it for good. Screens that show its layout go back to what else is due.",
    agent: "Use it for what is not to play again. To end a campaign and keep its record, update_schedule with an `ends_at`.",
    caller: "operator",
    scope: "schedules:write",
    params,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found", "precondition-failed"],
    current: readAny,
    async run(context, { params: { id: scheduleId }, query }) {
      const { parts, teamId } = context;
      const permanent = query.permanent === "true";
      await change(context, async (db) => {
        const row = found(permanent ? await findAny(db, teamId, scheduleId) : await find(db, teamId, scheduleId), "schedule");
        await discard(db, "schedules", row.id, Math.trunc(parts.clock.now()), permanent);
        const affected = await targetedPlayers(db, teamId, [targetOf(row)]);
        return { result: undefined, affected, events: [eventOf("schedule.deleted", row)] };
      });
    },
  }),
  operation({
    name: "restoreSchedule",
    tag: "schedules",
    method: "POST",
    path: "/schedules/{id}/restore",
    summary: "Restore a deleted schedule",
    description:
      "Takes it out of the bin, and with it its layout. Refused while the player that it is for is in the bin: restore that one, and its schedules come back too.",
    caller: "operator",
    scope: "schedules:write",
    params,
    status: 200,
    output: ScheduleOutlook,
    errors: ["not-found", "in-use"],
    version,
    async run(context, { params: { id: scheduleId } }) {
      const { parts, teamId } = context;
      const write = async (db: Db) => {
        const row = found(await findAny(db, teamId, scheduleId), "schedule");
        if (row.deleted_at === null) return { result: showSchedule(row) };
        const affected = await targetedPlayers(db, teamId, [targetOf(row)]);
        if (row.target_type === "player" && affected.length === 0) {
          throw new ProblemError(
            "in-use",
            `Its player ${row.target_value} is in the bin: restore that player, its schedules come back with it`,
          );
        }
        const others: WriteEvent[] = [];
        const restored = await restoreSchedule(db, row, Math.trunc(parts.clock.now()), (event) => others.push(event));
        return { result: showSchedule(restored), affected, events: [...others, eventOf("schedule.restored", restored)] };
      };
      return change(context, write, (db, schedule) => outlookOf(parts, db, teamId, schedule));
    },
  }),
];

function isSame(a: ScheduleRow, b: ScheduleRow): boolean {
  const columns = ["name", "layout_id", "target_type", "target_value", "timing"] as const;
  return columns.every((column) => a[column] === b[column]);
}

async function read(context: OperatorContext, params: { id: string }): Promise<ScheduleOutlook> {
  const { parts, teamId } = context;
  return outlookOf(parts, parts.store.db, teamId, await readPlain(context, params));
}

async function readPlain({ parts, teamId }: OperatorContext, { id: scheduleId }: { id: string }): Promise<Schedule> {
  return showSchedule(found(await find(parts.store.db, teamId, scheduleId), "schedule"));
}

/** For If-Match of a deletion, which reaches into the bin. */
async function readAny({ parts, teamId }: OperatorContext, { id: scheduleId }: { id: string }): Promise<Schedule> {
  return showSchedule(found(await findAny(parts.store.db, teamId, scheduleId), "schedule"));
}

/** What comes of a schedule hangs on the time and on others: its version is what was written. */
function version({ summary: _summary, next_at: _next, screens: _screens, warnings: _warnings, ...schedule }: ScheduleOutlook): Schedule {
  return schedule;
}

function find(db: Db, teamId: string, scheduleId: string) {
  return findAny(db, teamId, scheduleId).then((row) => (row?.deleted_at === null ? row : undefined));
}

/** In the bin or not. */
function findAny(db: Db, teamId: string, scheduleId: string) {
  return findTeamRow(db, "schedules", teamId, scheduleId);
}

function eventOf(type: EventType, { team_id: teamId, id: schedule_id, name, layout_id }: ScheduleRow) {
  return { teamId, type, data: { schedule_id, name, layout_id } };
}
