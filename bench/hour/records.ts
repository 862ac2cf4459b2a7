// Brings what was seen, told, forecast and named by `why` into the same words: layout, layer and what brought it.
import type { Forecast, Why } from "../../src/protocol/scheduling/forecast.ts";
import type { PlayEventRecord } from "../../src/protocol/device/play-events.ts";
import type { Run } from "./compare.ts";
import type { Content } from "./content.ts";
import type { LayoutName, ObservedSpan } from "./screen.ts";

/** What the bench itself ordered, by which a picture's cause is known without asking anybody. Instants in UTC ms. */
export interface PlannedCauses {
  schedules: { id: string; layout: LayoutName; from: number; until: number }[];
  interruptId: string;
  overrides: { id: string; layout: LayoutName; from: number; until: number }[];
}

/** A forecast, and when it was asked for and had been answered. */
export interface ForecastSample {
  at: number;
  stretches: Forecast["stretches"];
}

// A picture may stay so long after its window before it counts as one without a cause.
const slackMs = 1_000;

/** The cause of a layout on the screen at an instant; null where nothing was ordered that would bring it. */
function causeSeen({ schedules, interruptId, overrides }: PlannedCauses, layout: LayoutName, at: number): string | null {
  if (layout === "home") return wordsOf(layout, "default", null);
  if (layout === "between") return wordsOf(layout, "interrupt", interruptId);
  const isOn = (each: PlannedCauses["overrides"][number]): boolean =>
    each.layout === layout && each.from - slackMs <= at && at <= each.until + slackMs;
  const override = overrides.find(isOn);
  if (override !== undefined) return wordsOf(layout, "override", override.id);
  const schedule = schedules.find(isOn);
  return schedule === undefined ? null : wordsOf(layout, "schedule", schedule.id);
}

/** What was seen, each with its cause. Blank and foreign pictures, and zones of which nothing can be shown, are left out. */
export function observedRuns(spans: readonly ObservedSpan[], ordered: PlannedCauses): Run[] {
  return spans.flatMap(({ zone, sight, layout, from, until, blur }) => {
    if (layout === null || sight === "blank" || sight === "foreign" || sight === "plate") return [];
    const cause = causeSeen(ordered, layout, (from + until) / 2) ?? `${layout} without a cause`;
    return [{ zone, cause, item: sight, from, until, blur }];
  });
}

/** Plays that were on the screen between two instants, cut there. */
export function reportedRuns(events: readonly PlayEventRecord[], { layoutIds, assetIds }: Content, begin: number, end: number): Run[] {
  const layouts = namesOf(layoutIds);
  const assets = namesOf(assetIds);
  return events.flatMap(({ asset_id, layout_id, layer, schedule_id, override_id, started_at, ended_at, duration_ms }) => {
    const from = Math.max(begin, Date.parse(started_at));
    const until = Math.min(end, Date.parse(ended_at));
    if (duration_ms === 0 || until <= from) return [];
    // Only the web page has no asset.
    const item = asset_id === null ? "web" : (assets.get(asset_id) ?? asset_id);
    const zone = layoutIds.has(item as LayoutName) ? "right" : "left";
    return [
      { zone, cause: wordsOf(layouts.get(layout_id) ?? layout_id, layer ?? "unknown", override_id ?? schedule_id), item, from, until },
    ];
  });
}

/** What the newest forecast before an instant named for it; undefined where none reaches it. */
export function causeForecast(asked: readonly ForecastSample[], at: number, interruptId: string): string | undefined {
  const newest = asked.findLast((each) => each.at <= at);
  const stretch = newest?.stretches.find(({ from, to }) => Date.parse(from) <= at && at < Date.parse(to));
  if (stretch === undefined) return undefined;
  const { by, layout_name, schedule_id, override_id } = stretch;
  return wordsOf(layout_name ?? "nothing", schedule_id === interruptId ? "interrupt" : by, override_id ?? schedule_id);
}

/** What `why` names first. */
export function causeOfWhy({ reasons }: Why, { layoutIds }: Content): string {
  const first = reasons.find(({ verdict }) => verdict === "shows");
  if (first === undefined) return "nothing";
  const layout = namesOf(layoutIds).get(first.layout_id ?? "") ?? String(first.layout_id);
  return wordsOf(layout, first.layer, first.id);
}

function wordsOf(layout: string, layer: string, by: string | null): string {
  return `${layout} ${layer} ${by ?? "-"}`;
}

function namesOf(ids: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...ids].map(([name, id]) => [id, name]));
}
