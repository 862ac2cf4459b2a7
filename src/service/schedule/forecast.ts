// What a player will show, by the player's own arithmetic, over the state that the service wants on it.
import { z } from "zod";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { ForecastStretch } from "../../protocol/scheduling/forecast.ts";
import { playCommands } from "../../protocol/device/play-commands.ts";
import type { Db } from "../store/store.ts";
import { inChunks } from "../store/chunks.ts";

/** An override that a player has confirmed; `until` null: until it is revoked. Instants in ms since the epoch. */
export interface ConfirmedOverride {
  id: string;
  at: number;
  until: number | null;
  level: "normal" | "emergency";
  show: { layoutId: string } | { assetId: string };
  /** When its command was made: from then its loops count. */
  loopsFrom: number;
}

/** What a player remembers of commands: an override, what a pause holds, a variable that was set. Instants in ms since the epoch. */
export type ConfirmedIntervention =
  | (ConfirmedOverride & { is: "override" })
  | { is: "pause"; id: string; at: number; until: number }
  | { is: "variable"; id: string; at: number; until: number | null; name: string; value: string | number | boolean };

/** What is on from `from` to `until`, the end excluded; `by` is the override's id, the schedule's, `default` or `nothing`. */
export interface ForecastInterval {
  from: number;
  until: number;
  layoutId: string | null;
  by: string;
  /** The instant from which its loops count; null without a layout. */
  loopsFrom: number | null;
}

/**
 * What a player with this state shows from one instant to another, without a hole; `zone` is the box's own. Given by the
 * program, which knows both sides: service and player never import each other.
 */
export type Foretell = (
  desired: DesiredState,
  records: readonly ConfirmedIntervention[],
  zone: string,
  from: number,
  until: number,
) => Promise<Iterable<ForecastInterval>>;

const Result = z.object({ until: z.iso.datetime().nullable() });
const [OverrideSet] = playCommands;

/** The overrides that a player has confirmed and nobody has cleared. */
export async function confirmedOverrides(db: Db, playerId: string): Promise<ConfirmedOverride[]> {
  const rows = await db
    .selectFrom("overrides")
    .innerJoin("commands", "commands.id", "overrides.command_id")
    .select(["commands.id", "commands.type", "commands.args", "commands.result", "commands.created_at", "commands.updated_at"])
    .where("overrides.player_id", "=", playerId)
    .where("commands.status", "=", "succeeded")
    .execute();
  return rows.flatMap(({ id, type, args, result, created_at, updated_at }) => {
    const { layout_id, asset_id, level } = OverrideSet.parse({ type, args: JSON.parse(args) }).args;
    const until = Result.safeParse(JSON.parse(result ?? "null")).data?.until ?? null;
    const show = layout_id === undefined ? { assetId: asset_id! } : { layoutId: layout_id };
    return [{ id, at: updated_at, until: until === null ? null : Date.parse(until), level, show, loopsFrom: created_at }];
  });
}

/** The stretches as REST shows them, with the names that people gave. */
export async function showForecastIntervals(
  db: Db,
  stretches: readonly ForecastInterval[],
  { schedules }: DesiredState,
  records: readonly ConfirmedIntervention[],
): Promise<ForecastStretch[]> {
  const overrides = records.filter((each) => each.is === "override");
  const layouts = new Map<string, string>();
  for (const ids of inChunks([...new Set(stretches.flatMap(({ layoutId }) => layoutId ?? []))])) {
    const rows = await db.selectFrom("layouts").select(["id", "name"]).where("id", "in", ids).execute();
    for (const { id, name } of rows) layouts.set(id, name);
  }
  const names = new Map(schedules.map(({ id, name }) => [id, name]));
  return stretches.map(({ from, until, layoutId, by, loopsFrom }) => {
    const isSchedule = names.has(by);
    const override = overrides.find(({ id }) => id === by);
    // An asset alone stands on a layout that nobody made.
    const assetId = override !== undefined && "assetId" in override.show ? override.show.assetId : null;
    return {
      from: new Date(from).toISOString(),
      to: new Date(until).toISOString(),
      by: override !== undefined ? "override" : isSchedule ? "schedule" : by === "default" ? "default" : "nothing",
      schedule_id: isSchedule ? by : null,
      schedule_name: isSchedule ? String(names.get(by)) : null,
      override_id: override?.id ?? null,
      layout_id: assetId === null ? layoutId : null,
      layout_name: assetId === null ? (layouts.get(layoutId ?? "") ?? null) : null,
      asset_id: assetId,
      loops_from: loopsFrom === null ? null : new Date(loopsFrom).toISOString(),
    };
  });
}
