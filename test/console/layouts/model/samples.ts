// Layouts for the tests of the editor's arithmetic.
import type { EditedLayout, EditedZone } from "../../../../renderer/console/pages/layouts/model/edited-layout.ts";
import type { Stored } from "../../../../renderer/console/pages/layouts/model/editor.ts";

export function zone(
  key: string,
  [left, top, width, height]: readonly [number, number, number, number],
  more: Partial<EditedZone> = {},
): EditedZone {
  const none = { background_color: null, transition: null, playlist_id: null };
  return { key, name: key, left, top, width, height, rotation: 0, ...none, depth: 0, ...more };
}

export function layout(zones: readonly EditedZone[], more: Partial<EditedLayout> = {}): EditedLayout {
  const rest = { name: "Lobby", background_color: "#000000", background_asset_id: null, transition: null };
  return { ...rest, width: 1920, height: 1080, zones, ...more };
}

/** A layout as the service stores it. */
export function stored(zones: readonly EditedZone[], etag: string, more: Partial<Stored["layout"]> = {}): Stored {
  const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z", deleted_at: null };
  const { zones: _, ...rest } = layout([]);
  const own = zones.map(({ key, rotation, background_color, transition: _transition, depth, ...each }) => ({
    ...each,
    id: key,
    z_index: depth,
    ...(rotation === 0 ? {} : { rotation }),
    ...(background_color === null ? {} : { background_color }),
  }));
  return { etag, layout: { id: "lay_1", ...rest, ...times, zones: own, ...more } };
}

/** Where a zone is: `left,top width×height`. */
export function place({ zones }: EditedLayout, key: string): string | undefined {
  const found = zones.find((each) => each.key === key);
  return found && `${found.left},${found.top} ${found.width}×${found.height}`;
}

/** The keys from back to front. */
export function order({ zones }: EditedLayout): string {
  return zones.map(({ key }) => key).join(" ");
}
