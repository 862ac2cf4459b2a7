// Operations for the timeline of many screens, and for the effect of a change of a schedule on them.
import { iso } from "../../../base/time.ts";
import {
  EffectRequest,
  maxPlanStretches,
  ScheduleEffect,
  Timeline,
  TimelineQuery,
  type PlanStretch,
} from "../../../protocol/scheduling/timeline.ts";
import type { PlannedInterval } from "../../../schedule/plan.ts";
import { filterPlayers, selectPlayers } from "../../fleet/store.ts";
import { requireScope } from "../../people/operator.ts";
import { pageByName } from "../../http/paging.ts";
import { contentReader } from "../effect/content-digest.ts";
import { effectOfTrial } from "../effect/effect.ts";
import { earliestNow, spanOf } from "../effect/span.ts";
import { showForecastIntervals } from "../forecast/forecast.ts";
import type { PlanInput } from "../forecast/plan-input.ts";
import { Plans, readInterventions, readScreens } from "../forecast/plans.ts";
import { ScheduleTrial } from "../effect/trial.ts";
import type { OutlookDependencies } from "../outlook/outlook.ts";
import { targetedPlayers } from "../schedules.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";

interface TimelineDependencies extends OutlookDependencies {
  makeId: MakeId;
  store: Store;
}

const operation = operationsWith<TimelineDependencies>();

export const timelineOperations: readonly Operation<TimelineDependencies>[] = [
  operation({
    name: "getTimeline",
    tag: "schedules",
    method: "GET",
    path: "/timeline",
    summary: "Forecast what many screens will play",
    description:
      "The players with their plans, the newest player first. A plan is computed like `GET /players/{id}/forecast`, but content that takes turns (`interrupt`) is named beside what it interrupts, in `turns`. Screens that play the same share one plan.",
    agent: "Use it to find screens that are empty at some time, and to compare screens. For one screen use get_forecast.",
    caller: "operator",
    scope: "players:read",
    drafts: true,
    query: TimelineQuery,
    status: 200,
    output: Timeline,
    errors: ["invalid"],
    async run(dependencies, { teamId }, { query }) {
      const { clock, store } = dependencies;
      const { from: _from, to: _to, ids, tag, q, ...page } = query;
      const { from, to } = spanOf(clock, query, "?", 7);
      const rows = filterPlayers(selectPlayers(store.db, teamId), { ids, tag });
      const filters = {
        ...page,
        ...(ids === undefined ? {} : { ids }),
        ...(tag === undefined ? {} : { tag }),
        ...(q === undefined ? {} : { q }),
      };
      const { data, next_cursor } = await pageByName(rows, filters, (row) => row);
      const screens = await readScreens(dependencies, store.db, data, await readInterventions(dependencies, store.db, data));
      const inputs = [...new Set([...screens.values()].map(({ input }) => input))];
      // One more shows whether there are more.
      const computed = new Plans(from, to, maxPlanStretches + 1);
      const plans: Timeline["plans"] = [];
      const contentOf = contentReader();
      for (const input of inputs) plans.push(await showPlan(store.db, input, await computed.of(input), contentOf));
      return {
        from: iso(from),
        to: iso(to),
        plans,
        data: [...screens.values()].map(({ player, timezone, input }) => ({
          player_id: player.id,
          name: player.name,
          timezone,
          plan: inputs.indexOf(input),
        })),
        next_cursor,
      };
    },
  }),
  operation({
    name: "getScheduleEffect",
    tag: "schedules",
    method: "POST",
    path: "/schedules/effect",
    summary: "Tell what a change of a schedule would do",
    description:
      "Creates, changes or deletes schedules in a trial that changes nothing, with all checks of the real write, and compares what the screens would play before and after it: how many show something else, when first, and which become empty when.",
    agent: "Use it before create_schedule, update_schedule or delete_schedule on screens that people look at.",
    caller: "operator",
    scope: "schedules:read",
    drafts: true,
    unaudited: true,
    body: EffectRequest,
    example: {
      changes: [
        {
          change: {
            name: "Friday night",
            layout_id: "lay_01jd3v8q6m9x2k4n7r5t1w0yzh",
            target: { type: "tag", tag: "bar" },
            starts_at: "2026-11-27T22:00",
            ends_at: "2026-11-28T02:00",
            rrule: "FREQ=WEEKLY;BYDAY=FR",
          },
        },
      ],
    },
    status: 200,
    output: ScheduleEffect,
    errors: ["not-found", "invalid"],
    async run(dependencies, { teamId, operator }, { body }, unitOfWork) {
      // It names screens.
      requireScope(operator, "players:read");
      const { from, to } = earliestNow(dependencies.clock, body);
      return unitOfWork.write(async (db) => {
        const trial = new ScheduleTrial(dependencies, teamId, body.changes, "/changes");
        const players = await targetedPlayers(db, teamId, await trial.targets(db));
        return { result: await effectOfTrial(dependencies, db, players, { from, to }, () => trial.write(db)) };
      });
    },
  }),
];

async function showPlan(
  db: Db,
  input: PlanInput,
  intervals: readonly PlannedInterval[],
  contentOf: ReturnType<typeof contentReader>,
): Promise<Timeline["plans"][number]> {
  const shown = intervals.slice(0, maxPlanStretches);
  const names = new Map(input.desired.schedules.map(({ id, name }) => [String(id), String(name)]));
  const stretches = await showForecastIntervals(db, shown, input);
  return {
    stretches: stretches.map((stretch, place): PlanStretch => {
      const { turns } = shown[place]!;
      return {
        ...stretch,
        turns: turns.map((id) => ({ schedule_id: id, schedule_name: names.get(id) ?? id })),
        content: contentOf(input, shown[place]!),
      };
    }),
    to: iso(shown.at(-1)!.until),
  };
}
