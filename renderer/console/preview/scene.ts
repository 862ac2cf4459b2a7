// Prepares a scene for a preview: files by the ticket, sound off, and pictures in place of what runs on screens only. Pure.
import type { Scene, SceneItem, SceneZone, Stage } from "../../../src/protocol/scene.ts";

type CaptureItem = Extract<SceneItem, { type: "capture" }>;
/** What a preview cannot run: it would need the network, a login or the player's own server. */
export type LiveItem = Extract<SceneItem, { type: "web" | "html" | "stream" }>;

export interface ScenePreparation {
  /** The path below which the ticket opens files, without a slash at its end. */
  files: string;
  isMuted: boolean;
  /** The picture of an item that cannot run, and what is said about it. */
  captureOf: (item: LiveItem, zone: SceneZone, stage: Stage) => Pick<CaptureItem, "src" | "crop" | "label">;
}

/** The scene as the page of a preview draws it. Names of plays and stages stay the same. */
export function preparedScene(scene: Scene, preparation: ScenePreparation): Scene {
  const { screen, upcoming = [] } = scene;
  return {
    ...scene,
    screen: screen.is === "stage" ? { is: "stage", stage: preparedStage(screen.stage, preparation) } : screen,
    upcoming: upcoming.map((each) => ({ ...each, stage: preparedStage(each.stage, preparation) })),
  };
}

function preparedStage(stage: Stage, preparation: ScenePreparation): Stage {
  const { background_src: background } = stage;
  return {
    ...stage,
    ...(background === undefined ? {} : { background_src: preparation.files + background }),
    zones: stage.zones.map((zone) => ({
      ...zone,
      slots: zone.slots.map((slot) => ({ ...slot, item: preparedItem(slot.item, zone, stage, preparation) })),
    })),
  };
}

function preparedItem(item: SceneItem, zone: SceneZone, stage: Stage, { files, isMuted, captureOf }: ScenePreparation): SceneItem {
  switch (item.type) {
    case "image":
    case "pdf":
      return { ...item, src: files + item.src };
    case "video":
      return { ...item, src: files + item.src, muted: item.muted || isMuted };
    case "audio": {
      const artwork_src = item.artwork_src === null ? null : files + item.artwork_src;
      return { ...item, src: files + item.src, artwork_src, volume: isMuted ? 0 : item.volume };
    }
    case "web":
    case "html":
    case "stream":
      return { type: "capture", item_id: item.item_id, asset_id: item.asset_id, ...captureOf(item, zone, stage) };
    case "text":
    case "ticker":
    case "clock":
    case "qr":
    case "feed":
    case "capture":
      return item;
  }
}
