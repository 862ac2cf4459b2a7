// Makes a layout that shows some files one after the other on the whole screen: the shortest way from pictures to a schedule.
import { client } from "../../data/client.ts";
import type { UploadedAsset } from "../../data/uploads.ts";
import { itemOfAsset } from "../../items/new-item.ts";

const [long, short] = [1920, 1080];

/** The new layout, to name it and to undo it. */
export interface NewLayout {
  id: string;
  name: string;
  /** How many files it shows. */
  count: number;
  takeBack: () => Promise<void>;
}

/** @param name of the layout and its playlist. @returns null if none of the files can be shown */
export async function makeLayoutOf(assets: readonly UploadedAsset[], name: string): Promise<NewLayout | null> {
  const items = assets.flatMap((asset) => itemOfAsset(asset) ?? []);
  const [first] = assets;
  if (items.length === 0 || first === undefined) return null;
  const { data: playlist } = await client.post("/api/v1/playlists", { body: { name, items } });
  const isPortrait = (first.height ?? 0) > (first.width ?? 0);
  const size = isPortrait ? { width: short, height: long } : { width: long, height: short };
  const zones = [{ name, left: 0, top: 0, ...size, z_index: 0, playlist_id: playlist.id }];
  const { data: layout } = await client.post("/api/v1/layouts", { body: { name, ...size, zones } });
  const takeBack = async (): Promise<void> => {
    await client.delete("/api/v1/layouts/{id}", { params: { path: { id: layout.id } } });
    await client.delete("/api/v1/playlists/{id}", { params: { path: { id: playlist.id } } });
  };
  return { id: layout.id, name, count: items.length, takeBack };
}
