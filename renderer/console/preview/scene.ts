// Prepares a scene for a preview: files by the ticket, sound off, and pictures in place of items that run on screens only. Pure.
import type { Scene, SceneItem, SceneZone, Stage } from "../../../src/protocol/scene.ts";
import { kindOf, type ItemKind, type PreviewFiles } from "../items/item-kinds.ts";

type CaptureItem = Extract<SceneItem, { type: "capture" }>;

export interface ScenePreparation extends PreviewFiles {
  /** The picture of an item that cannot run in a preview, and a caption. */
  captureOf: (
    item: SceneItem,
    captions: NonNullable<ItemKind["capture"]>,
    zone: SceneZone,
    stage: Stage,
  ) => Pick<CaptureItem, "src" | "crop" | "label">;
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

function preparedItem(item: SceneItem, zone: SceneZone, stage: Stage, { captureOf, ...files }: ScenePreparation): SceneItem {
  if (item.type === "capture") return item;
  const kind = kindOf(item.type);
  if (kind.capture !== undefined)
    return { type: "capture", item_id: item.item_id, asset_id: item.asset_id, ...captureOf(item, kind.capture, zone, stage) };
  return kind.preview?.(item, files) ?? item;
}
