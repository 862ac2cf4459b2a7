// Forecasts the layouts that a player shows, and explains why, with the player's own scheduling and its desired state.
import { iso } from "../../../base/time.ts";
import type { DesiredState } from "../../../protocol/device/desired-state.ts";
import type { ShownReason } from "../../../protocol/device/heartbeat.ts";
import type { ForecastStretch } from "../../../protocol/scheduling/forecast.ts";
import type { ForecastInterval } from "../../../schedule/forecast.ts";
import type { Intervention } from "../../../schedule/interventions.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import { emptyReasons } from "./empty-reasons.ts";
import { withAllFiles, type PlanInput } from "./plan-input.ts";

/** The layouts that a player shows from `from` to `until`, in intervals without a gap. */
export async function forecastFor(
  desired: DesiredState,
  interventions: readonly Intervention[],
  deviceTimeZone: string,
  from: number,
  until: number,
): Promise<Iterable<ForecastInterval>> {
  // Imported when needed: the service must not load the scheduler while it starts.
  const { forecast } = await import("../../../schedule/forecast.ts");
  return forecast(withAllFiles(desired), from, until, { deviceTimeZone, interventions });
}

/** The reasons for the content that a player shows at `instant`, the winner first. */
export async function explainFor(
  desired: DesiredState,
  interventions: readonly Intervention[],
  deviceTimeZone: string,
  instant: number,
): Promise<ShownReason[]> {
  const { explainAt } = await import("../../../schedule/why.ts");
  const reasons = explainAt(withAllFiles(desired), instant, { deviceTimeZone, interventions });
  return reasons.map(({ layoutId, ...reason }) => ({ ...reason, layout_id: layoutId }));
}

/** The intervals as the API returns them, with the names of layouts and schedules. */
export async function showForecastIntervals(db: Db, intervals: readonly ForecastInterval[], input: PlanInput): Promise<ForecastStretch[]> {
  const { desired, interventions } = input;
  const reasonOf = await emptyReasons();
  const overrides = interventions.filter((each) => each.is === "override");
  const layoutNames = await findLayoutNames(db, new Set(intervals.flatMap(({ layoutId }) => layoutId ?? [])));
  const scheduleNames = new Map(desired.schedules.map(({ id, name }) => [id, name]));
  return intervals.map((interval) => {
    const { from, until, layoutId, by, loopsFrom } = interval;
    const isSchedule = scheduleNames.has(by);
    const override = overrides.find(({ id }) => id === by);
    // An override that shows an asset has a layout that only the player knows.
    const assetId = override !== undefined && "assetId" in override.show ? override.show.assetId : null;
    return {
      from: iso(from),
      to: iso(until),
      by: override !== undefined ? "override" : isSchedule ? "schedule" : by === "default" ? "default" : "nothing",
      schedule_id: isSchedule ? by : null,
      schedule_name: isSchedule ? String(scheduleNames.get(by)) : null,
      override_id: override?.id ?? null,
      layout_id: assetId === null ? layoutId : null,
      layout_name: assetId === null ? (layoutNames.get(layoutId ?? "") ?? null) : null,
      asset_id: assetId,
      loops_from: iso(loopsFrom),
      empty_because: reasonOf(input, interval),
    };
  });
}

/** The names of layouts by id. */
export async function findLayoutNames(db: Db, layoutIds: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const ids of inChunks([...layoutIds])) {
    const rows = await db.selectFrom("layouts").select(["id", "name"]).where("id", "in", ids).execute();
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}
