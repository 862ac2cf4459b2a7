// Operations for layouts, which divide a screen into zones.
import { z } from "zod";
import { contentEvent } from "../content-event.ts";
import type { Clock } from "../../../base/clock.ts";
import { iso } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { BinQuery, DeletionQuery, Layout, LayoutChange, NewLayout, page } from "../../../protocol/operator/resources.ts";
import { restoreLayout } from "../../cleanup/bin-restore.ts";
import { discard } from "../../cleanup/bin.ts";
import { parseTransition, parseZones } from "../content-columns.ts";
import { playersShowing } from "../../fleet/state/players-showing.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import { binReaders } from "./bin-readers.ts";
import { assignZoneIds } from "../layout-zones.ts";
import { listNames } from "./playlists.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import { deleteExpiredOverrides } from "../../schedule/overrides.ts";
import { schedulesShowing } from "../../schedule/schedules.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";
import type { LayoutRow } from "../../store/tables/content.ts";
import { findTeamRow, insertTeamRow, updateTeamRow } from "../../store/tables/team-rows.ts";

interface LayoutDependencies {
  clock: Clock;
  makeId: MakeId;
  store: Store;
}

const params = z.strictObject({ id: id("lay") });
const example = {
  name: "Lobby, landscape",
  width: 1920,
  height: 1080,
  background_color: "#101820",
  transition: { type: "crossfade", duration_ms: 800 },
  zones: [
    { name: "main", left: 0, top: 0, width: 1440, height: 1080, z_index: 0, playlist_id: "pls_01jd3v8q6m9x2k4n7r5t1w0yzh" },
    { name: "side", left: 1440, top: 0, width: 480, height: 1080, z_index: 0, playlist_id: null },
  ],
};

const layouts = binReaders("layouts", "layout", show);

const operation = operationsWith<LayoutDependencies>();

export const layoutOperations: readonly Operation<LayoutDependencies>[] = [
  operation({
    name: "createLayout",
    tag: "layouts",
    method: "POST",
    path: "/layouts",
    summary: "Create a layout",
    description:
      "Zones are rectangles in layout pixels, wholly inside the layout; the screen scales the layout to fit. " +
      "They may overlap (`z_index`) and be rotated around their center (`rotation`; corners outside the layout are cut off). " +
      "A `transition` starts when the layout becomes due and takes `duration_ms`; the old content keeps playing beneath it.",
    agent:
      "Use it if no layout has the zones you need; check list_layouts first. A layout is not shown until a player or a schedule uses it.",
    caller: "operator",
    scope: "layouts:write",
    drafts: true,
    body: NewLayout,
    example,
    status: 201,
    output: Layout,
    errors: ["invalid"],
    version: (layout) => layout,
    async run({ clock, makeId }, { teamId }, { body }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const now = Math.trunc(clock.now());
        const zones = await assignZoneIds(db, makeId, teamId, body, body.zones, []);
        await checkImage(db, teamId, body.background_asset_id, "/background_asset_id");
        const own = { id: makeId("lay"), team_id: teamId, created_at: now, updated_at: now, deleted_at: null };
        const row: LayoutRow = { ...body, ...own, transition: toJson(body.transition), zones: JSON.stringify(zones) };
        await insertTeamRow(db, "layouts", row);
        return { result: show(row), events: [contentEvent("layout.created", row)] };
      });
    },
  }),
  operation({
    name: "listLayouts",
    tag: "layouts",
    method: "GET",
    path: "/layouts",
    summary: "List layouts",
    description: "Newest first. `deleted=true` lists the bin instead.",
    caller: "operator",
    scope: "layouts:read",
    drafts: true,
    query: BinQuery,
    status: 200,
    output: page(Layout),
    errors: ["invalid"],
    run: layouts.list,
  }),
  operation({
    name: "getLayout",
    tag: "layouts",
    method: "GET",
    path: "/layouts/{id}",
    summary: "Read a layout",
    description: "Use its ETag as `If-Match` of a change.",
    caller: "operator",
    scope: "layouts:read",
    drafts: true,
    params,
    status: 200,
    output: Layout,
    errors: ["not-found"],
    version: (layout) => layout,
    run: (dependencies, context, { params: given }) => layouts.read(dependencies, context, given),
  }),
  operation({
    name: "updateLayout",
    tag: "layouts",
    method: "PATCH",
    path: "/layouts/{id}",
    summary: "Change a layout",
    description: "`zones` replaces all zones; a zone with the same name keeps its id.",
    agent:
      "Use it to change what all players with this layout show. `zones` replaces all zones, so read the layout first and send if_match. To change one player only, create another layout.",
    caller: "operator",
    scope: "layouts:write",
    drafts: true,
    params,
    body: LayoutChange,
    example: { zones: example.zones },
    status: 200,
    output: Layout,
    errors: ["not-found", "invalid", "precondition-failed"],
    version: (layout) => layout,
    current: layouts.read,
    async run({ clock, makeId }, { teamId }, { params: { id: layoutId }, body }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = await layouts.find(db, teamId, layoutId, { inBin: false });
        const before = parseZones(row.zones);
        const size = { width: body.width ?? row.width, height: body.height ?? row.height };
        // Unchanged zones are validated too: the layout may have become too small for them.
        const zones = await assignZoneIds(db, makeId, teamId, size, body.zones ?? before, before);
        await checkImage(db, teamId, body.background_asset_id, "/background_asset_id");
        const { name = row.name, background_color = row.background_color, background_asset_id = row.background_asset_id } = body;
        const transition = body.transition === undefined ? row.transition : toJson(body.transition);
        const changed = { ...row, ...size, name, background_color, background_asset_id, transition, zones: JSON.stringify(zones) };
        if (canonicalJson({ ...changed, zones }) === canonicalJson({ ...row, zones: before })) return { result: show(row) };
        const next = { ...changed, updated_at: Math.trunc(clock.now()) };
        await updateTeamRow(db, "layouts", row.id, next);
        const affected = await playersShowing(db, teamId, [row.id]);
        return { result: show(next), affected, events: [contentEvent("layout.updated", next)] };
      });
    },
  }),
  operation({
    name: "deleteLayout",
    tag: "layouts",
    method: "DELETE",
    path: "/layouts/{id}",
    summary: "Delete a layout",
    description: "Moves it to the bin for 30 days; `permanent=true` deletes it for good. Rejected while a player or a schedule uses it.",
    agent: "Use it for layouts that nothing uses. Without `permanent` the layout can be restored for 30 days.",
    caller: "operator",
    scope: "layouts:write",
    drafts: true,
    params,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: layouts.readAnywhere,
    async run({ clock }, { teamId }, { params: { id: layoutId }, query }, unitOfWork) {
      const permanent = query.permanent === "true";
      await unitOfWork.write(async (db) => {
        const row = await layouts.find(db, teamId, layoutId, { inBin: permanent });
        const schedules = await schedulesShowing(db, teamId, [row.id]);
        if (schedules.length > 0)
          throw new ProblemError("in-use", `Schedules show this layout: ${listNames(schedules)}. Delete them first`);
        const affected = await deleteExpiredOverrides(db, teamId, { layout_id: row.id }, Math.trunc(clock.now()));
        const players = await playersShowing(db, teamId, [row.id]);
        if (players.length > 0)
          throw new ProblemError("in-use", `Screens show this layout: ${listNames(players)}. Give them another layout first`);
        await discard(db, "layouts", row.id, Math.trunc(clock.now()), permanent);
        return { result: undefined, affected, events: [contentEvent("layout.deleted", row)] };
      });
    },
  }),
  operation({
    name: "restoreLayout",
    tag: "layouts",
    method: "POST",
    path: "/layouts/{id}/restore",
    summary: "Restore a deleted layout",
    description: "Restores it from the bin together with its playlists. A zone whose playlist was deleted for good becomes empty.",
    caller: "operator",
    scope: "layouts:write",
    drafts: true,
    params,
    status: 200,
    output: Layout,
    errors: ["not-found"],
    version: (layout) => layout,
    async run({ clock }, { teamId }, { params: { id: layoutId } }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = await layouts.find(db, teamId, layoutId, { inBin: true });
        if (row.deleted_at === null) return { result: show(row) };
        const otherEvents: WriteEvent[] = [];
        const restored = await restoreLayout(db, row, Math.trunc(clock.now()), (event) => otherEvents.push(event));
        return { result: show(restored), events: [...otherEvents, contentEvent("layout.restored", restored)] };
      });
    },
  }),
];

/** The layout as the API returns it. */
export function show(row: LayoutRow): Layout {
  return {
    id: row.id,
    name: row.name,
    width: row.width,
    height: row.height,
    background_color: row.background_color,
    background_asset_id: row.background_asset_id,
    transition: parseTransition(row.transition),
    zones: parseZones(row.zones),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    deleted_at: iso(row.deleted_at),
  };
}

function toJson(transition: Layout["transition"]): string | null {
  return transition === null ? null : JSON.stringify(transition);
}

/** @throws ProblemError 422 unless the asset, if one is given, is an image of the team. */
export async function checkImage(db: Db, teamId: string, assetId: string | null | undefined, pointer: string): Promise<void> {
  if (assetId === null || assetId === undefined) return;
  const asset = await findTeamRow(db, "assets", teamId, assetId);
  if (asset === undefined) throw invalidField(pointer, "there is no such asset");
  if (asset.kind !== "image") throw invalidField(pointer, `the asset is ${asset.mime_type ?? "not ready yet"}: use an image`);
}
