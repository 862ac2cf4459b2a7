// Finds the assets whose files may be the reason why the page could not show something. Pure.
import { assetIdsOf } from "../../protocol/content/items.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { FromPage } from "../../protocol/page-messages.ts";

/** The ids of these assets; none if the message reports no failure. */
export function suspectAssets(message: FromPage, { layout, layouts, playlists }: DesiredState): string[] {
  // Among the faults of the page is a background that cannot be drawn.
  if (message.type === "fault") return [layout, ...layouts].flatMap((each) => each?.background_asset_id ?? []);
  if (message.type !== "failed") return [];
  const items = playlists.flatMap((playlist) => playlist.items).filter(({ id }) => id === message.item_id);
  return items.flatMap(assetIdsOf);
}
