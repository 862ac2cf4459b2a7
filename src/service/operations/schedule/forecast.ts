// What a player will show in the days to come.
import { z } from "zod";
import { Forecast, ForecastQuery, Why, WhyQuery } from "../../../protocol/scheduling/forecast.ts";
import { id } from "../../../protocol/common.ts";
import { confirmedInterventions } from "../../schedule/confirmed-interventions.ts";
import { windowAfter } from "../../../schedule/calendar/windows.ts";
import type { ForecastInterval } from "../../../schedule/forecast.ts";
import { explainFor, forecastFor, showForecastIntervals } from "../../schedule/forecast.ts";
import { calendarsFor, datesByCalendar } from "../../schedule/holiday-calendars.ts";
import { invalidField } from "../../http/problem.ts";
import { interventionsOf, timeZoneOf } from "../../schedule/schedule-outlook.ts";
import { describeCalendarCondition } from "../../schedule/schedule-summary.ts";
import { schedulesOutsideBin, schedulesForPlayer, readEnabledSchedules, showSchedule } from "../../schedule/schedules.ts";
import { found, operation, type Operation } from "../operation.ts";
import { select } from "../fleet/players.ts";

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
      const { clock, desired, presence, store } = parts;
      const player = found(await select(store.db, teamId, playerId), "player");
      const from = query.from === undefined ? Math.trunc(clock.now()) : Date.parse(query.from);
      const to = query.to === undefined ? from + weekMs : Date.parse(query.to);
      if (to <= from) throw invalidField("?to", "must be after ?from");
      if (to - from > weekMs) throw invalidField("?to", "at most seven days after ?from");
      const state = await desired.read(store.db, player);
      const beat = presence.latest(player.id);
      const records = await confirmedInterventions(store.db, player.id, state.player.variables, beat);
      const { timezone: asked } = JSON.parse(player.reported) as { timezone: string };
      const zone = beat?.heartbeat.timezone ?? asked;
      const stretches: ForecastInterval[] = [];
      let next: number | null = null;
      for (const stretch of await forecastFor(state, records, zone, from, to)) {
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
        stretches: await showForecastIntervals(store.db, stretches, state, records),
        next_from: next === null ? null : new Date(next).toISOString(),
      };
    },
  }),
  operation({
    name: "getPlayerWhy",
    tag: "players",
    method: "GET",
    path: "/players/{id}/why",
    summary: "See why a player shows what it shows, or not",
    description:
      "The chain of reasons by the state that is wanted on it, and the overrides, pauses and variables that it has confirmed or told. " +
      "With `schedule_id` also why that schedule is on at the instant, or why not: not meant for it, not due, a condition, outranked and by which.",
    agent: "Use it when a schedule does not play where somebody expects it. What is really presented: get_player_now.",
    caller: "operator",
    scope: "players:read",
    params: z.strictObject({ id: id("plr") }),
    query: WhyQuery,
    status: 200,
    output: Why,
    errors: ["not-found", "invalid"],
    async run({ parts, teamId }, { params: { id: playerId }, query }) {
      const { clock, desired, store } = parts;
      const player = found(await select(store.db, teamId, playerId), "player");
      const at = query.at === undefined ? Math.trunc(clock.now()) : Date.parse(query.at);
      const zone = timeZoneOf(parts, player);
      const state = await desired.read(store.db, player);
      const reasons = await explainFor(state, await interventionsOf(parts, store.db, player), zone, at);
      const about = { player_id: player.id, at: new Date(at).toISOString(), reasons };
      if (query.schedule_id === undefined) return { ...about, schedule: null };
      const scheduleId = query.schedule_id;
      const row = found(await schedulesOutsideBin(store.db, teamId).where("id", "=", scheduleId).executeTakeFirst(), "schedule");
      const told = (verdict: NonNullable<Why["schedule"]>["verdict"], detail: string, next_at: string | null = null) => ({
        ...about,
        schedule: { schedule_id: scheduleId, verdict, detail, next_at },
      });
      if (!showSchedule(row).enabled) return told("set-aside", "it is switched off");
      const isForIt = schedulesForPlayer(await readEnabledSchedules(store.db, teamId), player).some((each) => each.id === scheduleId);
      if (!isForIt) return told("not-for-it", "its target leaves this player out");
      const own = reasons.find((reason) => reason.id === scheduleId);
      if (own !== undefined) {
        const winner = reasons.find(({ verdict }) => verdict === "shows" || verdict === "held");
        const by =
          own.verdict !== "outranked" || winner === undefined
            ? ""
            : `; on is ${winner.name ?? winner.id ?? winner.layer}: ${winner.detail}`;
        return told(own.verdict, own.detail + by);
      }
      const schedule = showSchedule(row);
      const calendars = await calendarsFor(store.db, teamId, schedule.conditions);
      const windowFrom = (conditions: typeof schedule.conditions) =>
        windowAfter({ ...schedule, conditions }, player.timezone ?? zone, at, datesByCalendar(calendars));
      const next = windowFrom(schedule.conditions);
      // A window that is open here without a reason there is one that the player could not read, or among too many to name.
      if (next !== null && next.from <= at) return told("set-aside", "a condition of it does not hold, or the player cannot show it");
      const begins = next === null ? null : new Date(next.from).toISOString();
      for (const condition of schedule.conditions) {
        if (condition.type !== "calendar") continue;
        const without = windowFrom(schedule.conditions.filter((each) => each !== condition));
        if (without === null || without.from > at) continue;
        const after = begins === null ? "none of its windows is left" : `its next window begins at ${begins}`;
        return told("not-due", `a calendar keeps it off: it plays ${describeCalendarCondition(condition, calendars)}; ${after}`, begins);
      }
      return told(
        "not-due",
        begins === null ? "none of its windows is left" : `no window of it is open: the next begins at ${begins}`,
        begins,
      );
    },
  }),
];
