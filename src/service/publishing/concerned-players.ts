// The players whose desired state depends on some content, as the content is now.
import type { ContentRef } from "../../protocol/operator/publishing.ts";
import { playersUsing } from "../fleet/players/control-calendars.ts";
import { layoutsShowing, playersShowing } from "../fleet/state/players-showing.ts";
import { playlistsUsing, schedulesUsing } from "../schedule/calendars/holiday-calendars.ts";
import { schedulesOutsideBin, targetedPlayers, targetOf } from "../schedule/schedules.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { ScheduleRow } from "../store/tables/content.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";

/** The players that show some of these resources, by schedule or assignment. Call it before and after a change: both may count. */
export async function concernedPlayers(db: Db, teamId: string, refs: readonly ContentRef[]): Promise<PlayerRow[]> {
  const idsOf = (kind: ContentRef["kind"]) => refs.filter((ref) => ref.kind === kind).map(({ id }) => id);
  const players = new Map<string, PlayerRow>();
  const add = (rows: readonly PlayerRow[]) => rows.forEach((row) => players.set(row.id, row));
  const layoutIds = new Set(idsOf("layout"));
  const playlistIds = new Set(idsOf("playlist"));
  for (const id of idsOf("calendar")) for (const playlist of await playlistsUsing(db, teamId, id)) playlistIds.add(playlist.id);
  for (const id of playlistIds) for (const layout of await layoutsShowing(db, teamId, id)) layoutIds.add(layout.id);
  for (const chunk of inChunks([...layoutIds])) add(await playersShowing(db, teamId, chunk));
  const schedules: ScheduleRow[] = [];
  for (const chunk of inChunks(idsOf("schedule")))
    schedules.push(...(await schedulesOutsideBin(db, teamId).where("id", "in", chunk).execute()));
  for (const id of idsOf("calendar")) {
    schedules.push(...(await schedulesUsing(db, teamId, id)).filter(({ deleted_at }) => deleted_at === null));
    add((await playersUsing(db, teamId, id)).filter(({ removed_at }) => removed_at === null));
  }
  add(await targetedPlayers(db, teamId, schedules.map(targetOf)));
  return [...players.values()];
}
