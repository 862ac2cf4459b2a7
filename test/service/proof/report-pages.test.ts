// Reports that people read: counts of plays page by page and by tag, uptime, and what was planned beside what was shown.
import { expect, test } from "vitest";
import { createIds } from "../../../src/service/store/ids.ts";
import type { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { heartbeat, TestService, type Device } from "../harness.ts";

const makeId = createIds({ now: () => Date.UTC(2026, 10, 21), monotonic: () => 0, elapsed: () => 0, wait: async () => undefined });
const hourMs = 3_600_000;

function play(startedAt: number, durationMs: number, more: Partial<PlayEvent> = {}): PlayEvent {
  return {
    id: makeId("evt"),
    layout_id: makeId("lay"),
    zone_id: makeId("zon"),
    schedule_id: null,
    item_id: makeId("itm"),
    asset_id: null,
    sha256: null,
    revision: "r1",
    result: "completed",
    reason: null,
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(startedAt + durationMs).toISOString(),
    duration_ms: durationMs,
    started_monotonic_ms: 0,
    ended_monotonic_ms: durationMs,
    boot_id: "b1",
    clock_offset_ms: 0,
    clock_error_ms: 3,
    ...more,
  };
}

const send = async (device: Device, events: readonly PlayEvent[]): Promise<void> =>
  expect((await device.call("POST", "play-events", { events })).body.accepted).toBe(events.length);

test("[CRP1] plays are counted by tag and by any other group, sorted by a figure, in pages of one moment", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const now = clock.now();
  const devices: Device[] = [];
  for (const [index, tags] of [["hall", "north"], ["hall"], []].entries()) {
    const device = await api.pairDevice(`Screen ${index}`);
    await api.call("PATCH", `players/${device.playerId}`, { tags });
    const events = Array.from({ length: index + 1 }, (_, count) => play(now - hourMs + count * 10_000, 8_000));
    await send(device, [...events, play(now - 2 * hourMs, 0, { result: "skipped", reason: "not-ready" })]);
    devices.push(device);
  }
  const read = async (query: string) => {
    const { status, body } = await api.call("GET", `reports/play-counts?${query}`);
    expect([query, status, JSON.stringify(body)]).toEqual([query, 200, expect.any(String)]);
    return body;
  };
  const byTag = await read("group_by=tag&sort=key");
  expect(byTag.data.map(({ tag, plays, skipped }: Record<string, unknown>) => [tag, plays, skipped])).toEqual([
    ["hall", 3, 2],
    ["north", 1, 1],
    [null, 3, 1],
  ]);
  // Only the screens with a tag.
  const tagged = await read("group_by=player&tag=hall&sort=plays");
  expect(tagged.data.map(({ player_name: name, plays }: Record<string, unknown>) => [name, plays])).toEqual([
    ["Screen 1", 2],
    ["Screen 0", 1],
  ]);
  // Plays that arrive between the pages do not move rows from one page to the other.
  const first = await read("group_by=player&limit=2");
  expect(first.data.map(({ player_name: name }: Record<string, unknown>) => name)).toEqual(["Screen 2", "Screen 1"]);
  await send(
    devices[0]!,
    Array.from({ length: 9 }, (_, index) => play(now - index * 10_000, 1_000)),
  );
  const second = await read(`group_by=player&limit=2&cursor=${first.next_cursor}`);
  expect([second.data.map(({ player_name: name, plays }: Record<string, unknown>) => [name, plays]), second.row_count]).toEqual([
    [["Screen 0", 1]],
    3,
  ]);
  expect([first.from, first.to, second.next_cursor]).toEqual([second.from, second.to, null]);
  expect((await api.call("GET", `reports/play-counts?group_by=day&cursor=${first.next_cursor}`)).status).toBe(422);
  expect((await api.call("GET", "reports/play-counts?cursor=x")).status).toBe(422);
  // The same tags in the report of all rows, and the names in the file.
  const whole = await api.call("GET", "reports/proof-of-play?group_by=tag,player&format=csv");
  expect(String(whole.body)).toContain(`hall,${devices[1]!.playerId},Screen 1,2,2`);
  const { layout } = await api.showPicture(devices[0]!);
  await send(devices[0]!, [play(now - 1_000, 1_000, { layout_id: layout.id })]);
  const csv = await api.call("GET", "reports/play-counts?group_by=layout&format=csv&limit=1");
  expect(String(csv.body)).toMatch(/^layout_id,layout_name,plays,/);
  expect(String(csv.body)).toContain(`${layout.id},${layout.name},1,`);
});

test("[CRP2] the uptime of screens is reported by day, screen and tag, since each was paired, with the least reachable first", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const [steady, rare] = [await api.pairDevice("Steady"), await api.pairDevice("Rare")];
  await api.call("PATCH", `players/${rare.playerId}`, { tags: ["far"] });
  for (let minute = 0; minute < 52; minute += 1) {
    clock.advance(60_000);
    for (const device of minute % 4 === 0 ? [steady, rare] : [steady]) {
      expect((await device.call("POST", "heartbeat", heartbeat({ uptime_ms: minute * 60_000 }))).status).toBe(200);
    }
  }
  const { body } = await api.call("GET", "reports/uptime?group_by=player");
  expect(body.data.map(({ player_name: name, minutes_up: up }: Record<string, unknown>) => [name, up])).toEqual([
    ["Rare", 13],
    ["Steady", 52],
  ]);
  expect(body.data[1].minutes_total - 52).toBeLessThanOrEqual(1);
  const paired = await api.pairDevice("Screen 10");
  expect((await api.call("PATCH", `players/${paired.playerId}`, { tags: ["far"] })).status).toBe(200);
  await api.pairDevice("Screen 9");
  const inOrder = (await api.call("GET", "reports/uptime?group_by=player&sort=key")).body.data;
  expect(inOrder.map(({ player_name: name }: { player_name: string }) => name)).toEqual(["Rare", "Screen 9", "Screen 10", "Steady"]);
  const byTag = (await api.call("GET", "reports/uptime?group_by=tag&sort=key")).body.data;
  expect(byTag).toMatchObject([
    { tag: "far", players: 2, minutes_up: 13 },
    { tag: null, players: 2, minutes_up: 52 },
  ]);
  const days = (await api.call("GET", "reports/uptime?group_by=day,player&player_id=" + rare.playerId)).body.data;
  // The days before it was paired are no rows.
  expect(days.length).toBeLessThanOrEqual(2);
  expect(days.reduce((sum: number, day: { minutes_up: number }) => sum + day.minutes_up, 0)).toBe(13);
  const csv = await api.call("GET", "reports/uptime?group_by=player&format=csv");
  expect(String(csv.body).split("\r\n")[0]).toBe(
    "player_id,player_name,players,minutes_up,minutes_total,display_off_minutes,uptime_percent",
  );
  expect((await api.call("GET", "reports/uptime?from=2020-01-01T00:00:00Z")).status).toBe(422);
});

test("[CRP3] what was planned stands beside what was shown, and the report says for how much of it the content was the same then", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice("Lobby");
  const { layout } = await api.showPicture(device);
  const player = (await api.call("GET", `players/${device.playerId}`)).body;
  const from = clock.now();
  const beat = async (revision: string | null): Promise<void> => {
    device.access = (await device.renew()).body;
    const content = { ...heartbeat().content, applied_revision: revision };
    expect((await device.call("POST", "heartbeat", heartbeat({ content }))).status).toBe(200);
  };
  await beat("an-earlier-one");
  clock.advance(hourMs);
  await beat(player.revision ?? (await api.call("GET", `players/${device.playerId}/forecast`)).body.revision);
  clock.advance(hourMs);
  device.access = (await device.renew()).body;
  const zone = layout.zones[0].id;
  // Half an hour of two was shown; a second zone of the same layout at the same time counts once.
  await send(device, [
    play(from + hourMs, hourMs / 2, { layout_id: layout.id, zone_id: zone }),
    play(from + hourMs, hourMs / 4, { layout_id: layout.id, zone_id: makeId("zon") }),
  ]);
  const span = `from=${new Date(from).toISOString()}&to=${new Date(clock.now()).toISOString()}`;
  const read = async (group: string) => (await api.call("GET", `reports/planned-and-shown?${span}&group_by=${group}`)).body;
  const { data } = await read("layout");
  expect(data).toMatchObject([
    { layout_id: layout.id, layout_name: layout.name, shown_ms: hourMs / 2, unplanned_ms: 0, planned_as_then_ms: hourMs },
  ]);
  // The layout was assigned a moment after the pairing.
  expect(data[0].planned_ms).toBeGreaterThan(1.9 * hourMs);
  expect(data[0].missing_ms).toBe(data[0].planned_ms - hourMs / 2);
  // While the display is off by its opening hours, nothing is planned.
  const closed = { open: [], exceptions: [] };
  expect((await api.call("PATCH", `players/${device.playerId}`, { display_hours: closed })).status).toBe(200);
  expect((await read("player")).data).toMatchObject([
    { player_name: "Lobby", planned_ms: 0, missing_ms: 0, shown_ms: hourMs / 2, unplanned_ms: hourMs / 2 },
  ]);
});

test("[CRP11] what was shown at another time, or by an override, does not make up for what was planned and missing, by day and in sum", async () => {
  await using folder = await temporaryFolder();
  // Noon in Auckland, where 5 April has 25 hours.
  const clock = new FakeClock(Date.UTC(2026, 3, 3, 23));
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice("Lobby");
  const { layout } = await api.showPicture(device);
  const from = clock.now();
  clock.advance(60 * hourMs);
  device.access = (await device.renew()).body;
  const to = clock.now();
  const zone_id = layout.zones[0].id;
  const shown = { layout_id: layout.id, zone_id, layer: "default" as const };
  const override = { ...shown, layer: "override" as const, override_id: makeId("cmd") };
  await send(device, [
    // An hour and a half over two days, and one of twice the time that fits in its hour.
    play(from + 11.5 * hourMs, 1.5 * hourMs, shown),
    play(from + 20 * hourMs, hourMs, shown),
    play(from + 20 * hourMs, hourMs, shown),
    play(from + 30 * hourMs, 2 * hourMs, override),
  ]);
  const span = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}&timezone=Pacific/Auckland`;
  const read = async (group: string) => (await api.call("GET", `reports/planned-and-shown?${span}&group_by=${group}`)).body.data;
  const [sum] = await read("layout");
  expect(sum).toMatchObject({ shown_ms: 5.5 * hourMs, unplanned_ms: 3 * hourMs });
  expect(sum.missing_ms).toBe(sum.planned_ms - 2.5 * hourMs);
  const days = await read("day,layout&sort=key");
  expect(days.map(({ day, shown_ms }: Record<string, unknown>) => [day, shown_ms])).toEqual([
    ["2026-04-04", 0.5 * hourMs],
    ["2026-04-05", 5 * hourMs],
    ["2026-04-06", 0],
  ]);
  for (const figure of ["planned_ms", "shown_ms", "missing_ms", "unplanned_ms"]) {
    expect([figure, days.reduce((all: number, day: Record<string, number>) => all + day[figure]!, 0)]).toEqual([figure, sum[figure]]);
  }
});
