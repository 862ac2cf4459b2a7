// The playlist as it is edited, in the form in which players receive playlists. Pure.
import type { ShownContent } from "../../../../../src/protocol/operator/previews.ts";
import { onAnyScreen } from "../../../../../src/schedule/playlist/any-screen.ts";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { previewId } from "../../../preview/placeholder-ids.ts";
import type { EditorView } from "./editor.ts";
import type { Row } from "./rows.ts";

type PlayedItem = ShownContent["state"]["playlists"][number]["items"][number];

/** The id of a row's item in the preview, which stays the same before and after saving. */
export function previewedItemId({ key }: Row): string {
  return previewId("itm", key);
}

/**
 * The content of a screen with the tags and variables that items want, if the playlist were saved as it is edited. Items in which
 * something is missing are left out.
 * @param calendars all of the team
 */
export function withEditedItems(
  content: ShownContent,
  playlistId: string,
  { rows, faults }: Pick<EditorView, "rows" | "faults">,
  calendars: readonly Pick<Schemas["Calendar"], "id" | "dates">[],
): ShownContent {
  const items = rows.flatMap((row) => (faults.has(row.key) ? [] : [onAnyScreen({ ...row.item, id: previewedItemId(row) } as PlayedItem)]));
  const playlists = content.state.playlists.map((playlist) => (playlist.id === playlistId ? { ...playlist, items } : playlist));
  const days = calendars.map(({ id, dates }) => ({ id, dates: dates.map(({ date }) => date) }));
  return { ...content, state: { ...content.state, playlists, calendars: days } };
}

/** The files that the rows show and the content lacks, such as of items that are not saved yet. */
export function missingAssets({ rows }: Pick<EditorView, "rows">, { assets }: Pick<ShownContent["state"], "assets">): string[] {
  const contentIds = new Set(assets.map(({ id }) => id));
  const rowIds = rows.flatMap(({ item }) => ("asset_id" in item ? [item.asset_id] : []));
  return [...new Set(rowIds)].filter((id) => !contentIds.has(id)).toSorted();
}
