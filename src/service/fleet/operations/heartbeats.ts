// The history of a player's heartbeats: by minute or by hour, and the uptime of each day.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { dayMs, minuteMs } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { HeartbeatMinute, HeartbeatsQuery, Uptime, UptimeQuery } from "../../../protocol/operator/heartbeat-history.ts";
import { page } from "../../../protocol/operator/resources.ts";
import { dateText } from "../../../schedule/calendar/day-numbers.ts";
import { selectHours, showHour } from "../heartbeats/hours.ts";
import { minutesByDay, selectMinutes, showMinute } from "../heartbeats/minutes.ts";
import type { Presence } from "../presence/presence.ts";
import { pageOf } from "../../http/paging.ts";
import { found, invalidField } from "../../http/problem.ts";
import type { Store } from "../../store/store.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { findPlayer } from "../players/resource.ts";

interface HeartbeatDependencies {
  clock: Clock;
  presence: Presence;
  store: Store;
}

const params = z.strictObject({ id: id("plr") });
const maxDays = 31;

const operation = operationsWith<HeartbeatDependencies>();

export const heartbeatOperations: readonly Operation<HeartbeatDependencies>[] = [
  operation({
    name: "listHeartbeats",
    tag: "players",
    method: "GET",
    path: "/players/{id}/heartbeats",
    summary: "List a player's heartbeats",
    description:
      "One row per minute with at least one heartbeat, newest first; kept for 30 days. With `resolution=hour` one row per hour that is over, kept for a year; an hour is there at most an hour after its end. What the player measures now is in `telemetry` of `/players/{id}`.",
    agent: "Use `resolution=hour` for questions about days and weeks, such as since when a screen runs hot or drops frames.",
    caller: "operator",
    scope: "players:read",
    params,
    query: HeartbeatsQuery,
    status: 200,
    output: page(HeartbeatMinute),
    errors: ["not-found", "invalid"],
    async run({ clock, presence, store }, { teamId }, { params: { id: playerId }, query }) {
      found(await findPlayer(store.db, teamId, playerId), "screen");
      await presence.flush();
      const to = query.to === undefined ? Math.trunc(clock.now()) + minuteMs : Date.parse(query.to);
      const from = query.from === undefined ? 0 : Date.parse(query.from);
      if (query.resolution === "hour") return pageOf(selectHours(store.telemetry, playerId, from, to), query, showHour, { by: ["hour"] });
      const rows = selectMinutes(store.telemetry, playerId, from, to);
      return pageOf(rows, query, showMinute, { by: ["minute"] });
    },
  }),
  operation({
    name: "getUptime",
    tag: "players",
    method: "GET",
    path: "/players/{id}/uptime",
    summary: "Read a player's uptime per day",
    description: "The share of minutes with a heartbeat, counted since the player was paired; at most 31 days.",
    caller: "operator",
    scope: "players:read",
    params,
    query: UptimeQuery,
    status: 200,
    output: Uptime,
    errors: ["not-found", "invalid"],
    async run({ clock, presence, store }, { teamId }, { params: { id: playerId }, query }) {
      await presence.flush();
      const player = found(await findPlayer(store.db, teamId, playerId), "screen");
      const now = Math.trunc(clock.now());
      const last = query.to === undefined ? Math.floor(now / dayMs) : Date.parse(query.to) / dayMs;
      const first = query.from === undefined ? last - 29 : Date.parse(query.from) / dayMs;
      if (first > last) throw invalidField("?from", "is after ?to");
      if (last - first >= maxDays) throw invalidField("?from", `at most ${maxDays} days per request`);
      const up = await minutesByDay(store.telemetry, playerId, first, last + 1);
      const days = Array.from({ length: last - first + 1 }, (_, index) => {
        const day = first + index;
        const from = Math.max(day * dayMs, player.created_at);
        const total = Math.ceil(Math.min((day + 1) * dayMs, now) / minuteMs) - Math.floor(from / minuteMs);
        const minutesTotal = Math.max(0, total);
        const minutesUp = up.get(day) ?? 0;
        const share = minutesTotal === 0 ? null : Math.min(100, Math.round((10_000 * minutesUp) / minutesTotal) / 100);
        return {
          date: dateText(day),
          minutes_up: minutesUp,
          minutes_total: minutesTotal,
          uptime_percent: share,
        };
      });
      return { player_id: playerId, days };
    },
  }),
];
