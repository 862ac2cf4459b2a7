// Where assets are used, and the replacement of an asset by another in all these places.
import type { Clock } from "../../../base/clock.ts";
import { AssetReplacement, AssetUses, ReplacedAsset } from "../../../protocol/content/asset-uses.ts";
import type { Scope } from "../../../protocol/operator/people.ts";
import { findReplacement, limitedUses, replaceUses } from "../assets/replacement.ts";
import { directUses, eachOnce, layoutsUsing, type DirectUses } from "../assets/uses.ts";
import { playersShowing } from "../../fleet/state/players-showing.ts";
import { found } from "../../http/problem.ts";
import { requireScope } from "../../people/operator.ts";
import { schedulesShowing, targetedPlayers } from "../../schedule/schedules.ts";
import type { Db, Store } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { assetParams, selectAsset } from "./asset-reading.ts";

interface AssetUsesDependencies {
  clock: Clock;
  store: Store;
}

const mostNamed = 20;

const operation = operationsWith<AssetUsesDependencies>();

export const assetUsesOperations: readonly Operation<AssetUsesDependencies>[] = [
  operation({
    name: "getAssetUses",
    tag: "assets",
    method: "GET",
    path: "/assets/{id}/uses",
    summary: "Read where an asset is used",
    description:
      "The playlists, layouts, players and the team that use the asset themselves, and the layouts, schedules and players that show it through them. An asset with a direct use cannot be deleted.",
    agent: "Use it before deleting or replacing an asset, and to find out on which players a file can be seen.",
    caller: "operator",
    scope: "assets:read",
    drafts: true,
    params: assetParams,
    status: 200,
    output: AssetUses,
    errors: ["not-found"],
    async run({ store: { db } }, { teamId }, { params }) {
      const { id } = found(await selectAsset(db, teamId, params.id), "asset");
      const direct = await directUses(db, teamId, id);
      const layouts = await layoutsUsing(db, teamId, direct);
      const schedules = await schedulesShowing(db, teamId, idsOf(layouts));
      const players = eachOnce([...(await playersShowing(db, teamId, idsOf(layouts))), ...direct.overrides]);
      return {
        ...show(direct),
        layouts,
        schedules: eachOnce(schedules),
        player_count: players.length,
        players: players.slice(0, mostNamed),
      };
    },
  }),
  operation({
    name: "replaceAsset",
    tag: "assets",
    method: "POST",
    path: "/assets/{id}/replace",
    summary: "Replace an asset by another everywhere",
    description:
      "Exchanges the asset in all playlists, layouts and settings that use it, in one transaction, and says what changed. Items keep their ids and all their other fields. Overrides keep the old asset: they are commands, and end by themselves or when they are cleared. Needs also the scopes of what it changes: `playlists:write`, `layouts:write`, `players:write`, `teams:write`. The old asset stays in the library.",
    agent:
      "Use it with a dry run first, and tell the person what will change. To take it back, exchange the ids and send `only` with what it changed.",
    caller: "operator",
    scope: "assets:write",
    drafts: true,
    params: assetParams,
    body: AssetReplacement,
    example: { asset_id: "ast_01jd3v8q6m9x2k4n7r5t1w0yzh" },
    status: 200,
    output: ReplacedAsset,
    errors: ["not-found", "invalid"],
    async run({ clock }, _context, { params, body }, unitOfWork) {
      return unitOfWork.write(async (db, { operator, teamId }) => {
        const old = found(await selectAsset(db, teamId, params.id), "asset");
        const next = await findReplacement(db, teamId, old, body.asset_id);
        const uses = limitedUses(await directUses(db, teamId, old.id), body.only);
        for (const scope of scopesFor(uses)) requireScope(operator, scope);
        const events = await replaceUses(db, teamId, uses, [old.id, next.id], Math.trunc(clock.now()));
        const affected = await playersAffected(db, teamId, uses);
        const result = { ...show(uses), player_count: affected.length };
        return { result, affected, events, ...beyondDrafts(uses) };
      });
    },
  }),
];

/** The scopes without which a person could not change these resources one by one either. */
function scopesFor({ playlists, backgrounds, keepers, team }: DirectUses): Scope[] {
  const scopes: Scope[] = [];
  if (playlists.length > 0) scopes.push("playlists:write");
  if (backgrounds.length > 0) scopes.push("layouts:write");
  if (keepers.length > 0) scopes.push("players:write");
  if (team !== undefined) scopes.push("teams:write");
  return scopes;
}

/** Safe content is a setting of screens and the team, which drafts do not hold. */
function beyondDrafts({ keepers, team }: DirectUses): { beyondDrafts?: string } {
  if (keepers.length === 0 && team === undefined) return {};
  return {
    beyondDrafts: "The asset is also safe content of screens or the team, which cannot be part of a draft: name the rest in `only`",
  };
}

async function playersAffected(db: Db, teamId: string, uses: DirectUses): Promise<PlayerRow[]> {
  const showing = await playersShowing(db, teamId, idsOf(await layoutsUsing(db, teamId, uses)));
  const ofTeam = uses.team === undefined ? [] : await targetedPlayers(db, teamId, [{ type: "team" }]);
  return [...new Map([...showing, ...uses.keepers, ...ofTeam].map((row) => [row.id, row])).values()];
}

function show({ playlists, backgrounds, keepers, team, overrides }: DirectUses): Omit<ReplacedAsset, "player_count"> {
  return {
    playlists: playlists.map(({ row: { id, name }, itemIds }) => ({ id, name, item_ids: [...itemIds] })),
    backgrounds: eachOnce(backgrounds),
    safe_content_of: eachOnce(keepers),
    is_safe_content_of_team: team !== undefined,
    overrides: eachOnce(overrides),
  };
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
