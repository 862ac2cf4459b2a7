// Converts the screen log, play events, forecasts and `why` into the same form: layout, layer, and schedule or override.
import type { Forecast, Why } from "../../src/protocol/scheduling/forecast.ts";
import type { PlayEventRecord } from "../../src/protocol/device/play-events.ts";
import type { Run } from "./compare.ts";
import type { Content } from "./content.ts";
import type { LayoutName, ObservedSpan } from "./screen.ts";

/** What the bench has scheduled, which gives the cause of a picture independently of the service. Instants in UTC ms. */
export interface PlannedCauses {
  schedules: { id: string; layout: LayoutName; from: number; until: number }[];
  interruptId: string;
  overrides: { id: string; layout: LayoutName; from: number; until: number }[];
}

/** A forecast and the time of its response. */
export interface ForecastSample {
  at: number;
  stretches: Forecast["stretches"];
}

// A picture may stay this long outside its window before it counts as a picture without a cause.
const slackMs = 1_000;

/** The cause of a layout on the screen at an instant; null if nothing was scheduled that shows it. */
function observedCause({ schedules, interruptId, overrides }: PlannedCauses, layout: LayoutName, at: number): string | null {
  if (layout === "home") return causeText(layout, "default", null);
  if (layout === "between") return causeText(layout, "interrupt", interruptId);
  const isOn = (each: PlannedCauses["overrides"][number]): boolean =>
    each.layout === layout && each.from - slackMs <= at && at <= each.until + slackMs;
  const override = overrides.find(isOn);
  if (override !== undefined) return causeText(layout, "override", override.id);
  const schedule = schedules.find(isOn);
  return schedule === undefined ? null : causeText(layout, "schedule", schedule.id);
}

/** The observed runs with their causes, without blank and foreign pictures and zones that can show nothing. */
export function observedRuns(spans: readonly ObservedSpan[], ordered: PlannedCauses): Run[] {
  return spans.flatMap(({ zone, sight, layout, from, until, blur }) => {
    if (layout === null || sight === "blank" || sight === "foreign" || sight === "plate") return [];
    const cause = observedCause(ordered, layout, (from + until) / 2) ?? `${layout} without a cause`;
    return [{ zone, cause, item: sight, from, until, blur }];
  });
}

/** The reported plays with presented frames between two instants, cut off there. */
export function reportedRuns(events: readonly PlayEventRecord[], { layoutIds, assetIds }: Content, begin: number, end: number): Run[] {
  const layouts = namesOf(layoutIds);
  const assets = namesOf(assetIds);
  return events.flatMap(({ asset_id, layout_id, layer, schedule_id, override_id, started_at, ended_at, duration_ms }) => {
    const from = Math.max(begin, Date.parse(started_at));
    const until = Math.min(end, Date.parse(ended_at));
    if (duration_ms === 0 || until <= from) return [];
    // Only the web page has no asset id.
    const item = asset_id === null ? "web" : (assets.get(asset_id) ?? asset_id);
    const zone = layoutIds.has(item as LayoutName) ? "right" : "left";
    return [
      { zone, cause: causeText(layouts.get(layout_id) ?? layout_id, layer ?? "unknown", override_id ?? schedule_id), item, from, until },
    ];
  });
}

/** The cause at an instant in the newest forecast before it; undefined if no forecast covers it. */
export function causeForecast(asked: readonly ForecastSample[], at: number, interruptId: string): string | undefined {
  const newest = asked.findLast((each) => each.at <= at);
  const stretch = newest?.stretches.find(({ from, to }) => Date.parse(from) <= at && at < Date.parse(to));
  if (stretch === undefined) return undefined;
  const { by, layout_name, schedule_id, override_id } = stretch;
  return causeText(layout_name ?? "nothing", schedule_id === interruptId ? "interrupt" : by, override_id ?? schedule_id);
}

/** The first cause that `why` names. */
export function causeOfWhy({ reasons }: Why, { layoutIds }: Content): string {
  const first = reasons.find(({ verdict }) => verdict === "shows");
  if (first === undefined) return "nothing";
  const layout = namesOf(layoutIds).get(first.layout_id ?? "") ?? String(first.layout_id);
  return causeText(layout, first.layer, first.id);
}

function causeText(layout: string, layer: string, by: string | null): string {
  return `${layout} ${layer} ${by ?? "-"}`;
}

function namesOf(ids: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...ids].map(([name, id]) => [id, name]));
}
