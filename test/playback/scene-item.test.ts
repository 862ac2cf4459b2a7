// How items of the desired state become items of the page. Pure.
import { expect, test } from "vitest";
import { stageAt, applyProgram } from "../../src/playback/playback.ts";
import { streamsOf, type FeedContent } from "../../src/playback/scene-item.ts";
import { programAt } from "../../src/schedule/program.ts";
import { loopEpochMs } from "../../src/protocol/device/desired-state.ts";
import { feedsOf, itemDurationMs, NewPlaylistItem, PlaylistItem } from "../../src/protocol/content/items.ts";
import { SceneItem } from "../../src/protocol/scene.ts";
import { assetOf, desiredOf, newId, readyOf } from "../support/states.ts";

const video = assetOf(Buffer.from("video"), { mime_type: "video/mp4", duration_ms: 60_000 });
const song = assetOf(Buffer.from("song"), { mime_type: "audio/mpeg", duration_ms: 180_000 });
const cover = assetOf(Buffer.from("cover"));
const paper = assetOf(Buffer.from("paper"), { mime_type: "application/pdf" });
const make = (about: object): PlaylistItem => PlaylistItem.parse({ id: newId("itm"), ...about });
const url = "https://news.example/feed.xml";

function slotsOf(items: PlaylistItem[], feedContent?: (url: string) => FeedContent) {
  const ready = readyOf(desiredOf(items, [video, song, cover, paper]));
  const playback = applyProgram(null, programAt(ready, loopEpochMs).program, loopEpochMs);
  return stageAt(playback, loopEpochMs, "UTC", feedContent)!.stage.zones[0]!.slots;
}

test("[ITM34] items of every kind reach the page with all of their fields: files as paths, defaults set, and no other fields", () => {
  const items = [
    make({ type: "video", asset_id: video.id, start_ms: 1_000 }),
    make({ type: "audio", asset_id: song.id, artwork_asset_id: cover.id }),
    make({ type: "pdf", asset_id: paper.id }),
    make({ type: "ticker", text: "News", dayparts: [{}], conditions: [{ type: "tag", tag: "closed", is_present: false }] }),
    make({ type: "qr", data: "https://example.com" }),
    make({ type: "clock", face: "analog" }),
    make({ type: "feed", url }),
    make({ type: "stream", url: "https://cam.example/live.m3u8", protocol: "hls" }),
  ];
  for (const item of items) {
    const [slot] = slotsOf([item]);
    expect(SceneItem.parse(slot!.item)).toEqual(slot!.item);
    expect(JSON.stringify(slot!.item)).not.toContain('"id"');
  }
  expect(slotsOf([items[1]!])[0]!.item).toMatchObject({
    src: `/media/${song.sha256}`,
    artwork_src: `/media/${cover.sha256}`,
    asset_id: song.id,
  });
});

test("[ITM35] an item without a duration stays as long as its content: the trimmed part, the pages, the entries", () => {
  const ms = (about: object, asset = video) => itemDurationMs(make({ asset_id: asset.id, ...about }), asset);
  expect(ms({ type: "video" })).toBe(60_000);
  expect(ms({ type: "video", start_ms: 5_000 })).toBe(55_000);
  expect(ms({ type: "video", start_ms: 5_000, end_ms: 9_000 })).toBe(4_000);
  expect(ms({ type: "pdf", page_duration_ms: 4_000, first_page: 2, last_page: 6 }, paper)).toBe(20_000);
  const counted = { ...paper, page_count: 5 };
  expect(ms({ type: "pdf", page_duration_ms: 4_000 }, counted)).toBe(20_000);
  expect(ms({ type: "pdf", page_duration_ms: 4_000, first_page: 4, last_page: 9 }, counted)).toBe(8_000);
  expect(itemDurationMs(make({ type: "feed", url, max_entries: 5, entry_duration_ms: 6_000 }), null)).toBe(30_000);
  expect(itemDurationMs(make({ type: "ticker", text: "x" }), null)).toBe(10_000);
  expect(itemDurationMs(make({ type: "feed", url, duration_ms: 1_000 }), null)).toBe(1_000);
});

test("[ITM36] new entries of a feed are shown with its next play, not during the current one", () => {
  const items = [make({ type: "feed", url, max_entries: 2 })];
  const feed = (...titles: string[]): ((url: string) => FeedContent) => {
    return () => ({ title: "Post", entries: titles.map((title) => ({ title, summary: "", published_at: null })), trouble: null });
  };
  const [one] = slotsOf(items, feed("One", "Two", "Three"));
  const [two] = slotsOf(items, feed("Four"));
  const [none] = slotsOf(items, feed());
  expect(one!.key).toBe(two!.key);
  expect(none!.key).not.toBe(one!.key);
  expect(one!.item).toMatchObject({ entries: [{ title: "One" }, { title: "Two" }] });
});

test("[ITM37] feeds and streams of the playlists are found by URL; a stream's parts may come from its declared origins", () => {
  const stream = make({ type: "stream", protocol: "hls", url: "https://cam.example/a.m3u8", origins: ["https://cdn.example/x/"] });
  const desired = desiredOf([make({ type: "feed", url, refresh_interval_ms: 90_000 }), stream], []);
  expect(feedsOf(desired.playlists)).toEqual([{ url, refresh_interval_ms: 90_000 }]);
  const [slot] = slotsOf([stream]);
  const key = (slot!.item as Extract<SceneItem, { type: "stream" }>).src.replace("/stream/", "");
  expect(streamsOf(desired.playlists).get(key)?.origins).toEqual(new Set(["https://cam.example", "https://cdn.example"]));
});

test.each([
  ["white on yellow", { data: "x", color: "#ffffff", background_color: "#ffff00" }, "background_color", /contrast of 1\.1.*cameras need 3/],
  ["blue on blue", { data: "x", color: "#345", background_color: "#234" }, "background_color", /contrast/],
  [
    "too long for its correction",
    { data: "ü".repeat(700), error_correction: "H" },
    "data",
    /1400 bytes.*H holds 1273.*lower error_correction/,
  ],
])("[PIX13] a QR code that no camera can read, %s, is rejected with a pointer to the field", (_what, about, field, message) => {
  const { error } = NewPlaylistItem.safeParse({ type: "qr", ...about });
  expect(error?.issues.map(({ path, message: said }) => [path[0], said])).toEqual([[field, expect.stringMatching(message)]]);
});

test("[PIX13] QR codes that cameras can read are accepted, even light on dark", () => {
  for (const look of [{}, { color: "#203040", background_color: "#f0e0d0" }, { color: "#ffffff", background_color: "#000000" }]) {
    expect(NewPlaylistItem.safeParse({ type: "qr", data: "ü".repeat(600), error_correction: "H", ...look }).success).toBe(true);
  }
});

test("[PIX10] a video of one or two frames stays as long as an image unless it has a duration; audio stays for its own duration", () => {
  const blink = { ...video, duration_ms: 33 };
  expect(itemDurationMs(make({ type: "video", asset_id: blink.id }), blink)).toBe(10_000);
  expect(itemDurationMs(make({ type: "video", asset_id: blink.id, duration_ms: 500 }), blink)).toBe(500);
  expect(itemDurationMs(make({ type: "audio", asset_id: blink.id }), blink)).toBe(33);
});

test.each([
  [{ type: "feed", url: "file:///etc/passwd" }, "url"],
  [{ type: "feed", url: "http://user:secret@news.example/" }, "url"],
  [{ type: "stream", protocol: "hls", url: "rtsp://cam/1" }, "url"],
  [{ type: "video", asset_id: video.id, start_ms: 5_000, end_ms: 5_000 }, "end_ms"],
  [{ type: "pdf", asset_id: paper.id, first_page: 3, last_page: 2 }, "last_page"],
  [{ type: "audio", asset_id: song.id, volume: 2 }, "volume"],
  [{ type: "ticker", text: "x", speed_px_s: 0 }, "speed_px_s"],
  [{ type: "qr", data: "" }, "data"],
  [{ type: "clock", locale: "english please" }, "locale"],
])("[ITM38] the item %j is rejected with the field %s", (about, field) => {
  const parsed = NewPlaylistItem.safeParse(about);
  expect(parsed.error?.issues.map(({ path }) => path[0])).toContain(field);
});
