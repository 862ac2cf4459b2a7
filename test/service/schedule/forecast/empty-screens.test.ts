// Screens on which a layout is due that can show nothing: the timeline, the forecast and the effect of changes say that they are empty.
import { expect, test } from "vitest";
import { Forecast } from "../../../../src/protocol/scheduling/forecast.ts";
import { ScheduleEffect, Timeline } from "../../../../src/protocol/scheduling/timeline.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { picture, TestService } from "../../harness.ts";
import { done, layoutOf, text } from "../../publishing/content.ts";

// A Friday.
const now = Date.UTC(2026, 9, 23, 12);
const hourMs = 3_600_000;
const later = (hours: number) => new Date(now + hours * hourMs).toISOString();
const noon = { dayparts: [{ from: "14:00", until: "15:00" }] };

async function open(folder: string, names: readonly string[]) {
  const api = await TestService.start(folder, { clock: new FakeClock(now) });
  const ids: string[] = [];
  for (const name of names) {
    const { playerId } = await api.pairDevice(name);
    await done(api, "PATCH", `players/${playerId}`, { timezone: "UTC" });
    ids.push(playerId);
  }
  const layoutWith = async (name: string, items: readonly object[]): Promise<string> => {
    const playlist = await done(api, "POST", "playlists", { name, items });
    return (await done(api, "POST", "layouts", layoutOf(name, playlist.id))).id;
  };
  const show = (place: number, layoutId: string, about = {}) =>
    done(api, "PATCH", `players/${ids[place]}`, { layout_id: layoutId, ...about });
  const timeline = async () => Timeline.parse(await done(api, "GET", `timeline?to=${later(24)}`));
  /** Of each screen by name, hours from now, the layout and why it is empty. */
  const plans = async () => {
    const { data, plans: all } = await timeline();
    const rows = data.map(({ name, plan }) => {
      const { stretches } = all[plan]!;
      return [name, stretches.map((each) => [(Date.parse(each.from) - now) / hourMs, each.layout_name, each.empty_because])];
    });
    return Object.fromEntries(rows) as Record<string, unknown>;
  };
  const effect = async (change: object) =>
    ScheduleEffect.parse(await done(api, "POST", "schedules/effect", { changes: [{ change }], to: later(24) }));
  return { api, ids, layoutWith, show, timeline, plans, effect, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

test("[TLN9] a layout that can show nothing is a gap of the timeline that says so, from and to its instants, as in the forecast", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["Without zones", "Empty playlist", "Lunch", "Background"]);
  const { api, ids, layoutWith, show, plans, timeline } = setup;
  const bare = await done(api, "POST", "layouts", { name: "Bare", width: 100, height: 100, background_color: "#ff0000" });
  const { id: file } = (await api.upload(await picture())).body;
  const background = { name: "Picture", width: 100, height: 100, background_asset_id: file };
  const pictured = await done(api, "POST", "layouts", background);
  await show(0, bare.id);
  await show(1, await layoutWith("None", []));
  await show(2, await layoutWith("Menu", [{ ...text("Soup"), ...noon }]));
  await show(3, pictured.id);
  expect(await plans()).toEqual({
    "Without zones": [[0, "Bare", "no-items"]],
    "Empty playlist": [[0, "None", "no-items"]],
    Lunch: [
      [0, "Menu", "no-items"],
      [2, "Menu", null],
      [3, "Menu", "no-items"],
    ],
    Background: [[0, "Picture", null]],
  });
  // Empty screens look the same, whatever is due.
  const contents = (await timeline()).plans.flatMap(({ stretches }) =>
    stretches.flatMap((each) => (each.empty_because ? each.content : [])),
  );
  expect([contents.length, new Set(contents).size]).toEqual([4, 1]);
  const forecast = Forecast.parse(await done(api, "GET", `players/${ids[2]}/forecast?to=${later(24)}`));
  expect(forecast.stretches.map(({ by, empty_because }) => [by, empty_because])).toEqual([
    ["default", "no-items"],
    ["default", null],
    ["default", "no-items"],
  ]);
});

test("[TLN10] screens that differ in a tag, a variable or a place in a wall on which their items depend have plans of their own", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["Bar", "Hall", "Guests", "Left", "Right"]);
  const { api, layoutWith, show, plans } = setup;
  const conditions = (condition: object) => ({ ...text("a"), conditions: [condition] });
  const tagged = await layoutWith("Tagged", [conditions({ type: "tag", tag: "bar", is_present: true })]);
  const counted = await layoutWith("Counted", [conditions({ type: "variable", name: "guests", op: "at_least", value: 10 })]);
  const { id: playlist } = await done(api, "POST", "playlists", { name: "Half", items: [text("b")] });
  const zone = { name: "left", left: 0, top: 0, width: 40, height: 100, playlist_id: playlist };
  const half = await done(api, "POST", "layouts", { name: "Half", width: 100, height: 100, zones: [zone] });
  await show(0, tagged, { tags: ["bar"] });
  await show(1, tagged);
  await show(2, counted, { variables: { guests: 9 } });
  const wall = { wall_width: 100, wall_height: 100, left: 0, top: 0, width: 50, height: 100 };
  await show(3, half.id, { wall });
  await show(4, half.id, { wall: { ...wall, left: 50 } });
  expect(await plans()).toEqual({
    Bar: [[0, "Tagged", null]],
    Hall: [[0, "Tagged", "no-items"]],
    Guests: [[0, "Counted", "no-items"]],
    Left: [[0, "Half", null]],
    Right: [[0, "Half", "no-items"]],
  });
  await show(2, counted, { variables: { guests: 10 } });
  expect((await plans())["Guests"]).toEqual([[0, "Counted", null]]);
});

test("[TLN11] the effect of a schedule knows that its layout shows nothing; a screen that is empty before and after it does not change", async () => {
  await using folder = await temporaryFolder();
  await using setup = await open(folder.path, ["Hall", "Lobby"]);
  const { layoutWith, show, effect } = setup;
  await show(0, await layoutWith("Usual", [text("a")]));
  const menu = await layoutWith("Menu", [{ ...text("Soup"), ...noon }]);
  const times = { starts_at: "2026-10-23T13:00", ends_at: "2026-10-23T16:00" };
  const change = { name: "Menu", layout_id: menu, target: { type: "team" }, ...times };
  const planned = await effect(change);
  const shown = planned.screens.map(({ name, first_at, before, after }) => {
    return [name, first_at, before.layout_name, before.empty_because, after.layout_name, after.empty_because];
  });
  expect(shown).toEqual([
    ["Hall", later(1), "Usual", null, "Menu", "no-items"],
    ["Lobby", later(2), null, "no-schedule", "Menu", null],
  ]);
  expect(planned.gaps.map(({ name, from, to, empty_because }) => [name, from, to, empty_because])).toEqual([
    ["Hall", later(1), later(2), "no-items"],
    ["Hall", later(3), later(4), "no-items"],
  ]);
  const nothing = await effect({ ...change, layout_id: await layoutWith("None", []), target: { type: "team" } });
  expect([nothing.screens.map(({ name }) => name), nothing.gap_count]).toEqual([["Hall"], 1]);
});
