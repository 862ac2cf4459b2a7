// Proof of play by cause on a real screen: the report has to match the framebuffer, by layout and item.
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PlayEventRecord, PlayReportRow } from "../../../src/protocol/device/play-events.ts";
import { temporaryFolder } from "../../support/folder.ts";
import type { Framebuffer, Rgb } from "../../support/browser/framebuffer.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { startPlayer, startService, type Api } from "../../support/programs/programs.ts";
import { startXvfb } from "../../support/browser/xvfb.ts";

const colors = {
  // The playlist that all layouts share, on the left.
  red: [220, 30, 40],
  green: [20, 160, 60],
  blue: [30, 60, 200],
  // One mark for each layout, on the right.
  first: [240, 240, 20],
  second: [20, 240, 240],
  third: [240, 20, 240],
  between: [250, 140, 10],
  above: [130, 20, 130],
} as const satisfies Record<string, Rgb>;
type Name = keyof typeof colors;
// The allowed error of a sum for each change of cause or layout.
const changeMs = 50;
// The last play before a reload of the page only counts until the page's last report.
const longestReportGapMs = 3_500;
// The longest delay between the page's frame and the screen, on a busy machine.
const longestLagMs = 1_000;
// When a schedule is followed by another one of the same layout, and when the test ends, from its start.
const edgeMs = 25_700;
const endMs = 38_000;
const shared = { red: 2_000, green: 1_500, blue: 2_500 } as const;
const layouts = ["first", "second", "third", "between", "above"] as const;
type Layout = (typeof layouts)[number];

/** An item seen in one half of the screen, and the layout whose mark was visible. Times in UTC ms. */
interface Seen {
  item: Name;
  layout: Layout;
  from: number;
  until: number;
}

/** The fields that the report groups by. */
type Booked = Pick<PlayEventRecord, "layer" | "schedule_id" | "override_id" | "layout_id" | "asset_id">;

/** Records what both halves show until `isOver`. */
async function watch(framebuffer: Framebuffer, seen: Seen[], isOver: () => boolean): Promise<void> {
  const open: (Seen | null)[] = [null, null];
  const names = Object.keys(colors) as Name[];
  const at = (x: number): Name | undefined => {
    const pixel = framebuffer.pixel(x, 540);
    return names.find((name) => colors[name].every((value, channel) => Math.abs(value - pixel[channel]!) <= 6));
  };
  for (;;) {
    const halves = [at(480), at(1_440)];
    const now = performance.timeOrigin + performance.now();
    const layout = layouts.find((each) => each === halves[1]);
    for (const [half, item] of halves.entries()) {
      const before = open[half];
      if (before?.item === item && before?.layout === layout) continue;
      if (before) seen.push({ ...before, until: now });
      open[half] = item === undefined || layout === undefined ? null : { item, layout, from: now, until: now };
    }
    if (isOver() && open.every((each) => each === null)) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Publishes layouts with the shared playlist in the left half and the layout's mark in the right half. */
async function publish(api: Api) {
  const assets = new Map<Name, string>();
  for (const [name, color] of Object.entries(colors)) assets.set(name as Name, await api.upload(`${name}.png`, await plainImage(color)));
  const image = (name: Name, duration_ms: number) => ({ type: "image", asset_id: assets.get(name), duration_ms, fit: "fill" });
  const loop = await api.ok("POST", "playlists", {
    name: "shared",
    items: (["red", "green", "blue"] as const).map((name) => image(name, shared[name])),
  });
  const size = { name: "L", width: 1920, height: 1080, background_color: "#000000" };
  const half = { top: 0, width: 960, height: 1080, z_index: 0 };
  const created = new Map<string, string>();
  for (const name of layouts) {
    const mark = await api.ok("POST", "playlists", { name, items: [image(name, 4_000)] });
    const zones = [
      { ...half, name: "left", left: 0, playlist_id: loop.id },
      { ...half, name: "right", left: 960, playlist_id: mark.id },
    ];
    created.set(name, (await api.ok("POST", "layouts", { ...size, zones })).id);
  }
  const nothing = { ...half, name: "left", left: 0, playlist_id: null };
  created.set("black", (await api.ok("POST", "layouts", { ...size, zones: [nothing] })).id);
  return { assets, layoutIds: created };
}

test("[POP26] the report agrees with a real screen through schedules, an override, an interrupt, a skip, a pause and a reload", async () => {
  await using folder = await temporaryFolder();
  await using xvfb = await startXvfb({ width: 1920, height: 1080 });
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const { assets, layoutIds } = await publish(api);
  const playerFolder = join(folder.path, "player");
  await using player = startPlayer(api.url, playerFolder, xvfb.display);
  // Without a default layout.
  const playerId = await api.pair(player);
  // Every layout has been downloaded by then. The loops count from 1970 and repeat together every 12 s, in whose fifth second no
  // item begins: at the edge between the two schedules, items are on the screen that have appeared before.
  const loopMs = 12_000;
  const t0 = Math.ceil((Date.now() + 8_000 + edgeMs - 5_000) / loopMs) * loopMs + 5_000 - edgeMs;
  const target = { type: "player", player_id: playerId };
  const schedule = async (layout: string, from: number, until: number, about: Record<string, unknown> = {}): Promise<string> => {
    const [starts_at, ends_at] = [from, until].map((after) => new Date(t0 + after).toISOString());
    const named = { name: "S", layout_id: layoutIds.get(layout), target, starts_at, ends_at };
    return (await api.ok("POST", "schedules", { ...named, ...about })).id;
  };
  const ids = {
    base: await schedule("first", 0, 8_000),
    // Begins and ends in the middle of items of the schedule below.
    higher: await schedule("second", 3_300, 6_100, { priority: 5 }),
    turns: await schedule("between", 8_000, 17_000, { priority: 5, interrupt: { share_percent: 40, play_ms: 2_500 } }),
    below: await schedule("third", 8_000, 18_500),
    black: await schedule("black", 18_500, 20_000),
    // The same layout in two consecutive schedules: nothing changes on the screen.
    again: await schedule("first", 20_000, edgeMs),
    onwards: await schedule("first", edgeMs, endMs),
  };
  const until = (after: number) => new Promise((resolve) => setTimeout(resolve, t0 + after - Date.now()));
  const seen: Seen[] = [];
  let isOver = false;
  const watching = watch(xvfb.framebuffer, seen, () => isOver);
  await until(21_500);
  const { id: override } = (await api.command(playerId, "override.set", { layout_id: layoutIds.get("above"), duration_ms: 3_000 })) as {
    id: string;
  };
  await until(27_500);
  expect(await api.command(playerId, "skip")).toMatchObject({ status: "succeeded" });
  await until(29_000);
  expect(await api.command(playerId, "pause", { duration_ms: 2_200 })).toMatchObject({ status: "succeeded" });
  await until(32_000);
  expect(await api.command(playerId, "reload")).toMatchObject({ status: "succeeded" });
  await until(endMs);
  isOver = true;
  await watching;
  const shown = player.lines.filter(({ msg }) => msg === "presented").length;
  await player.stop();

  // The next start reports all pending plays.
  await using _next = startPlayer(api.url, playerFolder);
  const reported = await eventually(async () => {
    const { data } = (await api.ok("GET", `play-events?player_id=${playerId}&limit=100`)) as unknown as { data: PlayEventRecord[] };
    return data.length > 0 && data.toReversed();
  });
  const plays = reported.filter(({ result, duration_ms }) => result !== "skipped" && (result !== "failed" || duration_ms > 0));
  // Every presented item has an event, and another one if its cause changed meanwhile.
  const edge = t0 + edgeMs;
  const divided = plays.filter(({ started_at }) => Date.parse(started_at) === edge).length;
  expect(divided).toBeGreaterThan(0);
  expect(plays.length - divided).toBe(shown);

  const nameOfAsset = new Map([...assets].map(([name, id]) => [id, name]));
  const nameOfLayout = new Map([...layoutIds].map(([name, id]) => [id, name]));
  /** The cause of a layout; by the time if several schedules have the same layout. */
  const causeOf = (layout: Layout, at: number): string => {
    if (layout === "above") return `override ${override}`;
    if (layout === "between") return `interrupt ${ids.turns}`;
    if (layout === "second") return `schedule ${ids.higher}`;
    if (layout === "third") return `schedule ${ids.below}`;
    return `schedule ${at < t0 + 10_000 ? ids.base : at < edge ? ids.again : ids.onwards}`;
  };
  // A span across that change is divided like the plays.
  const log = seen.flatMap((span) => {
    const isAcross = span.from < edge && span.until > edge && span.layout === "first";
    return isAcross
      ? [
          { ...span, until: edge },
          { ...span, from: edge },
        ]
      : [span];
  });
  const keyOf = ({ layer, schedule_id, override_id, layout_id, asset_id }: Booked) =>
    `${nameOfLayout.get(layout_id)} ${layer} ${override_id ?? schedule_id} ${nameOfAsset.get(asset_id!)}`;
  const truth = new Map<string, { ms: number; spans: number }>();
  for (const { item, layout, from, until: to } of log) {
    const key = `${layout} ${causeOf(layout, (from + to) / 2)} ${item}`;
    const sum = truth.get(key) ?? { ms: 0, spans: 0 };
    truth.set(key, { ms: sum.ms + to - from, spans: sum.spans + 1 });
  }
  const { data } = (await api.ok("GET", "reports/proof-of-play?group_by=layout,layer,schedule,override,asset,player")) as unknown as {
    data: PlayReportRow[];
  };
  const report = new Map(data.filter(({ plays: count }) => count > 0).map((row) => [keyOf(row as Booked), row]));
  const lost = new Set(plays.filter(({ reason }) => reason === "page-lost").map(keyOf));
  const apart = [...new Set([...truth.keys(), ...report.keys()])].map((key) => {
    const { ms = 0, spans = 0 } = truth.get(key) ?? {};
    return { key, seen: Math.round(ms), reported: report.get(key)?.duration_ms ?? 0, spans, isLost: lost.has(key) };
  });
  // The screen has to show each play that is long enough, under the mark of its layout. On a busy machine the screen lags behind
  // the page's frames. The lag is measured, because it limits the precision of sums.
  const lags = plays.flatMap((play) => {
    const from = Date.parse(play.started_at);
    const isOf = (span: Seen): boolean => span.item === nameOfAsset.get(play.asset_id!) && span.layout === nameOfLayout.get(play.layout_id);
    const own = log.filter((span) => isOf(span) && span.until > from && span.from < Date.parse(play.ended_at));
    if (play.duration_ms >= longestLagMs) expect(own, `${keyOf(play)} at ${from - t0}`).not.toEqual([]);
    // A layout's mark repeats, so the screen shows no change between its plays.
    return own.length === 0 || !(nameOfAsset.get(play.asset_id!)! in shared)
      ? []
      : [Math.min(...own.map((span) => Math.abs(span.from - from)))];
  });
  // No play starts with the empty layout, so its lag is that of the end of the last plays before it.
  const lastEnd = (layout: Layout): number =>
    Math.max(...plays.flatMap((play) => (nameOfLayout.get(play.layout_id) === layout ? [Date.parse(play.ended_at)] : [])));
  const lastSeen = (layout: Layout): number => Math.max(...log.flatMap((span) => (span.layout === layout ? [span.until] : [])));
  const lagMs = Math.max(...lags, Math.abs(lastEnd("third") - lastSeen("third")));
  expect(lagMs).toBeLessThan(longestLagMs);
  const wrong = apart.filter(({ seen: ms, reported: counted, spans, isLost }) => {
    const allowed = changeMs * (spans + 1) + 2 * lagMs;
    return counted - ms > allowed || ms - counted > allowed + (isLost ? longestReportGapMs : 0);
  });
  expect(wrong, JSON.stringify({ lagMs, apart }, null, 1)).toEqual([]);
  expect(lost.size).toBeGreaterThan(0);
  for (const cause of [ids.base, ids.higher, ids.turns, ids.below, ids.again, ids.onwards, override]) {
    expect(
      [...truth.keys()].some((key) => key.includes(cause)),
      cause,
    ).toBe(true);
  }
  expect(plays.some(({ schedule_id }) => schedule_id === ids.black)).toBe(false);
  expect(data.every(({ player_id }) => player_id === playerId)).toBe(true);
}, 300_000);
