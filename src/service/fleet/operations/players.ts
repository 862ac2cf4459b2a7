// Operations for players: pairing, reading and changing them.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { id, Timestamp } from "../../../protocol/common.ts";
import { ContentState, PresentedItem, ShownReason } from "../../../protocol/device/heartbeat.ts";
import { DisplayState, FrameCounts } from "../../../protocol/device/telemetry.ts";
import { problemFields } from "../../../protocol/device/player-problems.ts";
import { page, PairRequest, Player, PlayerChange, PlayerDetails, PlayersQuery } from "../../../protocol/operator/resources.ts";
import type { Pairing } from "../pairing/pairing.ts";
import { leaveRollout } from "../rollouts/player-hooks.ts";
import { checkRelease } from "../rollouts/release-catalog.ts";
import type { KnownReleases } from "../../releases/known-releases.ts";
import type { RolloutTracker } from "../rollouts/tracker.ts";
import {
  findPlayer,
  playerVersion,
  readPlayer,
  readPlayerDetails,
  showPlayer,
  statusOf,
  type ShownPlayerDependencies,
} from "../players/resource.ts";
import { updateTagIndex } from "../players/targets.ts";
import { nameContains, pageOf } from "../../http/paging.ts";
import { checkImage } from "../../content/operations/layouts.ts";
import { found, invalidField } from "../../http/problem.ts";
import { controlColumns, jsonOf } from "../players/columns.ts";
import { checkControlCalendars } from "../players/control-calendars.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import type { Db, Store } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import type { Change } from "../../operations/unit-of-work.ts";
import { findTeamRow, updateTeamRow } from "../../store/tables/team-rows.ts";
import { filterPlayers, selectBin, selectPlayers } from "../store.ts";

interface PlayerDependencies extends ShownPlayerDependencies {
  clock: Clock;
  log: Log;
  pairing: Pairing;
  releases: KnownReleases;
  rollouts: RolloutTracker;
  store: Store;
}

/** The parameters of a path to one player. */
export const playerParams = z.strictObject({ id: id("plr") });

/** The content of a screen now, according to its latest heartbeat. */
const Now = z.object({
  player_id: id("plr"),
  status: Player.shape.status,
  ...problemFields,
  received_at: Timestamp.nullable().describe("The time of the latest heartbeat; null: none yet"),
  rendering: z.boolean().nullable().describe("Whether frames are being presented"),
  last_frame_at: Timestamp.nullable(),
  now_playing: z.array(PresentedItem),
  drift_ms: z.number().nullable().describe("The largest offset of its videos and audio from the clock; null: none is playing"),
  why: z
    .array(ShownReason)
    .describe("The chain of reasons: first what is shown, then what it outranks, then schedules that are not considered"),
  content: ContentState.nullable(),
  display: DisplayState.nullable().describe("The state of the display; null: not told"),
  frames: FrameCounts.nullable().describe("Frames between its last two heartbeats; null: not told"),
});

const operation = operationsWith<PlayerDependencies>();

export const playerOperations: readonly Operation<PlayerDependencies>[] = [
  operation({
    name: "pairPlayer",
    tag: "players",
    method: "POST",
    path: "/players/pair",
    summary: "Pair the player that shows a code",
    description: "Case and punctuation of the code do not matter. At most five wrong codes per minute are allowed.",
    agent: "Use it with a code that a person reads from a screen. Never guess codes.",
    caller: "operator",
    scope: "players:write",
    body: PairRequest,
    example: { code: "WDJB-MJHT", name: "Lobby" },
    status: 201,
    output: Player,
    collection: "/players",
    errors: ["unknown-code", "already-claimed", "invalid", "too-many"],
    version: playerVersion,
    async run(dependencies, context, { body }, unitOfWork) {
      const { teamId, operator, address } = context;
      const claim = async (db: Db): Promise<Change<PlayerRow>> => {
        const row = await dependencies.pairing.claim(db, { ...body, teamId });
        const data = { player_id: row.id, name: row.name };
        return { result: row, affected: [row], events: [{ teamId, type: "player.paired", data }] };
      };
      const player = await dependencies.pairing.limitGuesses({ userId: operator.userId, teamId, address }, () =>
        unitOfWork.write(claim, (db, { id: playerId }) => readPlayer(dependencies, context, { id: playerId }, db)),
      );
      dependencies.pairing.notifyClaimed();
      dependencies.log.info({ player_id: player.id, name: player.name }, "player paired");
      return player;
    },
  }),
  operation({
    name: "listPlayers",
    tag: "players",
    method: "GET",
    path: "/players",
    summary: "List players",
    description: "Newest first. `deleted=true` lists the bin instead.",
    agent:
      "Use it first, to find the ids of players by name or tag, and to find screens that are offline or have problems. Online does not mean that content is shown: check get_player_now.",
    caller: "operator",
    scope: "players:read",
    query: PlayersQuery,
    status: 200,
    output: page(Player),
    errors: ["invalid"],
    async run(dependencies, { teamId }, { query }) {
      const { status, tag, q, layout_id, deleted, has_problems: hasProblems } = query;
      const isBin = deleted === "true";
      const all = (isBin ? selectBin : selectPlayers)(dependencies.store.db, teamId);
      // Players in the bin are not in the tag index.
      const rows = filterPlayers(all, { tag: isBin ? undefined : tag, layout_id, q });
      const keep = (row: PlayerRow) =>
        (q === undefined || nameContains(row.name, q)) &&
        (status === undefined || dependencies.presence.isOnline(row.id) === (status === "online")) &&
        (tag === undefined || (JSON.parse(row.tags) as string[]).includes(tag)) &&
        (hasProblems === undefined || dependencies.problems.listFor(row).problems.length > 0 === (hasProblems === "true"));
      const isFiltered = q !== undefined || status !== undefined || hasProblems !== undefined || (tag !== undefined && isBin);
      return pageOf(rows, query, (row) => showPlayer(dependencies, row), isFiltered ? { keep } : {});
    },
  }),
  operation({
    name: "getPlayer",
    tag: "players",
    method: "GET",
    path: "/players/{id}",
    summary: "Read a player",
    description: "Its ETag covers the fields that operators set, not those that the player reports.",
    agent:
      "Use it for the settings, whether the player has applied them (`in_sync`), what is wrong (`problems`), what it is able to do (`capabilities`) and what it measures (`telemetry`). For what is on the screen use get_player_now or a screenshot.",
    caller: "operator",
    scope: "players:read",
    params: playerParams,
    status: 200,
    output: PlayerDetails,
    errors: ["not-found"],
    version: playerVersion,
    run: (dependencies, context, input) => readPlayerDetails(dependencies, context, input.params),
  }),
  operation({
    name: "getPlayerNow",
    tag: "players",
    method: "GET",
    path: "/players/{id}/now",
    summary: "Read what is on a screen now",
    description: "From the player's latest heartbeat, which reports presented frames.",
    agent:
      "Use it to explain a screen: what it presents, and because of which schedule, override or layout. It is not proof: a screenshot is.",
    caller: "operator",
    scope: "players:read",
    params: playerParams,
    status: 200,
    output: Now,
    errors: ["not-found"],
    async run(dependencies, { teamId }, { params: { id: playerId } }) {
      const row = found(await findPlayer(dependencies.store.db, teamId, playerId), "screen");
      const latest = dependencies.presence.latest(row.id);
      return {
        player_id: row.id,
        status: statusOf(dependencies, row.id),
        ...dependencies.problems.listFor(row),
        received_at: latest === null ? null : new Date(latest.receivedAt).toISOString(),
        rendering: latest?.heartbeat.rendering ?? null,
        last_frame_at: latest?.heartbeat.last_frame_at ?? null,
        now_playing: latest?.heartbeat.now_playing ?? [],
        drift_ms: latest?.heartbeat.drift_ms ?? null,
        why: latest?.heartbeat.why ?? [],
        content: latest?.heartbeat.content ?? null,
        display: latest?.heartbeat.telemetry?.display ?? null,
        frames: latest?.heartbeat.telemetry?.frames ?? null,
      };
    },
  }),
  operation({
    name: "updatePlayer",
    tag: "players",
    method: "PATCH",
    path: "/players/{id}",
    summary: "Change a player",
    description:
      "`layout_id` assigns a layout; null removes it. `orientation` rotates the whole picture on the display, including touch input. `wall` makes the player show its part of a video wall. `safe_asset_id` names an image that the player keeps and shows in place of content that makes its browser fail; null: that of the team. `downloads` limits when and how fast the player downloads; it obeys at once. `release` is the version of its program that it should run; setting it takes the player out of a rollout in progress. `display_hours` and `recurring_commands` are carried out by the player itself, also without network. `screenshots` also says what no picture may show. Until `maintenance_until` the player raises no alerts.",
    agent:
      "Use it to set the layout, name, tags or orientation of one screen. For a limited time use create_schedule, or send_command with `override.set`. For many players use update_players.",
    caller: "operator",
    scope: "players:write",
    params: playerParams,
    body: PlayerChange,
    example: { layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh" },
    status: 200,
    output: Player,
    errors: ["not-found", "invalid", "precondition-failed"],
    version: playerVersion,
    current: async (dependencies, context, given) => playerVersion(await readPlayer(dependencies, context, given)),
    async run(dependencies, context, { params: { id: playerId }, body }, unitOfWork) {
      const { teamId } = context;
      if (body.release != null) await checkRelease(dependencies.releases, body.release.version, "/release/version");
      const write = async (db: Db): Promise<Change<PlayerRow>> => {
        const before = found(await findPlayer(db, teamId, playerId), "screen");
        const { tags, variables, wall, downloads, release, display_hours, recurring_commands, screenshots, maintenance_until, ...rest } =
          body;
        await checkLayout(db, teamId, body.layout_id);
        await checkControlCalendars(db, teamId, body);
        await checkImage(db, teamId, body.safe_asset_id, "/safe_asset_id");
        const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
        const after: PlayerRow = {
          ...before,
          ...given,
          tags: tags === undefined ? before.tags : JSON.stringify(tags),
          variables: variables === undefined ? before.variables : canonicalJson(variables),
          wall: jsonOf(wall, before.wall),
          downloads: jsonOf(downloads, before.downloads),
          release: jsonOf(release, before.release),
          ...controlColumns({ display_hours, recurring_commands, screenshots, maintenance_until }, before),
        };
        const now = Math.trunc(dependencies.clock.now());
        const left = release === undefined ? [] : await leaveRollout(db, playerId, now);
        const committed = await dependencies.rollouts.announce(db, { players: left });
        if (canonicalJson(after) === canonicalJson(before)) return { result: before, committed };
        const next = { ...after, updated_at: now };
        await updateTeamRow(db, "players", next.id, next);
        if (next.tags !== before.tags) await updateTagIndex(db, [next]);
        return { result: next, affected: [next], events: eventsOf(before, next), committed };
      };
      return unitOfWork.write(write, (db) => readPlayer(dependencies, context, { id: playerId }, db));
    },
  }),
];

/** The events of a change of a player's settings. */
export function eventsOf(before: PlayerRow, after: PlayerRow): NonNullable<Change<unknown>["events"]> {
  const { team_id: teamId, id: player_id, name, layout_id } = after;
  const updated = { teamId, type: "player.updated" as const, data: { player_id, name } };
  if (before.layout_id === layout_id) return [updated];
  return [updated, { teamId, type: "layout.assigned", data: { layout_id, player_id } }];
}

/** @throws ProblemError 422 if the layout does not exist or is in the bin. */
export async function checkLayout(db: Db, teamId: string, layoutId: string | null | undefined, pointer = "/layout_id"): Promise<void> {
  if (layoutId == null) return;
  const layout = await findTeamRow(db, "layouts", teamId, layoutId);
  if (layout?.deleted_at !== null) throw invalidField(pointer, "there is no such layout");
}
