// Playlists: what a zone shows, in a loop.
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import type { EventType } from "../../../protocol/operator/events.ts";
import { BinQuery, DeletionQuery, NewPlaylist, page, Playlist, PlaylistChange } from "../../../protocol/operator/resources.ts";
import { restorePlaylist } from "../../cleanup/bin-restore.ts";
import { discard } from "../../cleanup/bin.ts";
import { parseItems } from "../../content/content-columns.ts";
import { maskSecrets } from "../../content/web-secrets.ts";
import { layoutsShowing, playersShowing } from "../../fleet/state/players-showing.ts";
import { nameContains, nameMayContain, pageOf } from "../../http/paging.ts";
import { ProblemError } from "../../http/problem.ts";
import { settleItems } from "./playlist-items.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext, type WriteEvent } from "../operation.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import type { Db } from "../../store/store.ts";
import type { PlaylistRow } from "../../store/tables.ts";
import { findTeamRow } from "../../store/team-rows.ts";

const params = z.strictObject({ id: id("pls") });
const example = {
  name: "Lobby",
  items: [
    { type: "image", asset_id: "ast_01jd3v8q6m9x2k4n7r5t1w0yzh", duration_ms: 8000, fit: "cover" },
    { type: "text", text: "Welcome", duration_ms: 5000, max_plays_per_hour: 20 },
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
      "Items play in order, in a loop. An item without `duration_ms` stays as long as its video, or 10 s. Only images, videos, audio, PDFs and HTML bundles need an asset. " +
      "An item's `transition` says how it comes in, from its start on; without it the zone's holds. " +
      "`max_plays_per_hour` and `max_plays_per_day` leave an item out of some rounds of the loop; one item at least must be without them. " +
      "`dayparts` keep an item to times of day.",
    agent: "Use it for a new loop of items. Assets have to be ready before: get_asset.",
    caller: "operator",
    scope: "playlists:write",
    body: NewPlaylist,
    example,
    status: 201,
    output: Playlist,
    errors: ["invalid"],
    version: (playlist) => playlist,
    async run(context, { body }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const now = Math.trunc(parts.clock.now());
        const items = await settleItems(db, parts.makeId, teamId, body.items, []);
        const about = { id: parts.makeId("pls"), team_id: teamId, name: body.name, items: JSON.stringify(items) };
        const row: PlaylistRow = { ...about, created_at: now, updated_at: now, deleted_at: null };
        await db.insertInto("playlists").values(row).execute();
        return { result: show(row), events: [eventOf("playlist.created", row)] };
      });
    },
  }),
  operation({
    name: "listPlaylists",
    tag: "playlists",
    method: "GET",
    path: "/playlists",
    summary: "List playlists",
    description: "Newest first, by filters. `deleted=true` lists the bin.",
    caller: "operator",
    scope: "playlists:read",
    query: BinQuery,
    status: 200,
    output: page(Playlist),
    errors: ["invalid"],
    async run({ parts, teamId }, { query }) {
      const all = parts.store.db.selectFrom("playlists").selectAll().where("team_id", "=", teamId);
      const rows = all.where("deleted_at", query.deleted === "true" ? "is not" : "is", null);
      const { q } = query;
      return q === undefined
        ? pageOf(rows, query, show)
        : pageOf(rows.where(nameMayContain(q)), query, show, { keep: ({ name }) => nameContains(name, q) });
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
      "`items` replaces all items. Items equal to earlier ones keep their ids, so sending the same list again changes nothing on any screen. Secrets of web items may be sent as they were read, masked.",
    agent:
      "Use it to add, remove or reorder what is shown. `items` are replaced as a whole: read them first, keep the ids of those that stay, send if_match.",
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
    async run(context, { params: { id: playlistId }, body }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const row = found(await find(db, teamId, playlistId), "playlist");
        const items = body.items && (await settleItems(db, parts.makeId, teamId, body.items, parseItems(row.items)));
        const changed = { name: body.name ?? row.name, items: items === undefined ? row.items : JSON.stringify(items) };
        if (changed.name === row.name && canonicalJson(JSON.parse(changed.items)) === canonicalJson(JSON.parse(row.items))) {
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
        return { result: show(next), affected, events: [eventOf("playlist.updated", next)] };
      });
    },
  }),
  operation({
    name: "deletePlaylist",
    tag: "playlists",
    method: "DELETE",
    path: "/playlists/{id}",
    summary: "Delete a playlist",
    description: "Puts it in the bin for 30 days, `permanent=true` deletes it for good. Refused while a layout shows it.",
    agent: "Use it for what no layout shows. To clear a screen for a while, change the layout instead.",
    caller: "operator",
    scope: "playlists:write",
    params,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: readAny,
    async run(context, { params: { id: playlistId }, query }) {
      const { parts, teamId } = context;
      const permanent = query.permanent === "true";
      await change(context, async (db) => {
        const row = found(permanent ? await findAny(db, teamId, playlistId) : await find(db, teamId, playlistId), "playlist");
        const layouts = await layoutsShowing(db, teamId, row.id);
        if (layouts.length > 0)
          throw new ProblemError("in-use", `Layouts show this playlist: ${names(layouts)}. Take it out of them first`);
        await discard(db, "playlists", row.id, Math.trunc(parts.clock.now()), permanent);
        return { result: undefined, events: [eventOf("playlist.deleted", row)] };
      });
    },
  }),
  operation({
    name: "restorePlaylist",
    tag: "playlists",
    method: "POST",
    path: "/playlists/{id}/restore",
    summary: "Restore a deleted playlist",
    description:
      "Takes it out of the bin, as it was but for items whose asset was deleted since. One that is not in the bin is left alone.",
    caller: "operator",
    scope: "playlists:write",
    params,
    status: 200,
    output: Playlist,
    errors: ["not-found"],
    version: (playlist) => playlist,
    async run(context, { params: { id: playlistId } }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const row = found(await findAny(db, teamId, playlistId), "playlist");
        if (row.deleted_at === null) return { result: show(row) };
        const others: WriteEvent[] = [];
        const restored = await restorePlaylist(db, row, Math.trunc(parts.clock.now()), (event) => others.push(event));
        return { result: show(restored), events: [...others, eventOf("playlist.restored", restored)] };
      });
    },
  }),
];

function eventOf(type: EventType, { team_id: teamId, id: playlist_id, name }: PlaylistRow) {
  return { teamId, type, data: { playlist_id, name } };
}

/** Names and ids of what stands in the way, for a refusal. */
export function names(things: readonly { id: string; name: string }[]): string {
  const shown = things.slice(0, 10).map(({ id: thingId, name }) => `“${name}” (${thingId})`);
  return shown.join(", ") + (things.length > shown.length ? ` and ${things.length - shown.length} more` : "");
}

async function read({ parts, teamId }: OperatorContext, { id: playlistId }: { id: string }): Promise<Playlist> {
  return show(found(await find(parts.store.db, teamId, playlistId), "playlist"));
}

/** For If-Match of a deletion, which reaches into the bin. */
async function readAny({ parts, teamId }: OperatorContext, { id: playlistId }: { id: string }): Promise<Playlist> {
  return show(found(await findAny(parts.store.db, teamId, playlistId), "playlist"));
}

function find(db: Db, teamId: string, playlistId: string) {
  return findAny(db, teamId, playlistId).then((row) => (row?.deleted_at === null ? row : undefined));
}

/** In the bin or not. */
function findAny(db: Db, teamId: string, playlistId: string) {
  return findTeamRow(db, "playlists", teamId, playlistId);
}

function show(row: PlaylistRow): Playlist {
  return {
    id: row.id,
    name: row.name,
    items: parseItems(row.items).map(maskSecrets),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    deleted_at: row.deleted_at === null ? null : new Date(row.deleted_at).toISOString(),
  };
}
