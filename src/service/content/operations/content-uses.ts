// Where a playlist or a layout is used: by which layouts and schedules, and on which players it can be seen.
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import { LayoutUses, PlaylistUses } from "../../../protocol/content/content-uses.ts";
import { eachOnce } from "../assets/uses.ts";
import { layoutsShowing, playersShowing } from "../../fleet/state/players-showing.ts";
import { found } from "../../http/problem.ts";
import { schedulesShowing } from "../../schedule/schedules.ts";
import type { Db, Store } from "../../store/store.ts";
import { findTeamRow } from "../../store/tables/team-rows.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";

interface ContentUsesDependencies {
  store: Store;
}

const mostNamed = 20;
const operation = operationsWith<ContentUsesDependencies>();

export const contentUsesOperations: readonly Operation<ContentUsesDependencies>[] = [
  operation({
    name: "getPlaylistUses",
    tag: "playlists",
    method: "GET",
    path: "/playlists/{id}/uses",
    summary: "Read where a playlist is used",
    description: "The layouts that show the playlist, and the schedules and players that show one of these layouts.",
    agent: "Use it before changing or deleting a playlist, and to find out on which players it can be seen.",
    caller: "operator",
    scope: "playlists:read",
    drafts: true,
    params: z.object({ id: id("pls") }),
    status: 200,
    output: PlaylistUses,
    errors: ["not-found"],
    async run({ store: { db } }, { teamId }, { params }) {
      const row = await findTeamRow(db, "playlists", teamId, params.id);
      const playlist = found(row?.deleted_at === null ? row : undefined, "playlist");
      const layouts = eachOnce(await layoutsShowing(db, teamId, playlist.id));
      return { layouts: byName(layouts), ...(await usesOfLayouts(db, teamId, layouts)) };
    },
  }),
  operation({
    name: "getLayoutUses",
    tag: "layouts",
    method: "GET",
    path: "/layouts/{id}/uses",
    summary: "Read where a layout is used",
    description: "The schedules and players that show the layout.",
    agent: "Use it before changing or deleting a layout, and to find out on which players it can be seen.",
    caller: "operator",
    scope: "layouts:read",
    drafts: true,
    params: z.object({ id: id("lay") }),
    status: 200,
    output: LayoutUses,
    errors: ["not-found"],
    async run({ store: { db } }, { teamId }, { params }) {
      const row = await findTeamRow(db, "layouts", teamId, params.id);
      return usesOfLayouts(db, teamId, [found(row?.deleted_at === null ? row : undefined, "layout")]);
    },
  }),
];

async function usesOfLayouts(db: Db, teamId: string, layouts: readonly { id: string }[]): Promise<LayoutUses> {
  const ids = new Set(layouts.map((layout) => layout.id));
  const players = await playersShowing(db, teamId, [...ids]);
  return {
    schedules: byName(eachOnce(await schedulesShowing(db, teamId, [...ids]))),
    default_count: players.filter(({ layout_id }) => layout_id !== null && ids.has(layout_id)).length,
    player_count: players.length,
    players: byName(eachOnce(players)).slice(0, mostNamed),
  };
}

function byName<T extends { name: string }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
