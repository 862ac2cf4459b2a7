// The order in which files are downloaded, by the schedule.
import { expect, test } from "vitest";
import { dueOrder, filesToFetch } from "../../../src/player/content/due-order.ts";
import type { DesiredAsset, DesiredLayout, DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { defaultContext } from "../../../src/schedule/playable-content.ts";
import { schedule } from "../../schedule/schedules.ts";
import { assetOf, desiredOf, imageItem, newId } from "../../support/states.ts";

const names = new Map<string, string>();

/** An asset whose name a test can read in the order. */
function asset(name: string): DesiredAsset {
  const made = assetOf(Buffer.from(name));
  names.set(made.sha256, name);
  return made;
}

interface Content {
  assets: DesiredAsset[];
  layout: DesiredLayout;
  playlist: DesiredState["playlists"][number];
}

/** A layout of one zone whose playlist shows each of these files for ten seconds. */
function contentOf(...files: string[]): Content {
  const assets = files.map(asset);
  const { layout, playlists } = desiredOf(
    assets.map((each) => imageItem(each, 10_000)),
    assets,
  );
  return { assets, layout: layout!, playlist: playlists[0]! };
}

/** A state in UTC whose lists are in an order of no meaning: all contents, and schedules of some. */
function stateOf(contents: Content[], schedules: Record<string, unknown>[], fallback: Content, more: Partial<DesiredState["player"]> = {}) {
  const desired = desiredOf([], [...contents, fallback].flatMap(({ assets }) => assets).toReversed());
  return {
    ...desired,
    player: { ...desired.player, timezone: "UTC", ...more },
    layout: fallback.layout,
    layouts: contents.map(({ layout }) => layout),
    playlists: [...contents, fallback].map(({ playlist }) => playlist),
    schedules,
  };
}

function namesOf(hashes: readonly string[]): (string | undefined)[] {
  return hashes.map((sha256) => names.get(sha256));
}

const at = (time: string): number => Date.parse(`2026-11-23T${time}Z`);

/** Breakfast until eleven, lunch until three, dinner tomorrow, and content that no schedule shows. */
function restaurant() {
  const [breakfast, lunch, dinner] = [contentOf("tea", "egg", "toast"), contentOf("soup", "rice"), contentOf("wine")];
  const [unused, fallback] = [contentOf("fish"), contentOf("logo")];
  const safe = asset("safe");
  const schedules = [
    schedule(dinner.layout.id, "2026-11-24T18:00:00Z", "2026-11-24T22:00:00Z"),
    schedule(lunch.layout.id, "2026-11-23T11:00:00Z", "2026-11-23T15:00:00Z"),
    schedule(breakfast.layout.id, "2026-11-23T06:00:00Z", "2026-11-23T11:00:00Z"),
  ];
  const desired = stateOf([unused, dinner, lunch, breakfast], schedules, fallback, { safe_asset_id: safe.id });
  return { ...desired, assets: [...desired.assets, safe] };
}

test.each([
  ["07:00:00.000", "tea egg toast safe soup rice logo wine fish"],
  ["07:00:10.000", "egg toast tea safe soup rice logo wine fish"],
  ["07:00:09.999", "tea egg toast safe soup rice logo wine fish"],
  // Breakfast ends before the toast is due: it comes with the rest.
  ["10:59:49.999", "egg toast safe soup rice logo wine fish tea"],
  ["10:59:59.999", "toast safe soup rice logo wine fish tea egg"],
  ["11:00:00.000", "soup rice safe logo wine fish tea egg toast"],
  ["15:00:00.000", "logo safe wine fish soup rice tea egg toast"],
])("[DLS3] at %s the files come in the order in which the screen needs them", (time, order) => {
  const desired = restaurant();
  // Loops count from an epoch at midnight, and a loop of thirty seconds begins at each full minute.
  expect(namesOf(dueOrder(desired, at(time))).join(" ")).toBe(order);
});

test("[DLS3] the zones of a layout are interleaved by when their items play, after its background", () => {
  const [left, right, fallback] = [contentOf("one", "three"), contentOf("two", "four"), contentOf("logo")];
  const ground = asset("ground");
  const [zone] = right.layout.zones;
  const layout = { ...left.layout, background_asset_id: ground.id, zones: [...left.layout.zones, zone!] };
  const desired = stateOf([{ ...left, layout }, right], [schedule(layout.id, "2026-11-01T00:00:00Z", null)], fallback);
  const order = dueOrder({ ...desired, assets: [...desired.assets, ground] }, at("07:00:00"));
  expect(namesOf(order).join(" ")).toBe("ground one two three four logo");
});

test("[DLS3] content that an override shows comes first", () => {
  const desired = restaurant();
  const fish = desired.layouts[0]!;
  const override = {
    id: newId("cmd"),
    is: "override",
    at: at("06:59:00"),
    until: null,
    level: "normal",
    show: { layoutId: fish.id },
  } as const;
  const order = dueOrder(desired, at("07:00:00"), { ...defaultContext, interventions: [override] });
  expect(namesOf(order)[0]).toBe("fish");
});

test("[DLS3] each file is named once, also those that nothing shows and those that two assets share", () => {
  const desired = restaurant();
  const twin = { ...desired.assets[0]!, id: newId("ast") };
  const order = dueOrder({ ...desired, assets: [twin, ...desired.assets, asset("nowhere")] }, at("07:00:00"));
  expect(order.length).toBe(new Set(order).size);
  expect(namesOf(order).at(-1)).toBe("nowhere");
  expect(order.length).toBe(desired.assets.length + 1);
});

test("[DLS3] the order of 10,000 schedules with an interrupt, whose programs change every few minutes, is found quickly", () => {
  const contents = Array.from({ length: 100 }, (_, index) => contentOf(`many ${index}`));
  const schedules = Array.from({ length: 10_000 }, (_, index) => {
    const layout = contents[index % contents.length]!.layout.id;
    const [day, hour] = [1 + (index % 28), index % 23].map((value) => String(value).padStart(2, "0"));
    return schedule(layout, `2026-01-${day}T${hour}:00:00`, `2026-01-${day}T${hour}:30:00`, { rrule: "FREQ=DAILY" });
  });
  const interrupt = schedule(contents[7]!.layout.id, "2026-01-01T00:00:00", null, { interrupt: { share_percent: 10 }, priority: 100 });
  const desired = stateOf(contents, [...schedules, interrupt], contentOf("logo"));
  // The time of the CPU: tests run on time that would be idle.
  const before = process.threadCpuUsage();
  expect(dueOrder(desired, at("07:00:00")).length).toBe(101);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(10_000);
});

test("[DLS4] files that the content on the screen has lost come before all others, and only they are urgent", () => {
  const desired = restaurant();
  const [before, kept] = [asset("before"), asset("kept")];
  const onScreen = desiredOf(
    [before, kept].map((each) => imageItem(each, 10_000)),
    [before, kept],
  );
  const files = new Map([[kept.id, kept.sha256]]);
  const missing = desired.assets.filter(({ sha256 }) => ["egg", "soup", "tea"].includes(names.get(sha256)!));
  const fetched = filesToFetch(desired, missing, { desired: onScreen, files }, at("07:00:00"), defaultContext);
  expect(fetched.map(({ asset: { sha256 }, isUrgent }) => [names.get(sha256), isUrgent])).toEqual([
    ["before", true],
    ["tea", false],
    ["egg", false],
    ["soup", false],
  ]);
});

test.each<[string, Parameters<typeof filesToFetch>[2]]>([
  ["no content is ready", null],
  ["nothing was assigned before", { desired: { ...desiredOf([], []), layout: null }, files: new Map() }],
  ["all files of the content are lost", { desired: desiredOf([imageItem(asset("gone"), 1_000)], [asset("gone")]), files: new Map() }],
])("[DLS4] if %s, all files are urgent", (_why, onScreen) => {
  const desired = restaurant();
  const fetched = filesToFetch(desired, desired.assets, onScreen, at("07:00:00"), defaultContext);
  expect(new Set(fetched.map(({ isUrgent }) => isUrgent))).toEqual(new Set([true]));
  expect(fetched.length).toBeGreaterThanOrEqual(desired.assets.length);
});
