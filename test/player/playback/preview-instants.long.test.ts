// Previews, forecasts and players agree: at random instants of random schedules they show the same items. PREVIEW_SEED changes them.
import { expect, test } from "vitest";
import { PreviewPlayback } from "../../../renderer/console/preview/playback.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { ReadyState } from "../../../src/player/content/ready-content.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import { pagePlanAt } from "../../../src/playback/page-plan.ts";
import { showsAnything } from "../../../src/playback/playback.ts";
import { ScheduleFollower } from "../../../src/player/playback/schedule-follower.ts";
import { PlaylistItem } from "../../../src/protocol/content/items.ts";
import { loopEpochMs, type DesiredLayout } from "../../../src/protocol/device/desired-state.ts";
import { PlayCommand } from "../../../src/protocol/device/play-commands.ts";
import type { Stage } from "../../../src/protocol/scene.ts";
import { forecast } from "../../../src/schedule/forecast.ts";
import type { Intervention } from "../../../src/schedule/interventions.ts";
import { DesiredSchedule } from "../../../src/schedule/validate-schedule.ts";
import { schedule } from "../../schedule/schedules.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { randomContent, type RandomAct, type RandomContent } from "../../support/random-content.ts";
import { seededRandom } from "../../support/random.ts";
import { assetOf, desiredOf, newId, readyOf } from "../../support/states.ts";

const firstDay = Date.UTC(2026, 10, 23);
const deviceTimeZone = "Europe/Lisbon";
// Before it is nothing that matters: a changed loop takes over when the item on the screen ends, and what is done by hand is done later.
const runMs = 1_000_000;
const images = ["red", "green", "blue", "white"].map((name) => assetOf(Buffer.from(name)));
const video = assetOf(Buffer.from("video"), { mime_type: "video/mp4", duration_ms: 7_000 });
const pdf = assetOf(Buffer.from("pdf"), { mime_type: "application/pdf", page_count: 3 });
const assets = [...images, video, pdf];
const library = {
  images: images.map(({ id }) => id),
  videos: [video.id],
  pdfs: [pdf.id],
  calendarId: newId("cal"),
  feedUrl: "https://example.com/news.xml",
};
const noFeed = () => ({ title: "", entries: [], trouble: null });

/** The content as a player has it that has all files. */
function readyFrom(content: RandomContent): ReadyState {
  const playlists = content.playlists.map((items) => ({
    id: newId("pls"),
    items: items.map((item) => PlaylistItem.parse({ id: newId("itm"), ...item })),
  }));
  const layouts = content.layouts.map((zones): DesiredLayout => {
    const place = { top: 0, width: 100, height: 100, z_index: 0 };
    return {
      id: newId("lay"),
      width: 200,
      height: 100,
      background_color: "#000000",
      zones: zones.map((playlist, index) => ({
        ...place,
        id: newId("zon"),
        name: `z${index}`,
        left: index * 100,
        playlist_id: playlists[playlist]!.id,
      })),
    };
  });
  const schedules = content.schedules.map(({ layout, fields: { starts_at, ends_at, ...more } }) =>
    // A schedule that players leave out would prove nothing.
    DesiredSchedule.parse(schedule(layouts[layout]!.id, String(starts_at), String(ends_at), more)),
  );
  const base = desiredOf([], assets);
  const player = { ...base.player, timezone: content.timezone, tags: content.tags, variables: content.variables };
  const layout = content.assigned === null ? null : layouts[content.assigned]!;
  const calendars = [{ id: library.calendarId, dates: content.dates }];
  return readyOf({ ...base, player, layout, layouts, playlists, schedules, calendars });
}

/** The plays on a stage: which item each zone shows, since when and until when. */
function playsOn(stage: Stage | null) {
  return stage?.zones.map(({ id, slots: [slot] }) => [id, slot?.item.item_id, slot?.starts_at, slot?.ends_at, slot?.offset_ms]) ?? null;
}

/** What the preview shows at the instant, after another one that must not matter. */
function previewAt(content: ReadyState, interventions: readonly Intervention[], before: number, instant: number): Stage | null {
  const preview = new PreviewPlayback({ content, context: { deviceTimeZone, interventions } }, noFeed);
  preview.sceneAt(before);
  const { screen } = preview.sceneAt(instant).scene;
  return screen.is === "stage" ? screen.stage : null;
}

/** What a player shows at the instant that has run before it, has planned at every change as it does, and got commands. */
async function playerAt(ready: ReadyState, { instant, acts }: RandomContent) {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(instant - runMs);
  const store = await InterventionStore.open(folder.path, silentLog);
  const follower = new ScheduleFollower(store, clock, silentLog, deviceTimeZone);
  const coming = [...acts];
  for (;;) {
    const now = clock.now();
    while (coming[0] !== undefined && instant - coming[0].beforeMs === now) await follower.apply(commandOf(coming.shift()!, ready));
    const plan = pagePlanAt(follower.follow(ready, now), now, deviceTimeZone);
    if (now === instant) return { stage: plan.stage, interventions: store.interventions.value };
    const next = coming[0] === undefined ? instant : instant - coming[0].beforeMs;
    clock.advance(Math.min(plan.changesAt, next) - now);
  }
}

function commandOf({ type, layout, args }: RandomAct, { desired }: ReadyState) {
  const shown = layout === undefined ? {} : { layout_id: desired.layouts[layout]!.id };
  return { ...PlayCommand.parse({ type, args: { ...args, ...shown } }), id: newId("cmd") };
}

/**
 * The zones of the layout that is forecast for the instant, and whether it has nothing to show then. Of an override that shows a file
 * alone, the player makes a layout of one zone. @param from where the forecast begins
 */
function forecastAt(ready: ReadyState, from: number, instant: number, interventions: readonly Intervention[]) {
  const stretches = forecast(ready, from, instant + 1, { deviceTimeZone, interventions });
  const { layoutId, by, isEmpty } = stretches.find(({ until }) => until > instant)!;
  const override = interventions.find((each) => each.is === "override" && each.id === by);
  const layout = ready.desired.layouts.find(({ id }) => id === layoutId);
  const zones = override !== undefined && layout === undefined ? [`zon_${layoutId!.slice(4)}`] : layout?.zones.map(({ id }) => id);
  return { by, zones: zones ?? null, isEmpty, isOverride: override !== undefined };
}

test("[PRV2] at a hundred random instants of random schedules, preview, forecast and player agree, also on whether anything is shown", async () => {
  const random = seededRandom(Number(process.env["PREVIEW_SEED"] ?? 20));
  const seen = { overrides: 0, pauses: 0, interrupts: 0, schedules: 0, assigned: 0, empty: 0, emptyLayouts: 0, kinds: new Set<string>() };
  for (let round = 0; round < 100; round += 1) {
    const content = randomContent(random, library, firstDay);
    const { instant } = content;
    const ready = readyFrom(content);
    const { stage, interventions } = await playerAt(ready, content);
    const shown = previewAt(ready, interventions, instant + Math.floor((random() - 0.5) * 86_400_000), instant);
    const isEmpty = stage === null || !showsAnything(stage);
    expect([round, playsOn(shown)]).toEqual([round, isEmpty ? null : playsOn(stage)]);
    const forecastFrom = (from: number) => forecastAt(ready, from, instant, interventions);
    const { by, isOverride, ...planned } = forecastFrom(instant);
    expect([round, planned]).toEqual([round, { zones: stage?.zones.map(({ id }) => id) ?? null, isEmpty }]);
    // As a part of a longer forecast.
    expect([round, forecastFrom(instant - Math.floor(random() * 86_400_000))]).toEqual([round, { by, isOverride, ...planned }]);

    const isInterrupt = ready.desired.schedules.some(({ id, interrupt }) => id === by && interrupt !== null);
    seen[isOverride ? "overrides" : isInterrupt ? "interrupts" : by === "default" ? "assigned" : "schedules"] += 1;
    seen.pauses += interventions.some((each) => each.is === "pause" && each.until > instant) ? 1 : 0;
    seen.empty += isEmpty ? 1 : 0;
    seen.emptyLayouts += isEmpty && stage !== null ? 1 : 0;
    for (const { slots } of shown?.zones ?? []) if (slots[0] !== undefined) seen.kinds.add(slots[0].item.type);
  }
  // What never plays proves nothing.
  const { kinds, ...counts } = seen;
  expect([...kinds].toSorted()).toEqual(["clock", "feed", "image", "pdf", "qr", "text", "ticker", "video"]);
  expect(Object.entries(counts).filter(([, count]) => count < 3)).toEqual([]);
});

/** A layout with two equal zones whose loop is 40 s long, and 30 s after lunch. */
function changedLoop(more: Pick<RandomContent, "instant" | "acts"> & Partial<RandomContent>): RandomContent {
  const [first, second, third] = library.images;
  const duration_ms = 20_000;
  const only = (value: string) => ({ conditions: [{ type: "variable", name: "menu", op: "equals", value }] });
  const items = [
    { type: "image", asset_id: first, duration_ms },
    { type: "image", asset_id: second, duration_ms, ...only("lunch") },
    { type: "image", asset_id: third, duration_ms: 10_000, ...only("dinner") },
  ];
  const base = { timezone: "UTC", tags: [], variables: { menu: "lunch" }, dates: [], layouts: [[0, 0]], assigned: 0, schedules: [] };
  return { ...base, playlists: [items], ...more };
}

// The first item begins then; in the shorter loop the third one would play eight seconds later.
const firstItemAt = loopEpochMs + 80_000 + 1_000_000 * 120_000;
const toDinner = { type: "variables.set", args: { variables: { menu: "dinner" } } } as const;

test("[OVR12] a pause holds an item whose loop has changed, on the player and, however long it is, in the preview", async () => {
  const instant = firstItemAt + 308_000;
  const acts: RandomAct[] = [
    { beforeMs: 303_000, ...toDinner },
    { beforeMs: 300_000, type: "pause", args: { duration_ms: 600_000 } },
  ];
  const content = changedLoop({ instant, acts });
  const ready = readyFrom(content);
  const { stage, interventions } = await playerAt(ready, content);
  expect(stage!.zones[0]!.slots[0]!.item.asset_id).toBe(library.images[0]);
  expect(playsOn(previewAt(ready, interventions, instant + 86_400_000, instant))).toEqual(playsOn(stage));
});
