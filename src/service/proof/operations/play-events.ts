// Operations that receive play events from players and list them.
import type { Clock } from "../../../base/clock.ts";
import {
  maxEventsInBatch,
  PlayEventBatch,
  PlayEventReceipt,
  PlayEventRecord,
  PlayEventsQuery,
} from "../../../protocol/device/play-events.ts";
import { page } from "../../../protocol/operator/resources.ts";
import { pageOf } from "../../http/paging.ts";
import { listPlayEvents, showPlayEvent, storePlayEvents } from "../play-events.ts";
import type { Store } from "../../store/store.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";

interface PlayEventDependencies {
  clock: Clock;
  store: Store;
}

const example = {
  events: [
    {
      id: "evt_01jd3v8q6m9x2k4n7r5t1w0yzh",
      layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh",
      zone_id: "zon_01jd3v8q6m9x2k4n7r5t1w0yzh",
      schedule_id: "sch_01jd3v8q6m9x2k4n7r5t1w0yzh",
      override_id: null,
      layer: "schedule",
      item_id: "itm_01jd3v8q6m9x2k4n7r5t1w0yzh",
      asset_id: null,
      sha256: null,
      revision: "r1",
      result: "completed",
      reason: null,
      started_at: "2026-11-21T12:00:00.000Z",
      ended_at: "2026-11-21T12:00:08.000Z",
      duration_ms: 8000,
      started_monotonic_ms: 1000,
      ended_monotonic_ms: 9000,
      boot_id: "b1",
      clock_offset_ms: 12,
      clock_error_ms: 3,
    },
  ],
};

const operation = operationsWith<PlayEventDependencies>();

export const playEventOperations: readonly Operation<PlayEventDependencies>[] = [
  operation({
    name: "sendPlayEvents",
    tag: "device",
    method: "POST",
    path: "/device/play-events",
    summary: "Send play events",
    description: `At most ${maxEventsInBatch} per batch; \`Content-Encoding: gzip\` is supported. Events are identified by id, so a repeated event changes nothing. After the response the player may delete the whole batch: a \`rejected\` event would be rejected again.`,
    caller: "device",
    body: PlayEventBatch,
    inflates: true,
    example,
    status: 200,
    output: PlayEventReceipt,
    errors: ["invalid", "bad-request"],
    headers: { "Content-Encoding": "`gzip`, or omitted" },
    run: ({ clock, store }, { player }, { body }) => storePlayEvents(store.plays, player, body.events, Math.trunc(clock.now())),
  }),
  operation({
    name: "listPlayEvents",
    tag: "play events",
    method: "GET",
    path: "/play-events",
    summary: "List play events",
    description: "What was on the screens, proven by presented frames; latest play first.",
    caller: "operator",
    scope: "play_events:read",
    query: PlayEventsQuery,
    status: 200,
    output: page(PlayEventRecord),
    errors: ["invalid"],
    run: ({ store }, { teamId }, { query }) =>
      pageOf(listPlayEvents(store.plays, teamId, query), query, showPlayEvent, {
        by: ["started_at", "id", "player_id"],
      }),
  }),
];
