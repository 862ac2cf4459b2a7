// Operations that forecast the content of a player and explain it.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { dayMs, iso } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { Forecast, ForecastQuery, Why, WhyQuery } from "../../../protocol/scheduling/forecast.ts";
import type { ForecastInterval } from "../../../schedule/forecast.ts";
import type { Presence } from "../../fleet/presence/presence.ts";
import type { DesiredStates } from "../../fleet/state/desired-states.ts";
import { found, invalidField } from "../../http/problem.ts";
import { confirmedInterventions } from "../forecast/confirmed-interventions.ts";
import { explainFor, forecastFor, showForecastIntervals } from "../forecast/forecast.ts";
import { interventionsOf, timeZoneOf } from "../outlook/outlook.ts";
import { explainSchedule } from "../forecast/verdict.ts";
import { showSchedule } from "../schedules.ts";
import type { Store } from "../../store/store.ts";
import { findPlayer } from "../../fleet/players/resource.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { findTeamRow } from "../../store/tables/team-rows.ts";

interface ForecastDependencies {
  clock: Clock;
  desired: DesiredStates;
  presence: Presence;
  store: Store;
}

const weekMs = 7 * dayMs;

const operation = operationsWith<ForecastDependencies>();

export const forecastOperations: readonly Operation<ForecastDependencies>[] = [
  operation({
    name: "getForecast",
    tag: "players",
    method: "GET",
    path: "/players/{id}/forecast",
    summary: "Forecast what a player will show",
    description:
      "Computed from the player's current desired state: schedules, the overrides, pauses and variables that it has confirmed or reported, and its own layout when nothing else is due. " +
      "A layout that has nothing to show at that time is named with `empty_because`, by the items' times and calendars and by the present values of tags and variables; files count as downloaded, and feeds, streams and web pages as shown. " +
      "At most seven days per request. A pause keeps what was shown; skips and limits of items change the items of a layout, not the layout.",
    agent: "Use it to check a schedule before it is due, and to find gaps. For what is on now, use get_player_now.",
    caller: "operator",
    scope: "players:read",
    drafts: true,
    params: z.strictObject({ id: id("plr") }),
    query: ForecastQuery,
    status: 200,
    output: Forecast,
    errors: ["not-found", "invalid"],
    async run({ clock, desired, presence, store }, { teamId }, { params: { id: playerId }, query }) {
      const player = found(await findPlayer(store.db, teamId, playerId), "screen");
      const from = query.from === undefined ? Math.trunc(clock.now()) : Date.parse(query.from);
      const to = query.to === undefined ? from + weekMs : Date.parse(query.to);
      if (to <= from) throw invalidField("?to", "must be after ?from");
      if (to - from > weekMs) throw invalidField("?to", "must be at most seven days after ?from");
      const state = await desired.read(player);
      const latest = presence.latest(player.id);
      const interventions = await confirmedInterventions(store.db, player.id, state.player.variables, latest);
      const { timezone: pairedTimeZone } = JSON.parse(player.reported) as { timezone: string };
      const timeZone = latest?.heartbeat.timezone ?? pairedTimeZone;
      const intervals: ForecastInterval[] = [];
      let next: number | null = null;
      for (const interval of await forecastFor(state, interventions, timeZone, from, to)) {
        if (intervals.length === query.limit) next = interval.from;
        if (next !== null) break;
        intervals.push(interval);
      }
      return {
        player_id: player.id,
        revision: state.revision,
        timezone: player.timezone ?? timeZone,
        from: iso(from),
        to: iso(next ?? to),
        stretches: await showForecastIntervals(store.db, intervals, { desired: state, interventions, deviceTimeZone: timeZone }),
        next_from: iso(next),
      };
    },
  }),
  operation({
    name: "getPlayerWhy",
    tag: "players",
    method: "GET",
    path: "/players/{id}/why",
    summary: "Explain why a player shows something, or does not",
    description:
      "The chain of reasons, computed from the player's desired state and the overrides, pauses and variables that it has confirmed or reported. " +
      "With `schedule_id` it also says why that schedule is on at that time or why not: not targeted at the player, not due, a condition, outranked and by which.",
    agent: "Use it when a schedule does not play where it is expected. For what is presented, use get_player_now.",
    caller: "operator",
    scope: "players:read",
    drafts: true,
    params: z.strictObject({ id: id("plr") }),
    query: WhyQuery,
    status: 200,
    output: Why,
    errors: ["not-found", "invalid"],
    async run(dependencies, { teamId }, { params: { id: playerId }, query }) {
      const { clock, desired, store } = dependencies;
      const player = found(await findPlayer(store.db, teamId, playerId), "screen");
      const at = query.at === undefined ? Math.trunc(clock.now()) : Date.parse(query.at);
      const timeZone = timeZoneOf(dependencies, player);
      const state = await desired.read(player);
      const reasons = await explainFor(state, await interventionsOf(dependencies, store.db, player), timeZone, at);
      const common = { player_id: player.id, at: iso(at), reasons };
      if (query.schedule_id === undefined) return { ...common, schedule: null };
      const row = await findTeamRow(store.db, "schedules", teamId, query.schedule_id);
      const schedule = showSchedule(found(row?.deleted_at === null ? row : undefined, "schedule"));
      return { ...common, schedule: await explainSchedule(store.db, schedule, player, timeZone, at, reasons) };
    },
  }),
];
