// Layouts: how a screen is divided into zones.
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import type { EventType } from "../../../protocol/operator/events.ts";
import { BinQuery, DeletionQuery, Layout, LayoutChange, NewLayout, page } from "../../../protocol/operator/resources.ts";
import { restoreLayout } from "../../cleanup/bin-restore.ts";
import { discard } from "../../cleanup/bin.ts";
import { parseTransition, parseZones } from "../../content/content-columns.ts";
import { playersShowing } from "../../fleet/state/players-showing.ts";
import { nameContains, nameMayContain, pageOf } from "../../http/paging.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import { settleZones } from "./layout-zones.ts";
import { names } from "./playlists.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext, type WriteEvent } from "../operation.ts";
import { deleteExpiredOverrides } from "../../schedule/overrides.ts";
import { schedulesShowing } from "../../schedule/schedules.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import type { Db } from "../../store/store.ts";
import type { LayoutRow } from "../../store/tables.ts";
import { findTeamRow } from "../../store/team-rows.ts";

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

export const layoutOperations: readonly Operation[] = [
  operation({
    name: "createLayout",
    tag: "layouts",
    method: "POST",
    path: "/layouts",
    summary: "Create a layout",
    description:
      "Zones are rectangles in layout pixels and lie wholly inside it; the screen scales the layout to fit. " +
      "They may overlap (`z_index`) and be turned about their middle (`rotation`, after which a corner may be cut off). " +
      "A `transition` begins at the boundary and ends `duration_ms` later: it moves no boundary, and the old picture plays on beneath it.",
    agent:
      "Use it when no layout has the zones that are wanted; look at list_layouts first. A layout shows nowhere until a player or a schedule has it.",
    caller: "operator",
    scope: "layouts:write",
    body: NewLayout,
    example,
    status: 201,
    output: Layout,
    errors: ["invalid"],
    version: (layout) => layout,
    async run(context, { body }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const now = Math.trunc(parts.clock.now());
        const zones = await settleZones(db, parts.makeId, teamId, body, body.zones, []);
        await checkBackground(db, teamId, body.background_asset_id);
        const own = { id: parts.makeId("lay"), team_id: teamId, created_at: now, updated_at: now, deleted_at: null };
        const row: LayoutRow = { ...body, ...own, transition: toJson(body.transition), zones: JSON.stringify(zones) };
        await db.insertInto("layouts").values(row).execute();
        return { result: show(row), events: [eventOf("layout.created", row)] };
      });
    },
  }),
  operation({
    name: "listLayouts",
    tag: "layouts",
    method: "GET",
    path: "/layouts",
    summary: "List layouts",
    description: "Newest first, by filters. `deleted=true` lists the bin.",
    caller: "operator",
    scope: "layouts:read",
    query: BinQuery,
    status: 200,
    output: page(Layout),
    errors: ["invalid"],
    async run({ parts, teamId }, { query }) {
      const all = parts.store.db.selectFrom("layouts").selectAll().where("team_id", "=", teamId);
      const rows = all.where("deleted_at", query.deleted === "true" ? "is not" : "is", null);
      const { q } = query;
      return q === undefined
        ? pageOf(rows, query, show)
        : pageOf(rows.where(nameMayContain(q)), query, show, { keep: ({ name }) => nameContains(name, q) });
    },
  }),
  operation({
    name: "getLayout",
    tag: "layouts",
    method: "GET",
    path: "/layouts/{id}",
    summary: "Read a layout",
    description: "Its ETag serves as `If-Match` of a change.",
    caller: "operator",
    scope: "layouts:read",
    params,
    status: 200,
    output: Layout,
    errors: ["not-found"],
    version: (layout) => layout,
    run: (context, input) => read(context, input.params),
  }),
  operation({
    name: "updateLayout",
    tag: "layouts",
    method: "PATCH",
    path: "/layouts/{id}",
    summary: "Change a layout",
    description: "`zones` replaces all zones; a zone of the same name keeps its id.",
    agent:
      "Use it to change what all players with this layout show; `zones` are replaced as a whole, so read it first and send if_match. For one player only, make another layout.",
    caller: "operator",
    scope: "layouts:write",
    params,
    body: LayoutChange,
    example: { zones: example.zones },
    status: 200,
    output: Layout,
    errors: ["not-found", "invalid", "precondition-failed"],
    version: (layout) => layout,
    current: read,
    async run(context, { params: { id: layoutId }, body }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const row = found(await find(db, teamId, layoutId), "layout");
        const before = parseZones(row.zones);
        const size = { width: body.width ?? row.width, height: body.height ?? row.height };
        // Zones that stay are looked at too: the layout may have become too small for them.
        const zones = await settleZones(db, parts.makeId, teamId, size, body.zones ?? before, before);
        await checkBackground(db, teamId, body.background_asset_id);
        const { name = row.name, background_color = row.background_color, background_asset_id = row.background_asset_id } = body;
        const transition = body.transition === undefined ? row.transition : toJson(body.transition);
        const changed = { ...row, ...size, name, background_color, background_asset_id, transition, zones: JSON.stringify(zones) };
        if (canonicalJson({ ...changed, zones }) === canonicalJson({ ...row, zones: before })) return { result: show(row) };
        const next = { ...changed, updated_at: Math.trunc(parts.clock.now()) };
        await db.updateTable("layouts").set(next).where("id", "=", row.id).execute();
        const affected = await playersShowing(db, teamId, [row.id]);
        return { result: show(next), affected, events: [eventOf("layout.updated", next)] };
      });
    },
  }),
  operation({
    name: "deleteLayout",
    tag: "layouts",
    method: "DELETE",
    path: "/layouts/{id}",
    summary: "Delete a layout",
    description: "Puts it in the bin for 30 days, `permanent=true` deletes it for good. Refused while a player or a schedule shows it.",
    agent: "Use it for what is shown nowhere. Without `permanent` it can be restored for 30 days.",
    caller: "operator",
    scope: "layouts:write",
    params,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: readAny,
    async run(context, { params: { id: layoutId }, query }) {
      const { parts, teamId } = context;
      const permanent = query.permanent === "true";
      await change(context, async (db) => {
        const row = found(permanent ? await findAny(db, teamId, layoutId) : await find(db, teamId, layoutId), "layout");
        const schedules = await schedulesShowing(db, teamId, [row.id]);
        if (schedules.length > 0) throw new ProblemError("in-use", `Schedules show this layout: ${names(schedules)}. Delete them first`);
        const affected = await deleteExpiredOverrides(db, teamId, { layout_id: row.id }, parts.clock.now());
        const players = await playersShowing(db, teamId, [row.id]);
        if (players.length > 0)
          throw new ProblemError("in-use", `Players show this layout: ${names(players)}. Give them another one first`);
        await discard(db, "layouts", row.id, Math.trunc(parts.clock.now()), permanent);
        return { result: undefined, affected, events: [eventOf("layout.deleted", row)] };
      });
    },
  }),
  operation({
    name: "restoreLayout",
    tag: "layouts",
    method: "POST",
    path: "/layouts/{id}/restore",
    summary: "Restore a deleted layout",
    description: "Takes it out of the bin, and with it the playlists that it shows. A zone whose playlist is gone for good is empty.",
    caller: "operator",
    scope: "layouts:write",
    params,
    status: 200,
    output: Layout,
    errors: ["not-found"],
    version: (layout) => layout,
    async run(context, { params: { id: layoutId } }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const row = found(await findAny(db, teamId, layoutId), "layout");
        if (row.deleted_at === null) return { result: show(row) };
        const others: WriteEvent[] = [];
        const restored = await restoreLayout(db, row, Math.trunc(parts.clock.now()), (event) => others.push(event));
        return { result: show(restored), events: [...others, eventOf("layout.restored", restored)] };
      });
    },
  }),
];

async function read({ parts, teamId }: OperatorContext, { id: layoutId }: { id: string }): Promise<Layout> {
  return show(found(await find(parts.store.db, teamId, layoutId), "layout"));
}

/** For If-Match of a deletion, which reaches into the bin. */
async function readAny({ parts, teamId }: OperatorContext, { id: layoutId }: { id: string }): Promise<Layout> {
  return show(found(await findAny(parts.store.db, teamId, layoutId), "layout"));
}

function find(db: Db, teamId: string, layoutId: string) {
  return findAny(db, teamId, layoutId).then((row) => (row?.deleted_at === null ? row : undefined));
}

/** In the bin or not. */
function findAny(db: Db, teamId: string, layoutId: string) {
  return findTeamRow(db, "layouts", teamId, layoutId);
}

function show(row: LayoutRow): Layout {
  return {
    id: row.id,
    name: row.name,
    width: row.width,
    height: row.height,
    background_color: row.background_color,
    background_asset_id: row.background_asset_id,
    transition: parseTransition(row.transition),
    zones: parseZones(row.zones),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    deleted_at: row.deleted_at === null ? null : new Date(row.deleted_at).toISOString(),
  };
}

function toJson(transition: Layout["transition"]): string | null {
  return transition === null ? null : JSON.stringify(transition);
}

/** @throws Refusal 422 unless the background is an image of the team's. */
async function checkBackground(db: Db, teamId: string, assetId: string | null | undefined): Promise<void> {
  if (assetId === null || assetId === undefined) return;
  const asset = await db
    .selectFrom("assets")
    .select(["kind", "mime_type"])
    .where("team_id", "=", teamId)
    .where("id", "=", assetId)
    .executeTakeFirst();
  if (asset === undefined) throw invalidField("/background_asset_id", "there is no such asset");
  if (asset.kind !== "image")
    throw invalidField("/background_asset_id", `the asset is ${asset.mime_type ?? "not there yet"}: take an image`);
}

function eventOf(type: EventType, { team_id: teamId, id: layout_id, name }: LayoutRow) {
  return { teamId, type, data: { layout_id, name } };
}
