// Operations for shows: one item or layout on some screens for a time, created of ordinary resources, and the proof that it was shown.
import { z } from "zod";
import { contentEvent } from "../../content/content-event.ts";
import { id } from "../../../protocol/common.ts";
import { DeletionQuery } from "../../../protocol/operator/resources.ts";
import { NewShow, Show, ShowPage, ShowProof, ShowProofQuery, ShowsQuery, type ShowEntry } from "../../../protocol/operator/shows.ts";
import { NewSchedule } from "../../../schedule/validate-schedule.ts";
import { pageOf } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import { contentOf } from "./show-content.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { requireScope } from "../../people/operator.ts";
import type { OutlookDependencies } from "../../schedule/outlook/outlook.ts";
import { scheduleColumns, targetedPlayers } from "../../schedule/schedules.ts";
import { clearEmergency, setEmergency, type EmergencyDependencies } from "../emergencies.ts";
import { resolveTarget, showWindow } from "../new-show.ts";
import { describeShow, showEntry, unusedTagWarnings } from "../show-outlook.ts";
import { proofOf } from "../show-proof.ts";
import { clearShow, findShowSchedule, selectShows, type ShowContent } from "../shows.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";
import type { ScheduleRow, ShowRow } from "../../store/tables/content.ts";
import { findTeamRow, insertTeamRow } from "../../store/tables/team-rows.ts";

interface ShowDependencies extends OutlookDependencies, EmergencyDependencies {
  makeId: MakeId;
  store: Store;
}

const params = z.strictObject({ id: id("shw") });
const example = { text: "The kitchen closes at nine", tags: ["restaurant"], lasts_ms: 10_800_000 };

const operation = operationsWith<ShowDependencies>();

export const showOperations: readonly Operation<ShowDependencies>[] = [
  operation({
    name: "show",
    tag: "shows",
    method: "POST",
    path: "/show",
    summary: "Show one item on some screens for a time",
    description:
      "Shows an asset, a web page, a text or a layout on some players, on all players with a tag, or everywhere, from now or later until it ends. Creates in one transaction a playlist with one item, a layout with one zone and a schedule with a high priority; for a layout only the schedule. They are desired state: they play offline too and appear in forecasts and in `why`. The response names them, warns of anything that may keep the show from being seen, and says how to undo it. One day after the end they move to the bin. With `emergency` an override besides the schedule outranks everything else on the players. Also requires the scopes `playlists:write`, `layouts:write` and `players:read`.",
    agent:
      "Use it to put one item on screens for a time in one call. Use `emergency` only if a person says that it is one. Then call take_screenshot with the `show_id`, and get_show_proof. delete_show undoes it. For permanent content or several items, create a playlist and a layout and call update_player.",
    caller: "operator",
    scope: "schedules:write",
    body: NewShow,
    example,
    status: 201,
    output: Show,
    errors: ["invalid"],
    version: ({ id: showId, created_at }) => ({ id: showId, created_at }),
    async run(dependencies, context, { body }, unitOfWork) {
      const { teamId, operator } = context;
      for (const scope of ["playlists:write", "layouts:write", "players:read"] as const) requireScope(operator, scope);
      if (body.emergency) requireScope(operator, "commands:write");
      const write = async (db: Db) => {
        const now = Math.trunc(dependencies.clock.now());
        const { overAt, ...window } = showWindow(body, now);
        const target = await resolveTarget(db, teamId, body);
        const players = await targetedPlayers(db, teamId, [target]);
        const { name, playlist_id, layout_id, events } = await contentOf(dependencies, context, db, body, players, now);
        const stamps = { team_id: teamId, name, created_at: now };
        const changed = { ...stamps, updated_at: now, deleted_at: null };
        const fields = { name, layout_id, target, priority: body.priority, loop_from: "window" };
        const schedule: ScheduleRow = {
          ...changed,
          ...scheduleColumns(NewSchedule.parse({ ...fields, ...window })),
          id: dependencies.makeId("sch"),
          deleted_with: null,
        };
        await insertTeamRow(db, "schedules", schedule);
        const { asset_id, url, text } = body;
        const given = JSON.stringify({ asset_id, url, text, layout_id: body.layout_id } satisfies ShowContent);
        const created = { playlist_id, layout_id, schedule_id: schedule.id, user_id: operator.userId };
        const states = { ends_at: overAt, cleared_at: null, is_emergency: body.emergency ? 1 : 0 };
        const row: ShowRow = { ...stamps, ...created, ...states, id: dependencies.makeId("shw"), given };
        await insertTeamRow(db, "shows", row);
        const { entries } = body.emergency ? await setEmergency(dependencies, db, row, players) : { entries: [] };
        return { result: row, affected: players, entries, events: [...events, contentEvent("schedule.created", schedule)] };
      };
      return unitOfWork.write(write, async (db, row) => {
        const shown = await describeShow({ dependencies, teamId }, db, row);
        const unusedTags = await unusedTagWarnings(db, teamId, body.tags ?? []);
        return { ...shown, warnings: [...unusedTags, ...shown.warnings] };
      });
    },
  }),
  operation({
    name: "listShows",
    tag: "shows",
    method: "GET",
    path: "/show",
    summary: "List shows",
    description: "Newest first, including finished and deleted shows, as long as play events are kept.",
    caller: "operator",
    scope: "schedules:read",
    query: ShowsQuery,
    status: 200,
    output: ShowPage,
    errors: ["invalid"],
    async run(dependencies, { teamId }, { query: { ended, ...query } }) {
      const { clock, store } = dependencies;
      const { db } = store;
      const rows = selectShows(db, teamId, ended === undefined ? null : ended === "true", Math.trunc(clock.now()));
      const { data, next_cursor } = await pageOf(rows, query, (row) => row);
      const entries: ShowEntry[] = [];
      for (const row of data) entries.push((await showEntry({ dependencies, teamId }, db, row)).entry);
      return { data: entries, next_cursor };
    },
  }),
  operation({
    name: "getShow",
    tag: "shows",
    method: "GET",
    path: "/show/{id}",
    summary: "Read a show",
    description: "Its status, its players, and warnings of anything that may keep it from being seen.",
    caller: "operator",
    scope: "schedules:read",
    params,
    status: 200,
    output: Show,
    errors: ["not-found"],
    async run(dependencies, { teamId }, input) {
      const { db } = dependencies.store;
      return describeShow({ dependencies, teamId }, db, await find(db, teamId, input.params.id));
    },
  }),
  operation({
    name: "getShowProof",
    tag: "shows",
    method: "GET",
    path: "/show/{id}/proof",
    summary: "Prove the plays of a show",
    description:
      "The plays that the players reported, proven by presented frames: for each player the number, the total time, the first and the last play, whether it is on now, and the newest screenshot taken while it was due. Players report plays once per minute, after they end; until then `is_showing` and the screenshot are the proof.",
    agent: "Use it to prove that a show was seen. If there are no plays yet but `is_showing` is true, call it again a minute later.",
    caller: "operator",
    scope: "play_events:read",
    params,
    query: ShowProofQuery,
    status: 200,
    output: ShowProof,
    errors: ["not-found", "invalid"],
    async run(dependencies, { teamId }, input) {
      const { store } = dependencies;
      return proofOf(store, { dependencies, teamId }, await find(store.db, teamId, input.params.id), input.query);
    },
  }),
  operation({
    name: "deleteShow",
    tag: "shows",
    method: "DELETE",
    path: "/show/{id}",
    summary: "End and delete a show",
    description:
      "Screens return to what else is due. Its schedule, layout and playlist move to the bin for 30 days; restoring the schedule restores all three. `permanent=true` deletes all for good. A layout or playlist that something else uses stays.",
    agent: "Use it to undo a show in one call.",
    caller: "operator",
    scope: "schedules:write",
    params,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found"],
    async run(dependencies, { teamId, operator }, input, unitOfWork) {
      for (const scope of ["playlists:write", "layouts:write"] as const) requireScope(operator, scope);
      const permanent = input.query.permanent === "true";
      await unitOfWork.write(async (db) => {
        const row = await find(db, teamId, input.params.id);
        // Restoring the schedule makes a deleted show live again.
        const isLive = (await findShowSchedule(db, row))?.row.deleted_at === null;
        if (!permanent && !isLive && row.cleared_at !== null) throw new ProblemError("not-found", "The show is already deleted");
        if (row.is_emergency === 0) return clearShow(db, row, Math.trunc(dependencies.clock.now()), permanent);
        requireScope(operator, "commands:write");
        const { affected, entries, cancelled } = await clearEmergency(dependencies, db, row);
        const cleared = await clearShow(db, row, Math.trunc(dependencies.clock.now()), permanent);
        const all = new Map([...affected, ...(cleared.affected ?? [])].map((player) => [player.id, player]));
        return { ...cleared, affected: [...all.values()], entries, committed: () => dependencies.commands.markEnded(cancelled) };
      });
    },
  }),
];

async function find(db: Db, teamId: string, showId: string): Promise<ShowRow> {
  return found(await findTeamRow(db, "shows", teamId, showId), "show");
}
