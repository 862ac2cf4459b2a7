// Previews, forecasts and players agree: at random instants of random schedules they show the same items. PREVIEW_SEED changes them.
import { expect, test } from "vitest";
import { PreviewPlayback } from "../../../renderer/console/preview/playback.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { ReadyState } from "../../../src/player/content/ready-content.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import { pagePlanAt } from "../../../src/player/playback/page-plan.ts";
import { showsAnything } from "../../../src/player/playback/playback.ts";
import { ScheduleFollower } from "../../../src/player/playback/schedule-follower.ts";
import type { DesiredLayout } from "../../../src/protocol/device/desired-state.ts";
import type { ItemCondition } from "../../../src/protocol/scheduling/conditions.ts";
import type { Stage } from "../../../src/protocol/scene.ts";
import { forecast } from "../../../src/schedule/forecast.ts";
import { schedule } from "../../schedule/schedules.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { seededRandom } from "../../support/random.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../../support/states.ts";

const firstDay = Date.UTC(2026, 10, 23);
const dayMs = 86_400_000;
const assets = ["red", "green", "blue", "white"].map((name) => assetOf(Buffer.from(name)));
const calendar = { id: newId("cal"), dates: ["2026-11-24", "2026-11-26"] };
const noFeed = () => ({ title: "", entries: [], trouble: null });

/** Layouts with items that are valid at some times and on some players only, or without any, and schedules that overlap. */
function randomContent(random: () => number): ReadyState {
  const pick = (count: number): number => Math.floor(random() * count);
  const time = (hours: number): string => `${String(hours).padStart(2, "0")}:00`;
  const conditions: ItemCondition[] = [
    { type: "tag", tag: "bar", is_present: random() < 0.5 },
    { type: "variable", name: "guests", op: "at_least", value: pick(10) },
    { type: "calendar", calendar_id: calendar.id, is_listed: random() < 0.5 },
  ];
  const limits = [{}, {}, { max_plays_per_hour: 1 + pick(3) }, { max_plays_per_day: 1 + pick(3) }];
  const playlists = Array.from({ length: 4 }, () => ({
    id: newId("pls"),
    items: Array.from({ length: pick(4) }, () => {
      const item = { ...imageItem(assets[pick(assets.length)]!, 1_000 * (2 + pick(40))), ...limits[pick(limits.length)]! };
      const dayparts = [{ from: time(pick(12)), until: time(12 + pick(12)) }];
      const valid_until = new Date(firstDay + pick(4 * dayMs)).toISOString();
      const timed = random() < 0.5 ? { ...item, dayparts } : random() < 0.3 ? { ...item, valid_until } : item;
      return random() < 0.4 ? { ...timed, conditions: [conditions[pick(conditions.length)]!] } : timed;
    }),
  }));
  const layouts = Array.from({ length: 4 }, (): DesiredLayout => {
    const zones = Array.from({ length: pick(3) }, (_, index) => ({
      id: newId("zon"),
      name: `z${index}`,
      left: index * 100,
      top: 0,
      width: 100,
      height: 100,
      z_index: 0,
      playlist_id: playlists[pick(playlists.length)]!.id,
    }));
    const background = random() < 0.1 ? { background_asset_id: assets[0]!.id } : {};
    return { id: newId("lay"), width: 200, height: 100, background_color: "#ff0000", ...background, zones };
  });
  const schedules = Array.from({ length: 2 + pick(4) }, () => {
    const from = firstDay + pick(3) * dayMs + pick(20) * 3_600_000;
    const wall = (at: number): string => new Date(at).toISOString().slice(0, 19);
    const interrupt = random() < 0.25 ? { share_percent: 10 + pick(40), play_ms: 1_000 * (5 + pick(60)) } : null;
    return schedule(layouts[pick(layouts.length)]!.id, wall(from), wall(from + (1 + pick(8)) * 3_600_000), {
      rrule: random() < 0.5 ? "FREQ=DAILY" : null,
      priority: pick(3),
      interrupt,
    });
  });
  const base = desiredOf([], assets);
  const player = { ...base.player, tags: random() < 0.5 ? ["bar"] : [], variables: { guests: 5 } };
  const layout = random() < 0.8 ? layouts[0]! : null;
  return readyOf({ ...base, player, layout, layouts, playlists, schedules, calendars: [calendar] });
}

/** The plays on a stage: which item each zone shows, since when and until when. */
function playsOn(stage: Stage | null) {
  return stage?.zones.map(({ id, slots: [slot] }) => [id, slot?.item.item_id, slot?.starts_at, slot?.ends_at, slot?.offset_ms]) ?? null;
}

/** What a player shows at `instant` that has run since `since`, and has planned at every change as it does. */
async function playerAt(ready: ReadyState, since: number, instant: number): Promise<Stage | null> {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(since);
  const follower = new ScheduleFollower(await InterventionStore.open(folder.path, silentLog), clock, silentLog, "UTC");
  for (;;) {
    const now = clock.now();
    const plan = pagePlanAt(follower.follow(ready, now), now, "UTC");
    if (now === instant) return plan.stage;
    clock.advance(Math.min(plan.changesAt, instant) - now);
  }
}

test("[PRV2] at a hundred random instants of random schedules, preview, forecast and player agree, also on whether anything is shown", async () => {
  const random = seededRandom(Number(process.env["PREVIEW_SEED"] ?? 20));
  let [empties, emptyLayouts] = [0, 0];
  for (let round = 0; round < 100; round += 1) {
    const ready = randomContent(random);
    const preview = new PreviewPlayback({ content: ready, context: { deviceTimeZone: "UTC", interventions: [] } }, noFeed);
    const instant = firstDay + Math.floor(random() * 4 * dayMs);
    // Other instants before it must not matter.
    preview.sceneAt(instant + Math.floor((random() - 0.5) * dayMs));
    const { screen } = preview.sceneAt(instant).scene;
    const stage = await playerAt(ready, instant - 1_800_000, instant);
    const shown = screen.is === "stage" ? screen.stage : null;
    const isEmpty = stage === null || !showsAnything(stage);
    expect([round, playsOn(shown)]).toEqual([round, isEmpty ? null : playsOn(stage)]);
    // As of that instant, and as a part of a longer forecast.
    for (const from of [instant, instant - Math.floor(random() * dayMs)]) {
      const stretch = forecast(ready, from, instant + 1).find(({ until }) => until > instant)!;
      const layout = ready.desired.layouts.find(({ id }) => id === stretch.layoutId);
      expect([round, stretch.isEmpty]).toEqual([round, isEmpty]);
      expect([round, stage?.zones.map(({ id }) => id)]).toEqual([round, layout?.zones.map(({ id }) => id)]);
    }
    empties += isEmpty ? 1 : 0;
    emptyLayouts += isEmpty && stage !== null ? 1 : 0;
  }
  // Enough of each kind, or the test would say little.
  expect([empties < 70, emptyLayouts >= 10]).toEqual([true, true]);
});
