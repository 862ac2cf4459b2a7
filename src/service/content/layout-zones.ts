// Validates the zones of a layout and assigns their ids.
import type { NewZone, Zone } from "../../protocol/operator/resources.ts";
import { invalidFields, type FieldError } from "../http/problem.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import { idErrors, keepIds } from "./part-ids.ts";
import { existingIds } from "./store.ts";

type Size = { width: number; height: number };

/**
 * Returns the zones with their ids. A sent id is kept; a zone with the name of an earlier zone keeps that zone's id.
 * @throws ProblemError 422 naming each zone field that exceeds the layout or refers to an unknown playlist.
 */
export async function assignZoneIds(
  db: Db,
  makeId: MakeId,
  teamId: string,
  size: Size,
  sent: readonly NewZone[],
  before: readonly Zone[],
): Promise<Zone[]> {
  const errors = [
    ...sent.flatMap((zone, index) => edgeErrors(zone, index, size)),
    ...(await playlistErrors(db, teamId, sent)),
    ...idErrors(sent, before, { field: "zones", part: "zone", whole: "layout" }),
  ];
  if (errors.length > 0) {
    throw invalidFields(errors);
  }
  return keepIds(
    sent,
    before,
    (old, zone) => old.name === zone.name,
    () => makeId("zon"),
  );
}

function edgeErrors(zone: NewZone, index: number, layout: Size): FieldError[] {
  return (
    [
      ["left", "width"],
      ["top", "height"],
    ] as const
  ).flatMap(([start, length]) => {
    const most = layout[length];
    if (zone[start] >= most)
      return [{ pointer: `/zones/${index}/${start}`, detail: `the zone starts outside the layout, whose ${length} is ${most}` }];
    const left = most - zone[start];
    return zone[length] <= left
      ? []
      : [{ pointer: `/zones/${index}/${length}`, detail: `the zone exceeds the layout: at most ${left} with ${start} ${zone[start]}` }];
  });
}

async function playlistErrors(db: Db, teamId: string, zones: readonly NewZone[]): Promise<FieldError[]> {
  const ids = zones.flatMap((zone) => zone.playlist_id ?? []);
  const existing = await existingIds(db, "playlists", teamId, ids);
  return zones.flatMap(({ playlist_id }, index) =>
    playlist_id === null || existing.has(playlist_id)
      ? []
      : [{ pointer: `/zones/${index}/playlist_id`, detail: "there is no such playlist" }],
  );
}
