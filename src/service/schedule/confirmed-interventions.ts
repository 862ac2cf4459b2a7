// What a player remembers of commands, drawn from what it confirmed: the forecast needs it as the player has it.
import { z } from "zod";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import { playCommands, playCommandTypes } from "../../protocol/device/play-commands.ts";
import type { Variables } from "../../protocol/scheduling/schedules.ts";
import { confirmedOverrides, type ConfirmedIntervention } from "./forecast.ts";
import type { Db } from "../store/store.ts";

type Lasting = Exclude<ConfirmedIntervention, { is: "override" }>;

const Result = z.object({ until: z.iso.datetime().nullable() });
const Command = z.discriminatedUnion("type", [...playCommands]);
// The newest decide; who sends more of them than that within the life of a variable gets a forecast without the oldest.
const maxCommands = 2_000;

/**
 * Overrides, the pause and variables that hold on a player, as it confirmed them. What a trigger on the box has set is known
 * by its heartbeat alone, without its end.
 * @param given the variables that the desired state gives it
 * @param beat its latest heartbeat, and when it came in ms since the epoch
 */
export async function confirmedInterventions(
  db: Db,
  playerId: string,
  given: Variables,
  beat: { receivedAt: number; heartbeat: Heartbeat } | null,
): Promise<ConfirmedIntervention[]> {
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
  let records: Lasting[] = [];
  for (const { id, type, args, result, updated_at } of rows.toReversed()) {
    const { until } = Result.safeParse(JSON.parse(result ?? "null")).data ?? { until: null };
    const ends = until === null ? null : Date.parse(until);
    records = after(records, Command.parse({ type, args: JSON.parse(args) }), id, ends, updated_at);
  }
  const overrides = (await confirmedOverrides(db, playerId)).map((each) => ({ ...each, is: "override" as const }));
  return [...overrides, ...records, ...told(records, given, beat)];
}

/** What the player keeps once it has done a command, by the same rules as it does. */
function after(records: Lasting[], command: z.infer<typeof Command>, id: string, until: number | null, confirmedAt: number): Lasting[] {
  switch (command.type) {
    case "pause": {
      if (until === null) return records;
      const began = until - command.args.duration_ms;
      // Paused already, it is the same pause with another end.
      const at = records.find((each) => each.is === "pause" && each.until > began)?.at ?? began;
      return [...records.filter(({ is }) => is !== "pause"), { id, at, is: "pause", until }];
    }
    case "resume":
    case "skip":
      return records.filter(({ is }) => is !== "pause");
    case "variables.set": {
      const { variables, duration_ms } = command.args;
      const at = until === null || duration_ms === undefined ? confirmedAt : until - duration_ms;
      const stays = (each: Lasting) =>
        each.is !== "variable" || !Object.hasOwn(variables, each.name) || (until !== null && each.until === null);
      const added = Object.entries(variables).map(([name, value]): Lasting => ({ id, at, is: "variable", until, name, value }));
      return [...records.filter(stays), ...added];
    }
    case "variables.clear": {
      const { names } = command.args;
      return records.filter((each) => each.is !== "variable" || names?.includes(each.name) === false);
    }
    case "override.set":
    case "override.clear":
      return records;
  }
}

/** The variables of a heartbeat that no confirmed command explains. */
function told(records: readonly Lasting[], given: Variables, beat: Parameters<typeof confirmedInterventions>[3]): Lasting[] {
  if (beat?.heartbeat.variables === undefined) return [];
  const at = beat.receivedAt;
  return Object.entries(beat.heartbeat.variables).flatMap(([name, value]): Lasting[] => {
    const isExplained = records.some((each) => each.is === "variable" && each.name === name && (each.value === value || each.at > at));
    if (isExplained || given[name] === value) return [];
    return [{ id: "heartbeat", at, is: "variable", until: null, name, value }];
  });
}
