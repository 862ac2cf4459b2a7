// Playlists: what a zone shows, in a loop.
import { z } from "zod";
import { type NewPlaylistItem, type PlaylistItem } from "../../protocol/items.ts";
import { NewPlaylist, page, PageQuery, Playlist, PlaylistChange } from "../../protocol/resources.ts";
import { id } from "../../protocol/words.ts";
import { layoutsShowing, parseItems, playersShowing } from "../desired.ts";
import type { MakeId } from "../ids.ts";
import { pageOf } from "../paging.ts";
import { Refusal, type FieldError } from "../problem.ts";
import { stableJson } from "../stable.ts";
import type { Db } from "../store.ts";
import type { PlaylistRow } from "../tables.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext } from "./operation.ts";

const params = z.strictObject({ id: id("pls") });
const example = {
  name: "Lobby",
  items: [
    { type: "image", asset_id: "ast_01jd3v8q6m9x2k4n7r5t1w0yzh", duration_ms: 8000, fit: "cover" },
    { type: "text", text: "Welcome", duration_ms: 5000 },
  ],
};

export const playlistOperations: readonly Operation[] = [
  operation({
    name: "createPlaylist",
    tag: "playlists",
    method: "POST",
    path: "/playlists",
    summary: "Create a playlist",
    description:
      "Items play in order, in a loop. An item without `duration_ms` stays as long as its video, or 10 s. Text and clock items need no asset. " +
      "An item's `transition` says how it comes in, from its start on; without it the zone's holds.",
    caller: "operator",
    scope: "playlists:write",
    body: NewPlaylist,
    example,
    status: 201,
    output: Playlist,
    errors: ["invalid"],
    version: (playlist) => playlist,
    async run({ parts, teamId }, { body }) {
      return change(parts, async (db) => {
        const now = Math.trunc(parts.clock.now());
        const items = await settleItems(db, parts.makeId, teamId, body.items, []);
        const about = { id: parts.makeId("pls"), team_id: teamId, name: body.name, items: JSON.stringify(items) };
        const row: PlaylistRow = { ...about, created_at: now, updated_at: now };
        await db.insertInto("playlists").values(row).execute();
        return { result: show(row) };
      });
    },
  }),
  operation({
    name: "listPlaylists",
    tag: "playlists",
    method: "GET",
    path: "/playlists",
    summary: "List playlists",
    description: "Newest first.",
    caller: "operator",
    scope: "playlists:read",
    query: PageQuery,
    status: 200,
    output: page(Playlist),
    errors: ["invalid"],
    async run({ parts, teamId }, { query }) {
      const rows = parts.store.db.selectFrom("playlists").selectAll().where("team_id", "=", teamId);
      return pageOf(rows, query, show);
    },
  }),
  operation({
    name: "getPlaylist",
    tag: "playlists",
    method: "GET",
    path: "/playlists/{id}",
    summary: "Read a playlist",
    description: "Its ETag serves as `If-Match` of a change.",
    caller: "operator",
    scope: "playlists:read",
    params,
    status: 200,
    output: Playlist,
    errors: ["not-found"],
    version: (playlist) => playlist,
    run: (context, input) => read(context, input.params),
  }),
  operation({
    name: "updatePlaylist",
    tag: "playlists",
    method: "PATCH",
    path: "/playlists/{id}",
    summary: "Change a playlist",
    description:
      "`items` replaces all items. Items equal to earlier ones keep their ids, so sending the same list again changes nothing on any screen.",
    caller: "operator",
    scope: "playlists:write",
    params,
    body: PlaylistChange,
    example: { items: example.items },
    status: 200,
    output: Playlist,
    errors: ["not-found", "invalid", "precondition-failed"],
    version: (playlist) => playlist,
    current: read,
    async run({ parts, teamId }, { params: { id: playlistId }, body }) {
      return change(parts, async (db) => {
        const row = found(await find(db, teamId, playlistId), "playlist");
        const items = body.items && (await settleItems(db, parts.makeId, teamId, body.items, parseItems(row.items)));
        const changed = { name: body.name ?? row.name, items: items === undefined ? row.items : JSON.stringify(items) };
        if (changed.name === row.name && stableJson(JSON.parse(changed.items)) === stableJson(JSON.parse(row.items))) {
          return { result: show(row) };
        }
        const next = { ...row, ...changed, updated_at: Math.trunc(parts.clock.now()) };
        await db.updateTable("playlists").set(next).where("id", "=", row.id).execute();
        const layouts = await layoutsShowing(db, teamId, row.id);
        const affected = await playersShowing(
          db,
          teamId,
          layouts.map((layout) => layout.id),
        );
        return { result: show(next), affected };
      });
    },
  }),
  operation({
    name: "deletePlaylist",
    tag: "playlists",
    method: "DELETE",
    path: "/playlists/{id}",
    summary: "Delete a playlist",
    description: "Refused while a layout shows it.",
    caller: "operator",
    scope: "playlists:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: read,
    async run({ parts, teamId }, { params: { id: playlistId } }) {
      await change(parts, async (db) => {
        const row = found(await find(db, teamId, playlistId), "playlist");
        const layouts = await layoutsShowing(db, teamId, row.id);
        if (layouts.length > 0) throw new Refusal("in-use", `Layouts show this playlist: ${names(layouts)}. Take it out of them first`);
        await db.deleteFrom("playlists").where("id", "=", row.id).execute();
        return { result: undefined };
      });
    },
  }),
];

/** Names and ids of what stands in the way, for a refusal. */
export function names(things: readonly { id: string; name: string }[]): string {
  const shown = things.slice(0, 10).map(({ id: thingId, name }) => `“${name}” (${thingId})`);
  return shown.join(", ") + (things.length > shown.length ? ` and ${things.length - shown.length} more` : "");
}

async function read({ parts, teamId }: OperatorContext, { id: playlistId }: { id: string }): Promise<Playlist> {
  return show(found(await find(parts.store.db, teamId, playlistId), "playlist"));
}

function find(db: Db, teamId: string, playlistId: string) {
  return db.selectFrom("playlists").selectAll().where("team_id", "=", teamId).where("id", "=", playlistId).executeTakeFirst();
}

function show(row: PlaylistRow): Playlist {
  return {
    id: row.id,
    name: row.name,
    items: parseItems(row.items),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/**
 * The items with their ids: one sent along that was here before is kept, an equal item without one keeps its own.
 * @throws Refusal 422 naming each item whose asset is not there or of another kind, or whose id is not this playlist's.
 */
async function settleItems(
  db: Db,
  makeId: MakeId,
  teamId: string,
  sent: readonly NewPlaylistItem[],
  before: readonly PlaylistItem[],
): Promise<PlaylistItem[]> {
  const errors = [...(await assetErrors(db, teamId, sent)), ...idErrors(sent, before)];
  if (errors.length > 0) {
    throw new Refusal("invalid", errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join("; "), { errors });
  }
  const taken = new Set(sent.flatMap((item) => item.id ?? []));
  const free = before.filter((item) => !taken.has(item.id));
  return sent.map((item) => {
    if (item.id !== undefined) return { ...item, id: item.id };
    const place = free.findIndex((old) => stableJson({ ...old, id: null }) === stableJson({ ...item, id: null }));
    const equal = place === -1 ? undefined : free.splice(place, 1)[0];
    return { ...item, id: equal?.id ?? makeId("itm") };
  });
}

async function assetErrors(db: Db, teamId: string, items: readonly NewPlaylistItem[]): Promise<FieldError[]> {
  const types = new Map<string, string>();
  const ids = [...new Set(items.flatMap((item) => ("asset_id" in item ? item.asset_id : [])))];
  for (let first = 0; first < ids.length; first += 500) {
    const part = ids.slice(first, first + 500);
    const rows = await db.selectFrom("assets").select(["id", "mime_type"]).where("team_id", "=", teamId).where("id", "in", part).execute();
    for (const row of rows) types.set(row.id, row.mime_type);
  }
  return items.flatMap((item, index) => {
    if (!("asset_id" in item)) return [];
    const pointer = `/items/${index}/asset_id`;
    const type = types.get(item.asset_id);
    if (type === undefined) return [{ pointer, detail: "there is no such asset" }];
    if (type.startsWith(`${item.type}/`)) return [];
    return [{ pointer, detail: `the asset is ${type}, which is not for an item of type ${item.type}` }];
  });
}

function idErrors(items: readonly NewPlaylistItem[], before: readonly PlaylistItem[]): FieldError[] {
  const known = new Set(before.map((item) => item.id));
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    if (item.id === undefined) return [];
    const pointer = `/items/${index}/id`;
    if (seen.has(item.id)) return [{ pointer, detail: "the same id stands at another item" }];
    seen.add(item.id);
    return known.has(item.id) ? [] : [{ pointer, detail: "this playlist has no such item: leave the id out for a new one" }];
  });
}
