// Players: the screens. Claimed by their code, given a layout.
import { z } from "zod";
import { page, PairRequest, Player, PlayerChange, PlayersQuery } from "../../../protocol/operator/resources.ts";
import { problemFields } from "../../../protocol/device/player-problems.ts";
import { ContentState, PresentedItem, ShownReason } from "../../../protocol/device/heartbeat.ts";
import { Orientation } from "../../../protocol/content/orientation.ts";
import type { Wall } from "../../../protocol/content/wall.ts";
import { id, Timestamp } from "../../../protocol/common.ts";
import { nameContains, nameMayContain, pageOf } from "../../http/paging.ts";
import { invalidField } from "../../http/problem.ts";
import { findTeamRow } from "../../store/team-rows.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables.ts";
import { updateTagIndex, hasTag } from "../../fleet/targets.ts";
import { change, found, type Change, operation, type Operation, type OperatorContext, type Parts } from "../operation.ts";

/** Of the paths of one player. */
export const playerParams = z.strictObject({ id: id("plr") });

/** What is on a screen now, by its latest heartbeat. */
const Now = z.object({
  player_id: id("plr"),
  status: Player.shape.status,
  ...problemFields,
  received_at: Timestamp.nullable().describe("When the player last told; null: never"),
  rendering: z.boolean().nullable().describe("Whether frames are really presented"),
  last_frame_at: Timestamp.nullable(),
  now_playing: z.array(PresentedItem),
  drift_ms: z.number().nullable().describe("How far its clips and sounds are from the clock at most; null: none plays"),
  why: z.array(ShownReason).describe("The chain of reasons: what shows first, then what it outranks, then schedules that take no part"),
  content: ContentState.nullable(),
});

export const playerOperations: readonly Operation[] = [
  operation({
    name: "pairPlayer",
    tag: "players",
    method: "POST",
    path: "/players/pair",
    summary: "Claim the screen that shows a code",
    description: "Case and punctuation of the code do not matter. Five wrong codes a minute are too many.",
    agent: "Use it with a code that a person reads from a screen. Never guess codes.",
    caller: "operator",
    scope: "players:write",
    body: PairRequest,
    example: { code: "WDJB-MJHT", name: "Lobby" },
    status: 201,
    output: Player,
    errors: ["unknown-code", "already-claimed", "invalid", "too-many"],
    version,
    async run(context, { body }) {
      const { parts, teamId, operator, address } = context;
      const claim = async (db: Db): Promise<Change<PlayerRow>> => {
        const row = await parts.pairing.claim(db, { ...body, teamId });
        const data = { player_id: row.id, name: row.name };
        return { result: row, affected: [row], events: [{ teamId, type: "player.paired", data }] };
      };
      const player = await parts.pairing.limitGuesses({ userId: operator.userId, teamId, address }, () =>
        change(context, claim, (db, { id: playerId }) => read(context, { id: playerId }, db)),
      );
      parts.pairing.notifyClaimed();
      parts.log.info({ player_id: player.id, name: player.name }, "player paired");
      return player;
    },
  }),
  operation({
    name: "listPlayers",
    tag: "players",
    method: "GET",
    path: "/players",
    summary: "List players",
    description: "Newest first, by filters. `deleted=true` lists the bin.",
    agent:
      "Use it first, to turn a name or a place into ids, and to find screens that are offline or have problems. Online is not yet lit: get_player_now tells what is presented.",
    caller: "operator",
    scope: "players:read",
    query: PlayersQuery,
    status: 200,
    output: page(Player),
    errors: ["invalid"],
    async run({ parts, teamId }, { query }) {
      const { status, tag, q, layout_id: layoutId, deleted, has_problems: hasProblems } = query;
      const isBin = deleted === "true";
      const all = parts.store.db.selectFrom("players").selectAll().where("team_id", "=", teamId);
      let rows = isBin ? all.where("removed_at", "is not", null).where("erased_at", "is", null) : all.where("removed_at", "is", null);
      if (layoutId !== undefined) rows = rows.where("layout_id", "=", layoutId);
      if (q !== undefined) rows = rows.where(nameMayContain(q));
      // What lies in the bin is not found by its tags in the table.
      if (tag !== undefined && !isBin) rows = rows.where((row) => row.exists(hasTag(row, tag)));
      const keep = (row: PlayerRow) =>
        (q === undefined || nameContains(row.name, q)) &&
        (status === undefined || parts.presence.isOnline(row.id) === (status === "online")) &&
        (tag === undefined || (JSON.parse(row.tags) as string[]).includes(tag)) &&
        (hasProblems === undefined || parts.problems.listFor(row).problems.length > 0 === (hasProblems === "true"));
      const isFiltered = q !== undefined || status !== undefined || hasProblems !== undefined || (tag !== undefined && isBin);
      return pageOf(rows, query, (row) => show(parts, row), isFiltered ? { keep } : {});
    },
  }),
  operation({
    name: "getPlayer",
    tag: "players",
    method: "GET",
    path: "/players/{id}",
    summary: "Read a player",
    description: "Its ETag covers what an operator sets, not what the player reports.",
    agent:
      "Use it for what is set, whether the player has it already (`in_sync`) and what is wrong (`problems`). Not for what is on the glass: get_player_now, or a screenshot.",
    caller: "operator",
    scope: "players:read",
    params: playerParams,
    status: 200,
    output: Player,
    errors: ["not-found"],
    version,
    run: (context, input) => read(context, input.params),
  }),
  operation({
    name: "getPlayerNow",
    tag: "players",
    method: "GET",
    path: "/players/{id}/now",
    summary: "See what is on a screen now",
    description: "By the player's latest heartbeat, which goes by presented frames.",
    agent: "Use it to explain a screen: what it presents, and by which schedule, override or layout. Not proof: a screenshot is.",
    caller: "operator",
    scope: "players:read",
    params: playerParams,
    status: 200,
    output: Now,
    errors: ["not-found"],
    async run({ parts, teamId }, { params: { id: playerId } }) {
      const row = found(await select(parts.store.db, teamId, playerId), "player");
      const beat = parts.presence.latest(row.id);
      return {
        player_id: row.id,
        status: statusOf(parts, row.id),
        ...parts.problems.listFor(row),
        received_at: beat === null ? null : new Date(beat.receivedAt).toISOString(),
        rendering: beat?.heartbeat.rendering ?? null,
        last_frame_at: beat?.heartbeat.last_frame_at ?? null,
        now_playing: beat?.heartbeat.now_playing ?? [],
        drift_ms: beat?.heartbeat.drift_ms ?? null,
        why: beat?.heartbeat.why ?? [],
        content: beat?.heartbeat.content ?? null,
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
      "`layout_id` assigns a layout; null takes it away. `orientation` turns the whole picture on the display, touch included. `wall` has it show its part of a video wall.",
    agent:
      "Use it to give one screen its layout, name, tags or orientation. Not for a limited time: create_schedule, or send_command with `override.set`. Not for many: update_players.",
    caller: "operator",
    scope: "players:write",
    params: playerParams,
    body: PlayerChange,
    example: { layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh" },
    status: 200,
    output: Player,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: async (context, given) => version(await read(context, given)),
    async run(context, { params: { id: playerId }, body }) {
      const { parts, teamId } = context;
      const write = async (db: Db): Promise<Change<PlayerRow>> => {
        const before = found(await select(db, teamId, playerId), "player");
        const { tags, variables, wall, ...rest } = body;
        await checkLayout(db, teamId, body.layout_id);
        const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
        const after: PlayerRow = {
          ...before,
          ...given,
          tags: tags === undefined ? before.tags : JSON.stringify(tags),
          variables: variables === undefined ? before.variables : canonicalJson(variables),
          wall: wall == null ? (wall === null ? null : before.wall) : canonicalJson(wall),
        };
        if (canonicalJson(after) === canonicalJson(before)) return { result: before };
        const next = { ...after, updated_at: Math.trunc(parts.clock.now()) };
        await db.updateTable("players").set(next).where("id", "=", next.id).execute();
        if (next.tags !== before.tags) await updateTagIndex(db, [next]);
        return { result: next, affected: [next], events: eventsOf(before, next) };
      };
      return change(context, write, (db) => read(context, { id: playerId }, db));
    },
  }),
];

/** A player of the team that was not removed. */
export async function select(db: Db, teamId: string, playerId: string): Promise<PlayerRow | undefined> {
  const row = await findTeamRow(db, "players", teamId, playerId);
  return row?.removed_at === null ? row : undefined;
}

function eventsOf(before: PlayerRow, after: PlayerRow): NonNullable<Change<unknown>["events"]> {
  const { team_id: teamId, id: player_id, name, layout_id } = after;
  const updated = { teamId, type: "player.updated" as const, data: { player_id, name } };
  if (before.layout_id === layout_id) return [updated];
  return [updated, { teamId, type: "layout.assigned", data: { layout_id, player_id } }];
}

/** What the ETag of a player is a digest of. */
export function version({ id: playerId, name, layout_id, tags, timezone, variables, updated_at }: Player): unknown {
  return { id: playerId, name, layout_id, tags, timezone, variables, updated_at };
}

/** A player that was not removed, as REST shows it. @throws Refusal 404. */
export async function read({ parts, teamId }: OperatorContext, { id: playerId }: { id: string }, db = parts.store.db): Promise<Player> {
  return show(parts, found(await select(db, teamId, playerId), "player"));
}

/** @throws Refusal 422 when there is no such layout, or it is in the bin. */
export async function checkLayout(db: Db, teamId: string, layoutId: string | null | undefined, pointer = "/layout_id"): Promise<void> {
  if (layoutId == null) return;
  const all = db.selectFrom("layouts").select("id").where("team_id", "=", teamId).where("deleted_at", "is", null);
  if ((await all.where("id", "=", layoutId).executeTakeFirst()) === undefined) throw invalidField(pointer, "there is no such layout");
}

function statusOf({ presence }: Parts, playerId: string): Player["status"] {
  return presence.isOnline(playerId) ? "online" : "offline";
}

type Reported = Pick<Player, "player_version" | "hardware" | "resolution">;

/** A player as REST shows it. `beat`: what its box told last, null for nothing. */
export function show(parts: Parts, row: PlayerRow, beat = parts.presence.latest(row.id)): Player {
  const status = beat === null ? "offline" : statusOf(parts, row.id);
  const asked = JSON.parse(row.reported) as Reported;
  const said: Partial<Reported> & { engine?: string } = beat?.heartbeat ?? {};
  const appliedRevision = beat?.heartbeat.content.applied_revision ?? null;
  return {
    id: row.id,
    team_id: row.team_id,
    name: row.name,
    status,
    layout_id: row.layout_id,
    tags: JSON.parse(row.tags) as string[],
    timezone: row.timezone,
    variables: JSON.parse(row.variables) as Player["variables"],
    reported_variables: beat?.heartbeat.variables ?? null,
    orientation: Orientation.parse(row.orientation),
    wall: row.wall === null ? null : (JSON.parse(row.wall) as Wall),
    last_seen_at: beat === null ? null : new Date(beat.receivedAt).toISOString(),
    player_version: said.player_version ?? asked.player_version,
    engine: said.engine ?? null,
    hardware: said.hardware ?? asked.hardware,
    resolution: said.resolution ?? asked.resolution,
    desired_revision: row.revision,
    applied_revision: appliedRevision,
    in_sync: status === "online" ? appliedRevision === row.revision : null,
    ...parts.problems.listFor(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    deleted_at: row.removed_at === null ? null : new Date(row.removed_at).toISOString(),
  };
}
