// The settings of a new screen after it was paired: tags, orientation, time zone and its first content.
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { uploadFiles } from "../../data/uploads.ts";
import { texts } from "../../i18n/texts.ts";
import { itemOfAsset } from "../../items/new-item.ts";

const text = texts("pair");

type Player = Schemas["Player"];
export type Orientation = Player["orientation"];
export type Asset = Schemas["Asset"];

/** The first content of a screen; null: none yet. */
export type FirstContent = { is: "asset"; asset: () => Promise<Asset> } | { is: "layout"; id: string } | null;

/** The choices of a person for a new screen. */
export interface Plan {
  tags: readonly string[];
  orientation: Orientation;
  /** Null: as the screen reports it. */
  timeZone: string | null;
  content: FirstContent;
  /** Makes a second try find the layout that the first one has created. */
  key: string;
}

/** True if there is nothing to do. */
export function isEmptyPlan({ tags, orientation, timeZone, content }: Plan): boolean {
  return tags.length === 0 && orientation === "landscape" && timeZone === null && content === null;
}

/** Carries out the plan for a player that was just paired. It can be repeated. */
export async function setUp(player: Player, plan: Plan): Promise<void> {
  const { tags, orientation, timeZone, content } = plan;
  const layoutId = content === null ? null : content.is === "layout" ? content.id : await createLayout(player, await content.asset(), plan);
  await client.patch("/api/v1/players/{id}", {
    params: { path: { id: player.id } },
    body: {
      ...(tags.length === 0 ? {} : { tags: [...tags] }),
      ...(orientation === "landscape" ? {} : { orientation }),
      ...(timeZone === null ? {} : { timezone: timeZone }),
      ...(layoutId === null ? {} : { layout_id: layoutId }),
    },
  });
}

/** A layout of one playlist with one item: more can be added to it later. */
async function createLayout({ name, resolution }: Player, asset: Asset, { orientation, key }: Plan): Promise<string> {
  const once = (step: string) => ({ header: { "Idempotency-Key": `${key}-${step}` } });
  // The service says why a file whose bytes have not arrived cannot be shown.
  const item = itemOfAsset(asset) ?? { type: "image" as const, asset_id: asset.id };
  const { data: playlist } = await client.post("/api/v1/playlists", { params: once("playlist"), body: { name, items: [item] } });
  const { width, height } = resolution ?? { width: 1920, height: 1080 };
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  const size = orientation.startsWith("portrait") ? { width: short, height: long } : { width: long, height: short };
  const zones = [{ name, left: 0, top: 0, ...size, z_index: 0, playlist_id: playlist.id }];
  const { data: layout } = await client.post("/api/v1/layouts", { params: once("layout"), body: { name, ...size, zones } });
  return layout.id;
}

/** Starts to upload a file into the library. @returns a function that waits for its end, and begins anew after a failure. */
export function uploadFile(file: File): () => Promise<Asset> {
  const upload = async (): Promise<Asset> => {
    const [asset] = await uploadFiles([file]);
    // The tray of uploads says why, and has the button to send it again.
    if (asset === undefined) throw new Error(text("uploadRefused", { name: file.name }));
    return asset;
  };
  let running: Promise<Asset> | null = upload();
  return async () => {
    running ??= upload();
    try {
      return await running;
    } catch (error) {
      running = null;
      throw error;
    }
  };
}
