// The layout as it is edited, in the form in which players receive layouts. Pure.
import type { ShownContent } from "../../../../../src/protocol/operator/previews.ts";
import { previewId } from "../../../preview/placeholder-ids.ts";
import type { EditedLayout } from "./edited-layout.ts";

/** The content of the screen if the layout were saved as it is edited. */
export function withEditedLayout(content: ShownContent, layout: EditedLayout): ShownContent {
  const { layout: savedLayout } = content.state;
  if (savedLayout === null) return content;
  const { width, height, background_color, background_asset_id, transition } = layout;
  const zones = layout.zones.map(({ key, rotation, background_color: color, transition: change, playlist_id, ...zone }, depth) => ({
    id: previewId("zon", key),
    name: zone.name,
    left: zone.left,
    top: zone.top,
    width: zone.width,
    height: zone.height,
    z_index: depth,
    playlist_id,
    ...(rotation === 0 ? {} : { rotation }),
    ...(color === null ? {} : { background_color: color }),
    ...(change === null ? {} : { transition: change }),
  }));
  const preview = {
    id: savedLayout.id,
    width,
    height,
    background_color,
    zones,
    ...(background_asset_id === null ? {} : { background_asset_id }),
    ...(transition === null ? {} : { transition }),
  };
  return { ...content, state: { ...content.state, layout: preview as typeof savedLayout } };
}

/** The playlists and the picture that the layout needs besides those of the stored one, in a steady order. */
export function referencesOf({ zones, background_asset_id }: EditedLayout): { playlistIds: string[]; assetIds: string[] } {
  const playlistIds = [...new Set(zones.flatMap(({ playlist_id }) => playlist_id ?? []))].toSorted();
  return { playlistIds, assetIds: background_asset_id === null ? [] : [background_asset_id] };
}
