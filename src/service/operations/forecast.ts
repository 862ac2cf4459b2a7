// What a player will show in the days to come.
import { z } from "zod";
import { Forecast, ForecastQuery } from "../../protocol/forecast.ts";
import { id } from "../../protocol/words.ts";
import { runningRecords } from "../forecast-records.ts";
import { showStretches, type Stretch } from "../forecast.ts";
import { invalidField } from "../problem.ts";
import { found, operation, type Operation } from "./operation.ts";
import { select } from "./players.ts";

const weekMs = 7 * 86_400_000;

export const forecastOperations: readonly Operation[] = [
  operation({
    name: "getForecast",
    tag: "players",
    method: "GET",
    path: "/players/{id}/forecast",
    summary: "See what a player will show",
    description:
      "Drawn from the state that is wanted on it now: schedules, the overrides, pauses and variables that it has confirmed or told, and its own layout where nothing is due. " +
      "At most seven days at a time. A pause holds what was on; skips and limits of items change the items of a layout, not the layout.",
    agent: "Use it to check a schedule before it is due, and to find gaps. For what is on now: get_player_now.",
    caller: "operator",
    scope: "players:read",
    params: z.strictObject({ id: id("plr") }),
    query: ForecastQuery,
    status: 200,
    output: Forecast,
    errors: ["not-found", "invalid"],
    async run({ parts, teamId }, { params: { id: playerId }, query }) {
      const { clock, desired, foretell, presence, store } = parts;
      const player = found(await select(store.db, teamId, playerId), "player");
      const from = query.from === undefined ? Math.trunc(clock.now()) : Date.parse(query.from);
      const to = query.to === undefined ? from + weekMs : Date.parse(query.to);
      if (to <= from) throw invalidField("?to", "must be after ?from");
      if (to - from > weekMs) throw invalidField("?to", "at most seven days after ?from");
      const state = await desired.of(store.db, player);
      const beat = presence.latest(player.id);
      const records = await runningRecords(store.db, player.id, state.player.variables, beat);
      const { timezone: asked } = JSON.parse(player.reported) as { timezone: string };
      const zone = beat?.heartbeat.timezone ?? asked;
      const stretches: Stretch[] = [];
      let next: number | null = null;
      for (const stretch of await foretell(state, records, zone, from, to)) {
        if (stretches.length === query.limit) next = stretch.from;
        if (next !== null) break;
        stretches.push(stretch);
      }
      return {
        player_id: player.id,
        revision: state.revision,
        timezone: player.timezone ?? zone,
        from: new Date(from).toISOString(),
        to: new Date(next ?? to).toISOString(),
        stretches: await showStretches(store.db, stretches, state, records),
        next_from: next === null ? null : new Date(next).toISOString(),
      };
    },
  }),
];
