// Shows: one thing on some screens from one moment to another, and the proof of it. What they make are ordinary resources.
import { z } from "zod";
import type { AssetKind } from "../../../protocol/content/assets.ts";
import { NewPlaylistItem } from "../../../protocol/content/items.ts";
import { DeletionQuery, NewLayout } from "../../../protocol/operator/resources.ts";
import { NewSchedule } from "../../../schedule/validate-schedule.ts";
import { NewShow, Show, ShowPage, ShowProof, ShowsQuery, type ShowEntry } from "../../../protocol/operator/shows.ts";
import { id, Name } from "../../../protocol/common.ts";
import { requireScope } from "../../people/operator.ts";
import { pageOf } from "../../http/paging.ts";
import { invalidField, invalidFields, ProblemError } from "../../http/problem.ts";
import { findTeamRow } from "../../store/team-rows.ts";
import { scheduleColumns, targetedPlayers } from "../../schedule/schedules.ts";
import { showEntry, describeShow, unusedTagWarnings } from "../../shows/show-outlook.ts";
import { proofOf } from "../../shows/show-proof.ts";
import { layoutSizeFor, resolveTarget, showWindow } from "../../shows/new-show.ts";
import { clearShow, findShowSchedule, type ShowContent } from "../../shows/shows.ts";
import type { Db } from "../../store/store.ts";
import type { LayoutRow, PlayerRow, PlaylistRow, ScheduleRow, ShowRow } from "../../store/tables.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext } from "../operation.ts";
import { settleZones } from "../content/layout-zones.ts";
import { settleItems } from "../content/playlist-items.ts";

const params = z.strictObject({ id: id("shw") });
const example = { text: "The kitchen closes at nine", tags: ["restaurant"], lasts_ms: 10_800_000 };
const webPlayMs = 60_000;
const longestName = 60;

export const showOperations: readonly Operation[] = [
  operation({
    name: "show",
    tag: "shows",
    method: "POST",
    path: "/show",
    summary: "Show something on some screens for a time",
    description:
      "An asset, a web page or a text, on players, on all with a tag, or everywhere, from now or later until it ends. Makes in one transaction a playlist of one item, a layout of one zone and a schedule with a high priority: desired state, which plays offline too and which forecasts and `why` tell of. The answer names them, warns of what may keep it from being seen, and says how to undo it. A day after its end they go into the bin. Needs the scopes `playlists:write`, `layouts:write` and `players:read` too.",
    agent:
      "Use it for whatever is to be on screens for a time: it is one call. Then take_screenshot with the `show_id`, and get_show_proof. delete_show takes all of it back. For what always shows, or for several items: a playlist, a layout and update_player.",
    caller: "operator",
    scope: "schedules:write",
    body: NewShow,
    example,
    status: 201,
    output: Show,
    errors: ["invalid"],
    version: ({ id: showId, created_at }) => ({ id: showId, created_at }),
    async run(context, { body }) {
      const { parts, teamId, operator } = context;
      for (const scope of ["playlists:write", "layouts:write", "players:read"] as const) requireScope(operator, scope);
      const write = async (db: Db) => {
        const now = Math.trunc(parts.clock.now());
        const { overAt, ...window } = showWindow(body, now);
        const target = await resolveTarget(db, teamId, body);
        const players = await targetedPlayers(db, teamId, [target]);
        const { item, called } = await itemOf(db, teamId, body);
        const name = body.name ?? called;
        const items = await settleItems(db, parts.makeId, teamId, [item], []).catch(asOwnFields);
        const stamps = { team_id: teamId, name, created_at: now };
        const changed = { ...stamps, updated_at: now, deleted_at: null };
        const playlist: PlaylistRow = { ...changed, id: parts.makeId("pls"), items: JSON.stringify(items) };
        await db.insertInto("playlists").values(playlist).execute();
        const layout = await layoutOf(context, db, changed, playlist.id, players, body.background_color);
        await db.insertInto("layouts").values(layout).execute();
        const about = { name, layout_id: layout.id, target, priority: body.priority, loop_from: "window" };
        const schedule: ScheduleRow = {
          ...changed,
          ...scheduleColumns(NewSchedule.parse({ ...about, ...window })),
          id: parts.makeId("sch"),
          deleted_with: null,
        };
        await db.insertInto("schedules").values(schedule).execute();
        const { asset_id, url, text } = body;
        const given = JSON.stringify({ asset_id, url, text } satisfies ShowContent);
        const made = { playlist_id: playlist.id, layout_id: layout.id, schedule_id: schedule.id };
        const row: ShowRow = { ...stamps, ...made, id: parts.makeId("shw"), given, ends_at: overAt, cleared_at: null };
        await db.insertInto("shows").values(row).execute();
        const events = [
          { teamId, type: "playlist.created" as const, data: { playlist_id: playlist.id, name }, players: [] },
          { teamId, type: "layout.created" as const, data: { layout_id: layout.id, name }, players: [] },
          { teamId, type: "schedule.created" as const, data: { schedule_id: schedule.id, name, layout_id: layout.id } },
        ];
        return { result: row, affected: players, events };
      };
      return change(context, write, async (db, row) => {
        const shown = await describeShow(context, db, row);
        const unheard = await unusedTagWarnings(db, teamId, body.tags ?? []);
        return { ...shown, warnings: [...unheard, ...shown.warnings] };
      });
    },
  }),
  operation({
    name: "listShows",
    tag: "shows",
    method: "GET",
    path: "/show",
    summary: "List shows",
    description: "Newest first, those that are over or were taken back included, as long as play events are kept.",
    caller: "operator",
    scope: "schedules:read",
    query: ShowsQuery,
    status: 200,
    output: ShowPage,
    errors: ["invalid"],
    async run(context, { query }) {
      const { db } = context.parts.store;
      const rows = db.selectFrom("shows").selectAll().where("team_id", "=", context.teamId);
      const { data, next_cursor } = await pageOf(rows, query, (row) => row);
      const entries: ShowEntry[] = [];
      for (const row of data) entries.push((await showEntry(context, db, row)).entry);
      return { data: entries, next_cursor };
    },
  }),
  operation({
    name: "getShow",
    tag: "shows",
    method: "GET",
    path: "/show/{id}",
    summary: "Read a show",
    description: "Where it stands, which players it is for, and what may keep it from being seen.",
    caller: "operator",
    scope: "schedules:read",
    params,
    status: 200,
    output: Show,
    errors: ["not-found"],
    async run(context, input) {
      const { db } = context.parts.store;
      return describeShow(context, db, await find(db, context.teamId, input.params.id));
    },
  }),
  operation({
    name: "getShowProof",
    tag: "shows",
    method: "GET",
    path: "/show/{id}/proof",
    summary: "Prove what a show played",
    description:
      "Plays as the players told them, by presented frames: how many, how long, the first and the last, on each player; whether it is on now; and the newest screenshot that was taken while it was due. A player tells its plays once a minute, each after its end; `is_showing` and the screenshot prove it until then.",
    agent: "Use it to prove that a show was seen. No plays yet, but `is_showing`: ask again a minute later.",
    caller: "operator",
    scope: "play_events:read",
    params,
    status: 200,
    output: ShowProof,
    errors: ["not-found"],
    async run(context, input) {
      return proofOf(context, await find(context.parts.store.db, context.teamId, input.params.id));
    },
  }),
  operation({
    name: "deleteShow",
    tag: "shows",
    method: "DELETE",
    path: "/show/{id}",
    summary: "Take a show back",
    description:
      "Screens go back to what else is due. Its schedule, layout and playlist go into the bin for 30 days, where restoring the schedule brings all three back; `permanent=true` deletes all for good. A layout or playlist that something else shows by now stays.",
    agent: "Use it to undo show in one call.",
    caller: "operator",
    scope: "schedules:write",
    params,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found"],
    async run(context, input) {
      const { parts, teamId, operator } = context;
      for (const scope of ["playlists:write", "layouts:write"] as const) requireScope(operator, scope);
      const permanent = input.query.permanent === "true";
      await change(context, async (db) => {
        const row = await find(db, teamId, input.params.id);
        // Restored, its schedule is live again though it was cleared once.
        const isLive = (await findShowSchedule(db, row))?.row.deleted_at === null;
        if (!permanent && !isLive && row.cleared_at !== null) throw new ProblemError("not-found", "The show was taken back already");
        return clearShow(db, row, Math.trunc(parts.clock.now()), permanent);
      });
    },
  }),
];

async function find(db: Db, teamId: string, showId: string): Promise<ShowRow> {
  const row = await db.selectFrom("shows").selectAll().where("team_id", "=", teamId).where("id", "=", showId).executeTakeFirst();
  return found(row, "show");
}

/** The item that shows what was asked for, and what people would call it. @throws Refusal 422. */
async function itemOf(db: Db, teamId: string, body: NewShow): Promise<{ item: NewPlaylistItem; called: string }> {
  const { duration_ms, fit, color, background_color } = body;
  const lasts = duration_ms === undefined ? {} : { duration_ms };
  if (body.text !== undefined) {
    const item = { type: "text", text: body.text, color, background_color, ...lasts };
    return { item: NewPlaylistItem.parse(item), called: nameFrom(body.text) };
  }
  if (body.url !== undefined) {
    const item = { type: "web", url: body.url, duration_ms: duration_ms ?? webPlayMs };
    return { item: NewPlaylistItem.parse(item), called: nameFrom(new URL(body.url).host) };
  }
  const asset = await findTeamRow(db, "assets", teamId, body.asset_id!);
  if (asset === undefined) throw invalidField("/asset_id", "there is no such asset");
  if (asset.kind === null)
    throw invalidField("/asset_id", "the asset's import has not succeeded, or not yet: wait until its status is ready");
  const looks: Readonly<Record<AssetKind, object>> = {
    image: { type: "image", fit },
    video: { type: "video", fit },
    audio: { type: "audio" },
    document: { type: "pdf" },
    bundle: { type: "html", duration_ms: duration_ms ?? webPlayMs },
  };
  return { item: NewPlaylistItem.parse({ ...looks[asset.kind], asset_id: asset.id, ...lasts }), called: nameFrom(asset.name) };
}

/** A name made of a text: on one line, and not too long. */
function nameFrom(text: string): string {
  const line = text.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  // Half of a pair of surrogates is cut off too.
  const cut = line
    .slice(0, longestName)
    .toWellFormed()
    .replace(/\ufffd$/, "");
  return Name.safeParse(line.length > longestName ? `${cut}…` : line).data ?? "Show";
}

/** What is wrong with the one item, as fields of the request. @throws Refusal 422, or what it was given. */
function asOwnFields(error: unknown): never {
  if (!(error instanceof ProblemError) || error.kind !== "invalid") throw error;
  throw invalidFields(error.errors.map(({ pointer, detail }) => ({ pointer: pointer.replace(/^\/items\/0/, ""), detail })));
}

async function layoutOf(
  { parts, teamId }: OperatorContext,
  db: Db,
  stamps: Pick<LayoutRow, "team_id" | "name" | "created_at" | "updated_at" | "deleted_at">,
  playlistId: string,
  players: readonly PlayerRow[],
  background_color: string,
): Promise<LayoutRow> {
  const { width, height } = layoutSizeFor(parts, players);
  const zones = [{ name: "main", left: 0, top: 0, width, height, playlist_id: playlistId }];
  const { name } = stamps;
  const body = NewLayout.parse({ name, width, height, background_color, zones });
  const settled = await settleZones(db, parts.makeId, teamId, body, body.zones, []);
  return { ...body, ...stamps, id: parts.makeId("lay"), transition: null, zones: JSON.stringify(settled) };
}
