// The playlist as it is edited, in the form in which players receive playlists. Pure.
import type { ShownContent } from "../../../../../src/protocol/operator/previews.ts";
import { previewId } from "../../../preview/placeholder-ids.ts";
import type { EditorView } from "./editor.ts";
import type { Row } from "./rows.ts";

type PlayedItem = ShownContent["state"]["playlists"][number]["items"][number];

/** The id of a row's item in the preview, which stays the same before and after saving. */
export function previewedItemId({ key }: Row): string {
  return previewId("itm", key);
}

/** What the screen would show if the playlist were saved as it is edited. Items in which something is missing are left out. */
export function withEditedItems(
  shown: ShownContent,
  playlistId: string,
  { rows, faults }: Pick<EditorView, "rows" | "faults">,
): ShownContent {
  const items = rows.flatMap((row) => (faults.has(row.key) ? [] : [{ ...row.item, id: previewedItemId(row) } as PlayedItem]));
  const playlists = shown.state.playlists.map((playlist) => (playlist.id === playlistId ? { ...playlist, items } : playlist));
  return { ...shown, state: { ...shown.state, playlists } };
}

/** The files that the rows show and the content lacks, such as of items that are not saved yet. */
export function missingAssets({ rows }: Pick<EditorView, "rows">, { assets }: Pick<ShownContent["state"], "assets">): string[] {
  const known = new Set(assets.map(({ id }) => id));
  const wanted = rows.flatMap(({ item }) => ("asset_id" in item ? [item.asset_id] : []));
  return [...new Set(wanted)].filter((id) => !known.has(id)).toSorted();
}
