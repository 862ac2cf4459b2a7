// Operations for schedules: which layout is shown when, and on which players.
import { z } from "zod";
import { contentEvent } from "../../content/content-event.ts";
import { id } from "../../../protocol/common.ts";
import { BinQuery, DeletionQuery, page } from "../../../protocol/operator/resources.ts";
import { Schedule, ScheduleChange, ScheduleOutlook } from "../../../protocol/scheduling/schedules.ts";
import { NewSchedule } from "../../../schedule/validate-schedule.ts";
import { restoreSchedule } from "../../cleanup/bin-restore.ts";
import { discard } from "../../cleanup/bin.ts";
import { ProblemError } from "../../http/problem.ts";
import { binReaders } from "../../content/operations/bin-readers.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import { outlookOf, type OutlookDependencies } from "../outlook/outlook.ts";
import { changeSchedule, insertSchedule } from "../writes.ts";
import { showSchedule, targetedPlayers, targetOf } from "../schedules.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";

interface ScheduleDependencies extends OutlookDependencies {
  makeId: MakeId;
  store: Store;
}

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

const schedules = binReaders("schedules", "schedule", showSchedule);

const operation = operationsWith<ScheduleDependencies>();

export const scheduleOperations: readonly Operation<ScheduleDependencies>[] = [
  operation({
    name: "createSchedule",
    tag: "schedules",
    method: "POST",
    path: "/schedules",
    summary: "Create a schedule",
    description:
      "Shows a layout from `starts_at` to `ends_at`, and with `rrule` (RFC 5545) again on every matching day. Local times are in the schedule's time zone, or in the player's without it; dates without a time are whole days there, including the last. A weekday is that of the day on which a window starts, also past midnight. A local time that a clock change skips means the instant of the change (unlike RFC 5545 section 3.3.5, which adds the length of the change); a repeated local time means its first occurrence. UNTIL in UTC is an instant. The response describes the schedule in words and warns of windows that never play; try it with `dry_run=true`.",
    agent:
      "Use it for content with times: campaigns, opening hours, a weekly event. For permanent content use update_player. The higher priority wins, so check list_schedules first.",
    caller: "operator",
    scope: "schedules:write",
    drafts: true,
    body: NewSchedule,
    example,
    status: 201,
    output: ScheduleOutlook,
    errors: ["invalid"],
    version,
    async run(dependencies, { teamId }, { body }, unitOfWork) {
      const write = async (db: Db) => {
        const row = await insertSchedule(dependencies, db, teamId, body);
        const affected = await targetedPlayers(db, teamId, [body.target]);
        return { result: showSchedule(row), affected, events: [contentEvent("schedule.created", row)] };
      };
      return unitOfWork.write(write, (db, schedule) => outlookOf(dependencies, db, teamId, schedule));
    },
  }),
  operation({
    name: "listSchedules",
    tag: "schedules",
    method: "GET",
    path: "/schedules",
    summary: "List schedules",
    description: "Newest first. `deleted=true` lists the bin instead.",
    caller: "operator",
    scope: "schedules:read",
    drafts: true,
    query: BinQuery,
    status: 200,
    output: page(Schedule),
    errors: ["invalid"],
    run: schedules.list,
  }),
  operation({
    name: "getSchedule",
    tag: "schedules",
    method: "GET",
    path: "/schedules/{id}",
    summary: "Read a schedule",
    description: "Use its ETag as `If-Match` of a change.",
    caller: "operator",
    scope: "schedules:read",
    drafts: true,
    params,
    status: 200,
    output: ScheduleOutlook,
    errors: ["not-found"],
    version,
    run: (dependencies, context, input) => read(dependencies, context, input.params),
  }),
  operation({
    name: "updateSchedule",
    tag: "schedules",
    method: "PATCH",
    path: "/schedules/{id}",
    summary: "Change a schedule",
    description: "Omitted fields stay unchanged; `conditions` and `exdates` replace the whole list.",
    agent: "Use it to move or end a campaign: setting `ends_at` keeps the schedule as a record, unlike delete_schedule.",
    caller: "operator",
    scope: "schedules:write",
    drafts: true,
    params,
    body: ScheduleChange,
    example: { priority: 20, ends_at: "2026-11-28T03:00" },
    status: 200,
    output: ScheduleOutlook,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: schedules.read,
    async run(dependencies, { teamId }, { params: { id: scheduleId }, body }, unitOfWork) {
      const write = async (db: Db) => {
        const row = await schedules.find(db, teamId, scheduleId, { inBin: false });
        const next = await changeSchedule(dependencies, db, row, body);
        if (next === row) return { result: showSchedule(row) };
        const affected = await targetedPlayers(db, teamId, [targetOf(row), targetOf(next)]);
        return { result: showSchedule(next), affected, events: [contentEvent("schedule.updated", next)] };
      };
      return unitOfWork.write(write, (db, schedule) => outlookOf(dependencies, db, teamId, schedule));
    },
  }),
  operation({
    name: "deleteSchedule",
    tag: "schedules",
    method: "DELETE",
    path: "/schedules/{id}",
    summary: "Delete a schedule",
    description:
      "Moves it to the bin for 30 days; `permanent=true` deletes it for good. Screens that show its layout return to what else is due.",
    agent:
      "Use it for schedules that should not play again. To end a campaign and keep the schedule as a record, set `ends_at` with update_schedule.",
    caller: "operator",
    scope: "schedules:write",
    drafts: true,
    params,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found", "precondition-failed"],
    current: schedules.readAnywhere,
    async run({ clock }, { teamId }, { params: { id: scheduleId }, query }, unitOfWork) {
      const permanent = query.permanent === "true";
      await unitOfWork.write(async (db) => {
        const row = await schedules.find(db, teamId, scheduleId, { inBin: permanent });
        await discard(db, "schedules", row.id, Math.trunc(clock.now()), permanent);
        const affected = await targetedPlayers(db, teamId, [targetOf(row)]);
        return { result: undefined, affected, events: [contentEvent("schedule.deleted", row)] };
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
      "Restores it from the bin together with its layout. Rejected while its target player is in the bin: restore the player, which also restores its schedules.",
    caller: "operator",
    scope: "schedules:write",
    drafts: true,
    params,
    status: 200,
    output: ScheduleOutlook,
    errors: ["not-found", "in-use"],
    version,
    async run(dependencies, { teamId }, { params: { id: scheduleId } }, unitOfWork) {
      const write = async (db: Db) => {
        const row = await schedules.find(db, teamId, scheduleId, { inBin: true });
        if (row.deleted_at === null) return { result: showSchedule(row) };
        const affected = await targetedPlayers(db, teamId, [targetOf(row)]);
        if (row.target_type === "player" && affected.length === 0) {
          throw new ProblemError(
            "in-use",
            `Its screen ${row.target_value} is in the bin: restore that screen, which also restores its schedules`,
          );
        }
        const otherEvents: WriteEvent[] = [];
        const restored = await restoreSchedule(db, row, Math.trunc(dependencies.clock.now()), (event) => otherEvents.push(event));
        return { result: showSchedule(restored), affected, events: [...otherEvents, contentEvent("schedule.restored", restored)] };
      };
      return unitOfWork.write(write, (db, schedule) => outlookOf(dependencies, db, teamId, schedule));
    },
  }),
];

async function read(dependencies: ScheduleDependencies, context: OperatorContext, params: { id: string }): Promise<ScheduleOutlook> {
  const { teamId } = context;
  return outlookOf(dependencies, dependencies.store.db, teamId, await schedules.read(dependencies, context, params));
}

/** The part that the ETag covers: not the outlook, which depends on the time and on other resources. */
function version({ summary: _summary, next_at: _next, screens: _screens, warnings: _warnings, ...schedule }: ScheduleOutlook): Schedule {
  return schedule;
}
