// Operations for playlists, which a zone shows in a loop.
import { z } from "zod";
import { contentEvent } from "../content-event.ts";
import type { Clock } from "../../../base/clock.ts";
import { iso } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { BinQuery, DeletionQuery, NewPlaylist, page, Playlist, PlaylistChange } from "../../../protocol/operator/resources.ts";
import { restorePlaylist } from "../../cleanup/bin-restore.ts";
import { discard } from "../../cleanup/bin.ts";
import { parseItems } from "../content-columns.ts";
import { maskSecrets } from "../web-secrets.ts";
import { layoutsShowing, playersShowing } from "../../fleet/state/players-showing.ts";
import { ProblemError } from "../../http/problem.ts";
import { binReaders } from "./bin-readers.ts";
import { assignItemIds } from "../playlist-items.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Store } from "../../store/store.ts";
import type { PlaylistRow } from "../../store/tables/content.ts";
import { insertTeamRow, updateTeamRow } from "../../store/tables/team-rows.ts";

interface PlaylistDependencies {
  clock: Clock;
  makeId: MakeId;
  store: Store;
}

const params = z.strictObject({ id: id("pls") });
const example = {
  name: "Lobby",
  items: [
    { type: "image", asset_id: "ast_01jd3v8q6m9x2k4n7r5t1w0yzh", duration_ms: 8000, fit: "cover" },
    { type: "text", text: "Welcome", duration_ms: 5000, max_plays_per_hour: 20 },
  ],
};

const playlists = binReaders("playlists", "playlist", show);

const operation = operationsWith<PlaylistDependencies>();

export const playlistOperations: readonly Operation<PlaylistDependencies>[] = [
  operation({
    name: "createPlaylist",
    tag: "playlists",
    method: "POST",
    path: "/playlists",
    summary: "Create a playlist",
    description:
      "Items play in order, in a loop. Only images, videos, audio, PDFs and HTML bundles need an asset. " +
      "An item's `transition` starts with the item; without it the zone's transition applies. " +
      "`max_plays_per_hour` and `max_plays_per_day` skip an item in some rounds of the loop; at least one item must have neither. " +
      "`dayparts` restrict an item to times of day, `conditions` to players with a tag, values of variables and the dates of a calendar.",
    agent: "Use it for a new loop of items. Its assets must be ready: check with get_asset.",
    caller: "operator",
    scope: "playlists:write",
    drafts: true,
    body: NewPlaylist,
    example,
    status: 201,
    output: Playlist,
    errors: ["invalid"],
    version: (playlist) => playlist,
    async run({ clock, makeId }, { teamId }, { body }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const now = Math.trunc(clock.now());
        const items = await assignItemIds(db, makeId, teamId, body.items, []);
        const fields = { id: makeId("pls"), team_id: teamId, name: body.name, items: JSON.stringify(items) };
        const row: PlaylistRow = { ...fields, created_at: now, updated_at: now, deleted_at: null };
        await insertTeamRow(db, "playlists", row);
        return { result: show(row), events: [contentEvent("playlist.created", row)] };
      });
    },
  }),
  operation({
    name: "listPlaylists",
    tag: "playlists",
    method: "GET",
    path: "/playlists",
    summary: "List playlists",
    description: "Newest first. `deleted=true` lists the bin instead.",
    caller: "operator",
    scope: "playlists:read",
    drafts: true,
    query: BinQuery,
    status: 200,
    output: page(Playlist),
    errors: ["invalid"],
    run: playlists.list,
  }),
  operation({
    name: "getPlaylist",
    tag: "playlists",
    method: "GET",
    path: "/playlists/{id}",
    summary: "Read a playlist",
    description: "Use its ETag as `If-Match` of a change.",
    caller: "operator",
    scope: "playlists:read",
    drafts: true,
    params,
    status: 200,
    output: Playlist,
    errors: ["not-found"],
    version: (playlist) => playlist,
    run: (dependencies, context, { params: given }) => playlists.read(dependencies, context, given),
  }),
  operation({
    name: "updatePlaylist",
    tag: "playlists",
    method: "PATCH",
    path: "/playlists/{id}",
    summary: "Change a playlist",
    description:
      "`items` replaces all items. Items equal to earlier ones keep their ids, so sending the same list again changes nothing on any screen. Secrets of web items may be sent back masked, as they were read.",
    agent:
      "Use it to add, remove or reorder items. `items` replaces all items: read them first, keep the ids of unchanged ones, send if_match.",
    caller: "operator",
    scope: "playlists:write",
    drafts: true,
    params,
    body: PlaylistChange,
    example: { items: example.items },
    status: 200,
    output: Playlist,
    errors: ["not-found", "invalid", "precondition-failed"],
    version: (playlist) => playlist,
    current: playlists.read,
    async run({ clock, makeId }, { teamId }, { params: { id: playlistId }, body }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = await playlists.find(db, teamId, playlistId, { inBin: false });
        const items = body.items && (await assignItemIds(db, makeId, teamId, body.items, parseItems(row.items)));
        const changed = { name: body.name ?? row.name, items: items === undefined ? row.items : JSON.stringify(items) };
        if (changed.name === row.name && canonicalJson(JSON.parse(changed.items)) === canonicalJson(JSON.parse(row.items))) {
          return { result: show(row) };
        }
        const next = { ...row, ...changed, updated_at: Math.trunc(clock.now()) };
        await updateTeamRow(db, "playlists", row.id, next);
        const layouts = await layoutsShowing(db, teamId, row.id);
        const affected = await playersShowing(
          db,
          teamId,
          layouts.map((layout) => layout.id),
        );
        return { result: show(next), affected, events: [contentEvent("playlist.updated", next)] };
      });
    },
  }),
  operation({
    name: "deletePlaylist",
    tag: "playlists",
    method: "DELETE",
    path: "/playlists/{id}",
    summary: "Delete a playlist",
    description: "Moves it to the bin for 30 days; `permanent=true` deletes it for good. Rejected while a layout uses it.",
    agent: "Use it for playlists that no layout uses. To clear a screen for a while, change the layout instead.",
    caller: "operator",
    scope: "playlists:write",
    drafts: true,
    params,
    query: DeletionQuery,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: playlists.readAnywhere,
    async run({ clock }, { teamId }, { params: { id: playlistId }, query }, unitOfWork) {
      const permanent = query.permanent === "true";
      await unitOfWork.write(async (db) => {
        const row = await playlists.find(db, teamId, playlistId, { inBin: permanent });
        const layouts = await layoutsShowing(db, teamId, row.id);
        if (layouts.length > 0)
          throw new ProblemError("in-use", `Layouts show this playlist: ${listNames(layouts)}. Remove it from them first`);
        await discard(db, "playlists", row.id, Math.trunc(clock.now()), permanent);
        return { result: undefined, events: [contentEvent("playlist.deleted", row)] };
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
      "Restores it from the bin, without items whose asset was deleted for good. A playlist that is not in the bin stays as it is.",
    caller: "operator",
    scope: "playlists:write",
    drafts: true,
    params,
    status: 200,
    output: Playlist,
    errors: ["not-found"],
    version: (playlist) => playlist,
    async run({ clock }, { teamId }, { params: { id: playlistId } }, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = await playlists.find(db, teamId, playlistId, { inBin: true });
        if (row.deleted_at === null) return { result: show(row) };
        const otherEvents: WriteEvent[] = [];
        const restored = await restorePlaylist(db, row, Math.trunc(clock.now()), (event) => otherEvents.push(event));
        return { result: show(restored), events: [...otherEvents, contentEvent("playlist.restored", restored)] };
      });
    },
  }),
];

/** Lists the names and ids of resources that block an operation, for the problem's detail. */
export function listNames(things: readonly { id: string; name: string }[]): string {
  const shown = things.slice(0, 10).map(({ id: thingId, name }) => `“${name}” (${thingId})`);
  return shown.join(", ") + (things.length > shown.length ? ` and ${things.length - shown.length} more` : "");
}

/** The playlist as the API returns it. */
export function show(row: PlaylistRow): Playlist {
  return {
    id: row.id,
    name: row.name,
    items: parseItems(row.items).map(maskSecrets),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    deleted_at: iso(row.deleted_at),
  };
}
