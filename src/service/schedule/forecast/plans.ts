// The plans of many screens, computed once for all whose content, schedules and time zone are equal.
import type { DesiredPlaylist, DesiredState } from "../../../protocol/device/desired-state.ts";
import { playCommandTypes } from "../../../protocol/device/play-commands.ts";
import type { Condition } from "../../../protocol/scheduling/conditions.ts";
import { timeZoneRulesOrUtc } from "../../../schedule/calendar/time-zone.ts";
import type { LastingIntervention } from "../../../schedule/interventions.ts";
import type { PlannedInterval } from "../../../schedule/plan.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { withAllFiles, type PlanInput } from "./plan-input.ts";
import { interventionsOf, type OutlookDependencies } from "../outlook/outlook.ts";

/** A screen at the time when its state was read. */
export interface ScreenState {
  player: PlayerRow;
  revision: string;
  /** The time zone that it uses. */
  timezone: string;
  /** Equal ones are one object. */
  input: PlanInput;
}

/** The interventions of players, read once: no change of content alters them. */
export type InterventionsByPlayer = ReadonlyMap<string, readonly LastingIntervention[]>;

/** The interventions in force on each of `players` that has any. */
export async function readInterventions(
  services: Pick<OutlookDependencies, "presence">,
  db: Db,
  players: readonly PlayerRow[],
): Promise<InterventionsByPlayer> {
  const commanded = new Set<string>();
  for (const chunk of inChunks(players.map(({ id }) => id))) {
    const rows = await db
      .selectFrom("commands")
      .select("player_id")
      .distinct()
      .where("player_id", "in", chunk)
      .where("status", "=", "succeeded")
      .where("type", "in", playCommandTypes)
      .execute();
    for (const { player_id } of rows) commanded.add(player_id);
  }
  const found = new Map<string, readonly LastingIntervention[]>();
  for (const player of players) {
    const reportsVariables = services.presence.latest(player.id)?.heartbeat.variables !== undefined;
    if (commanded.has(player.id) || reportsVariables) found.set(player.id, await interventionsOf(services, db, player));
  }
  return found;
}

/** The states of `players`, by id, as they are in `db`, which may be a transaction that will roll back. */
export async function readScreens(
  { desired, presence }: Pick<OutlookDependencies, "desired" | "presence">,
  db: Db,
  players: readonly PlayerRow[],
  interventions: InterventionsByPlayer,
): Promise<ReadonlyMap<string, ScreenState>> {
  const inputs = new Map<string, PlanInput>();
  const screens = new Map<string, ScreenState>();
  for await (const [player, state] of desired.readMany(db, players)) {
    const reported = JSON.parse(player.reported) as { timezone: string };
    const deviceTimeZone = presence.latest(player.id)?.heartbeat.timezone ?? reported.timezone;
    const own = interventions.get(player.id) ?? [];
    const key = keyOf(state, own, deviceTimeZone);
    let input = inputs.get(key);
    if (input === undefined) inputs.set(key, (input = { desired: state, interventions: own, deviceTimeZone }));
    screens.set(player.id, { player, revision: state.revision, timezone: player.timezone ?? deviceTimeZone, input });
  }
  return screens;
}

/** Computes plans for one span of time, each once. */
export class Plans {
  readonly #from: number;
  readonly #until: number;
  readonly #maxIntervals: number;
  readonly #known = new Map<PlanInput, readonly PlannedInterval[]>();

  constructor(from: number, until: number, maxIntervals: number) {
    this.#from = from;
    this.#until = until;
    this.#maxIntervals = maxIntervals;
  }

  /** The plan of screens with this input, in intervals without a gap; the first ones, if there are too many. */
  async of(input: PlanInput): Promise<readonly PlannedInterval[]> {
    const known = this.#known.get(input);
    if (known !== undefined) return known;
    // Imported when needed: the service must not load the scheduler while it starts.
    const { planOf } = await import("../../../schedule/plan.ts");
    const { desired, ...context } = input;
    const plan = planOf(withAllFiles(desired), this.#from, this.#until, context).take(this.#maxIntervals).toArray();
    this.#known.set(input, plan);
    return plan;
  }
}

/**
 * Equal for screens that play the same. Compares only states that were read at one time, in which an id stands for one content.
 * Tags and variables count only where a condition asks for them.
 */
function keyOf(
  { player, layout, layouts, playlists, schedules }: DesiredState,
  interventions: readonly unknown[],
  deviceTimeZone: string,
): string {
  const ofSchedules = schedules.flatMap((schedule) => (schedule["conditions"] ?? []) as readonly Condition[]);
  const conditions = [...ofSchedules, ...playlists.flatMap(conditionsOf)];
  const tags = conditions.some(({ type }) => type === "tag") ? player.tags : [];
  const names = new Set(conditions.flatMap((each) => (each.type === "variable" ? each.name : [])));
  return JSON.stringify([
    timeZoneRulesOrUtc(player.timezone, deviceTimeZone).name,
    layout?.id ?? null,
    layouts.map(({ id }) => id),
    schedules.map(({ id }) => id),
    tags.toSorted(),
    [...names].toSorted().map((name) => [name, player.variables[name]]),
    // A zone that is on none of its displays shows nothing.
    player.wall ?? null,
    interventions,
  ]);
}

// Screens share playlists, which may be long.
const conditionsByPlaylist = new WeakMap<DesiredPlaylist, readonly Condition[]>();

/** The conditions of the items of a playlist. */
function conditionsOf(playlist: DesiredPlaylist): readonly Condition[] {
  let conditions = conditionsByPlaylist.get(playlist);
  if (conditions === undefined) {
    conditions = playlist.items.flatMap((item) => item.conditions ?? []);
    conditionsByPlaylist.set(playlist, conditions);
  }
  return conditions;
}
