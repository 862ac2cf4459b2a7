// Publishes the demo's pictures, playlists and layout, and assigns the layout to a player without one.
import { readFile } from "node:fs/promises";
import { demoContent, type DemoItem } from "../../../demo/content.ts";
import type { Log } from "../../base/log.ts";
import type { ServiceClient } from "../service-client.ts";

/** Assigns the demo's layout to a player without a layout. Does nothing on a service that already has layouts. */
export async function publishDemo(client: ServiceClient, playerId: string, log: Log, signal: AbortSignal): Promise<void> {
  const player = await client.player(playerId);
  if (player.layout_id !== null || (await client.hasLayouts())) return;
  const { media, playlists, layout } = demoContent();
  const assets = new Map<string, string>();
  for (const [index, { name, path }] of media.entries()) {
    signal.throwIfAborted();
    log.info({ file: name, of: `${index + 1}/${media.length}` }, "uploading");
    assets.set(name, (await client.upload(name, await readFile(path))).id);
  }
  const playlistIds = new Map<string, string>();
  for (const { key, name, items } of playlists) {
    const body = { name, items: items.map((item) => withAsset(item, assets)) };
    playlistIds.set(key, (await client.createPlaylist(body)).id);
  }
  const zones = layout.zones.map(({ playlist, ...zone }) => ({ ...zone, playlist_id: playlistIds.get(playlist) }));
  const { id } = await client.createLayout({ ...layout, zones });
  await client.assignLayout(playerId, id);
}

function withAsset(item: DemoItem, assets: ReadonlyMap<string, string>): object {
  if (!("asset" in item)) return item;
  const { asset, ...rest } = item;
  return { ...rest, asset_id: assets.get(asset) };
}
