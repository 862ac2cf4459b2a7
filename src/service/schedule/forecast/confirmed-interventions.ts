// The overrides, the pause and the variables in force on a player, derived from the commands that it confirmed and its heartbeat.
import { z } from "zod";
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import { PlayCommand, playCommands, playCommandTypes } from "../../../protocol/device/play-commands.ts";
import type { Variables } from "../../../protocol/scheduling/variables.ts";
import type { LastingIntervention, Override } from "../../../schedule/interventions.ts";
import type { Db } from "../../store/store.ts";

type PauseOrVariable = Exclude<LastingIntervention, Override>;
/** The latest heartbeat of a player, and when it was received in ms since the epoch. */
type LatestHeartbeat = { receivedAt: number; heartbeat: Heartbeat };

const Result = z.object({ until: z.iso.datetime().nullable() });
// Read only the newest commands: a player with more within the lifetime of a variable gets a forecast without the oldest.
const maxCommands = 2_000;

/**
 * The interventions in force on a player. A variable that a trigger on the device set is known only from the heartbeat,
 * without its end.
 * @param desiredVariables the variables of its desired state
 */
export async function confirmedInterventions(
  db: Db,
  playerId: string,
  desiredVariables: Variables,
  latest: LatestHeartbeat | null,
): Promise<LastingIntervention[]> {
  const rows = await db
    .selectFrom("commands")
    .select(["id", "type", "args", "result", "updated_at"])
    .where("player_id", "=", playerId)
    .where("status", "=", "succeeded")
    .where("type", "in", playCommandTypes)
    .orderBy("updated_at", "desc")
    .orderBy("id", "desc")
    .limit(maxCommands)
    .execute();
  let interventions: PauseOrVariable[] = [];
  for (const { id, type, args, result, updated_at } of rows.toReversed()) {
    interventions = apply(interventions, PlayCommand.parse({ type, args: JSON.parse(args) }), id, endOf(result), updated_at);
  }
  return [...(await confirmedOverrides(db, playerId)), ...interventions, ...reportedVariables(interventions, desiredVariables, latest)];
}

/** The overrides that a player has confirmed and that no command has cleared. */
async function confirmedOverrides(db: Db, playerId: string): Promise<Override[]> {
  const rows = await db
    .selectFrom("overrides")
    .innerJoin("commands", "commands.id", "overrides.command_id")
    .select(["commands.id", "commands.args", "commands.result", "commands.created_at", "commands.updated_at"])
    .where("overrides.player_id", "=", playerId)
    .where("commands.status", "=", "succeeded")
    .execute();
  return rows.map(({ id, args, result, created_at, updated_at }) => {
    const { layout_id, asset_id, level } = playCommands["override.set"].args.parse(JSON.parse(args));
    const show = layout_id === undefined ? { assetId: asset_id! } : { layoutId: layout_id };
    return { id, at: updated_at, is: "override", until: endOf(result), level, show, loopsFrom: created_at };
  });
}

/** When the effect of a command ends, by the result that the player reported; null: it does not end by itself. */
function endOf(result: string | null): number | null {
  const { until } = Result.safeParse(JSON.parse(result ?? "null")).data ?? { until: null };
  return until === null ? null : Date.parse(until);
}

/** The interventions after a command, by the same rules as on the player. */
function apply(
  interventions: PauseOrVariable[],
  command: PlayCommand,
  id: string,
  until: number | null,
  confirmedAt: number,
): PauseOrVariable[] {
  switch (command.type) {
    case "pause": {
      if (until === null) return interventions;
      const begins = until - command.args.duration_ms;
      // A pause during a pause extends it.
      const at = interventions.find((each) => each.is === "pause" && each.until > begins)?.at ?? begins;
      return [...interventions.filter(({ is }) => is !== "pause"), { id, at, is: "pause", until }];
    }
    case "resume":
    case "skip":
      return interventions.filter(({ is }) => is !== "pause");
    case "variables.set": {
      const { variables, duration_ms } = command.args;
      const at = until === null || duration_ms === undefined ? confirmedAt : until - duration_ms;
      // A temporary value does not replace a permanent one, which returns after it.
      const isKept = (each: PauseOrVariable) =>
        each.is !== "variable" || !Object.hasOwn(variables, each.name) || (until !== null && each.until === null);
      const added = Object.entries(variables).map(([name, value]): PauseOrVariable => ({ id, at, is: "variable", until, name, value }));
      return [...interventions.filter(isKept), ...added];
    }
    case "variables.clear": {
      const { names } = command.args;
      return interventions.filter((each) => each.is !== "variable" || names?.includes(each.name) === false);
    }
    case "override.set":
    case "override.clear":
      return interventions;
  }
}

/** The variables of a heartbeat that neither a confirmed command nor the desired state explains. */
function reportedVariables(
  interventions: readonly PauseOrVariable[],
  desired: Variables,
  latest: LatestHeartbeat | null,
): PauseOrVariable[] {
  if (latest?.heartbeat.variables === undefined) return [];
  const at = latest.receivedAt;
  return Object.entries(latest.heartbeat.variables).flatMap(([name, value]): PauseOrVariable[] => {
    const isExplained = interventions.some(
      (each) => each.is === "variable" && each.name === name && (each.value === value || each.at > at),
    );
    if (isExplained || desired[name] === value) return [];
    return [{ id: "heartbeat", at, is: "variable", until: null, name, value }];
  });
}
