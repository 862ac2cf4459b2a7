// Creates the content of a show in its transaction: a playlist of one item and a layout with one zone, or checks the given layout.
import { contentEvent } from "../../content/content-event.ts";
import type { NewShow } from "../../../protocol/operator/shows.ts";
import { NewLayout } from "../../../protocol/operator/resources.ts";
import { parseZones } from "../../content/content-columns.ts";
import { invalidField, invalidFields, ProblemError } from "../../http/problem.ts";
import { layoutSizeFor } from "../new-show.ts";
import { itemOfShow } from "../show-item.ts";
import type { OutlookDependencies } from "../../schedule/outlook/outlook.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { LayoutRow, PlaylistRow } from "../../store/tables/content.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { findTeamRow, insertTeamRow } from "../../store/tables/team-rows.ts";
import { assignZoneIds } from "../../content/layout-zones.ts";
import { assignItemIds } from "../../content/playlist-items.ts";
import type { OperatorContext } from "../../operations/context.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";

interface ContentDependencies extends OutlookDependencies {
  makeId: MakeId;
}

/** The content of a show: the given layout, or a new one with a playlist of one item. @throws ProblemError 422. */
export async function contentOf(
  dependencies: ContentDependencies,
  context: OperatorContext,
  db: Db,
  body: NewShow,
  players: readonly PlayerRow[],
  now: number,
): Promise<{ name: string; playlist_id: string; layout_id: string; events: WriteEvent[] }> {
  const { teamId } = context;
  if (body.layout_id !== undefined) {
    const given = await findTeamRow(db, "layouts", teamId, body.layout_id);
    if (given === undefined || given.deleted_at !== null) throw invalidField("/layout_id", "there is no such layout");
    const playlist_id = parseZones(given.zones).find((zone) => zone.playlist_id !== null)?.playlist_id ?? null;
    if (playlist_id === null) throw invalidField("/layout_id", "the layout has no playlist: it would show nothing");
    return { name: body.name ?? given.name, playlist_id, layout_id: given.id, events: [] };
  }
  const { item, defaultName } = await itemOfShow(db, teamId, body);
  const name = body.name ?? defaultName;
  const items = await assignItemIds(db, dependencies.makeId, teamId, [item], []).catch(asOwnFields);
  const stamps = { team_id: teamId, name, created_at: now, updated_at: now, deleted_at: null };
  const playlist: PlaylistRow = { ...stamps, id: dependencies.makeId("pls"), items: JSON.stringify(items) };
  await insertTeamRow(db, "playlists", playlist);
  const layout = await layoutOf(dependencies, context, db, stamps, playlist.id, players, body.background_color);
  await insertTeamRow(db, "layouts", layout);
  const [playlist_id, layout_id] = [playlist.id, layout.id];
  const events: WriteEvent[] = [
    { ...contentEvent("playlist.created", playlist), players: [] },
    { ...contentEvent("layout.created", layout), players: [] },
  ];
  return { name, playlist_id, layout_id, events };
}

async function layoutOf(
  dependencies: ContentDependencies,
  { teamId }: OperatorContext,
  db: Db,
  stamps: Pick<LayoutRow, "team_id" | "name" | "created_at" | "updated_at" | "deleted_at">,
  playlistId: string,
  players: readonly PlayerRow[],
  background_color: string,
): Promise<LayoutRow> {
  const { width, height } = layoutSizeFor(dependencies, players);
  const zones = [{ name: "main", left: 0, top: 0, width, height, playlist_id: playlistId }];
  const { name } = stamps;
  const body = NewLayout.parse({ name, width, height, background_color, zones });
  const settled = await assignZoneIds(db, dependencies.makeId, teamId, body, body.zones, []);
  return { ...body, ...stamps, id: dependencies.makeId("lay"), transition: null, zones: JSON.stringify(settled) };
}

/** Rethrows errors in the playlist item as errors in the fields of the request. */
function asOwnFields(error: unknown): never {
  if (!(error instanceof ProblemError) || error.kind !== "invalid") throw error;
  throw invalidFields(error.errors.map(({ pointer, detail }) => ({ pointer: pointer.replace(/^\/items\/0/, ""), detail })));
}
