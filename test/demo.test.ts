// The demo's content: its files are small, the service accepts its request bodies, and its zones fill the screen.
import { open, stat } from "node:fs/promises";
import { extname } from "node:path";
import { ALL_FORMATS, FilePathSource, Input } from "mediabunny";
import sharp from "sharp";
import { expect, test } from "vitest";
import { demoContent, type DemoItem, type DemoMedia } from "../demo/content.ts";
import { NewLayout, NewPlaylist } from "../src/protocol/operator/resources.ts";

const fileLimit = 500_000;
const allFilesLimit = 1_500_000;
const videoTypes = [".mp4"];

const { media, playlists, layout } = demoContent();
const assetIds = new Map(media.map((file, index) => [file.name, fakeId("ast", index)]));
const playlistIds = new Map(playlists.map((playlist, index) => [playlist.key, fakeId("pls", index)]));

test("[DEM1] every file of the demo exists and is small: 500 kB each, 1.5 MB together", async () => {
  const sizes = await Promise.all(media.map(async (file) => (await stat(file.path)).size));
  for (const [index, size] of sizes.entries()) {
    expect(size, media[index]?.name).toBeGreaterThan(0);
    expect(size, media[index]?.name).toBeLessThanOrEqual(fileLimit);
  }
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(allFilesLimit);
});

test("[DEM2] every name is used once, every file is shown and every reference is valid", () => {
  expect(assetIds.size).toBe(media.length);
  expect(playlistIds.size).toBe(playlists.length);
  const shown = playlists.flatMap((playlist) => playlist.items.flatMap((item) => ("asset" in item ? [item.asset] : [])));
  expect(new Set(shown)).toEqual(new Set(assetIds.keys()));
  expect(new Set(layout.zones.map((zone) => zone.playlist))).toEqual(new Set(playlistIds.keys()));
});

test("[DEM3] with ids for names, the service's schemas accept every playlist and the layout", () => {
  for (const { name, items } of playlists) {
    const parsed = NewPlaylist.safeParse({ name, items: items.map(withAssetId) });
    expect(parsed.error?.issues, name).toBeUndefined();
  }
  const zones = layout.zones.map(({ playlist, ...zone }) => ({
    ...zone,
    playlist_id: playlistIds.get(playlist),
  }));
  expect(NewLayout.safeParse({ ...layout, zones }).error?.issues).toBeUndefined();
});

test("[DEM4] the zones fill the layout: none reaches outside, none overlaps another", () => {
  const { width = 0, height = 0, zones } = layout;
  for (const zone of zones) {
    expect(zone.left, zone.name).toBeGreaterThanOrEqual(0);
    expect(zone.top, zone.name).toBeGreaterThanOrEqual(0);
    expect(zone.left + zone.width, zone.name).toBeLessThanOrEqual(width);
    expect(zone.top + zone.height, zone.name).toBeLessThanOrEqual(height);
  }
  for (const [index, a] of zones.entries()) {
    for (const b of zones.slice(index + 1)) {
      const apart = a.left + a.width <= b.left || b.left + b.width <= a.left || a.top + a.height <= b.top || b.top + b.height <= a.top;
      expect(apart, `${a.name} and ${b.name}`).toBe(true);
    }
  }
  expect(zones.reduce((sum, zone) => sum + zone.width * zone.height, 0)).toBe(width * height);
});

test("[DEM5] pictures and video have exactly the size of the zone that shows them", async () => {
  for (const zone of layout.zones) {
    const items = playlists.find((playlist) => playlist.key === zone.playlist)?.items ?? [];
    for (const item of items) {
      if (!("asset" in item)) continue;
      expect(await sizeOf(fileNamed(item.asset)), item.asset).toEqual({
        width: zone.width,
        height: zone.height,
      });
    }
  }
});

test("[DEM6] the video has six to eight seconds of H.264 without sound, its index before its frames, and the stated length", async () => {
  const videos = playlists.flatMap((playlist) => playlist.items).filter((item) => item.type === "video");
  expect(videos).toHaveLength(1);
  for (const item of videos) {
    expect(item.duration_ms).toBeUndefined();
    const { path } = fileNamed(item.asset);
    const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
    const track = await input.getPrimaryVideoTrack();
    expect(await track?.getCodec()).toBe("avc");
    expect(await input.getPrimaryAudioTrack()).toBeNull();
    const seconds = await input.computeDuration();
    expect(seconds).toBeGreaterThanOrEqual(6);
    expect(seconds).toBeLessThanOrEqual(8);
    const head = await firstBytes(path, 64);
    expect(head.indexOf("moov")).toBeGreaterThan(0);
    input.dispose();
  }
});

function fakeId(prefix: string, index: number): string {
  return `${prefix}_${String(index).padStart(26, "0")}`;
}

function withAssetId(item: DemoItem): object {
  if (!("asset" in item)) return item;
  const { asset, ...rest } = item;
  return { ...rest, asset_id: assetIds.get(asset) };
}

function fileNamed(name: string): DemoMedia {
  const file = media.find((candidate) => candidate.name === name);
  if (!file) throw new Error(`no media named ${name}`);
  return file;
}

async function sizeOf({ path }: DemoMedia): Promise<{ width: number | undefined; height: number | undefined }> {
  if (!videoTypes.includes(extname(path))) {
    const { width, height } = await sharp(path).metadata();
    return { width, height };
  }
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  const size = { width: await track?.getDisplayWidth(), height: await track?.getDisplayHeight() };
  input.dispose();
  return size;
}

async function firstBytes(path: string, count: number): Promise<Buffer> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(count), 0, count, 0);
  return buffer;
}
