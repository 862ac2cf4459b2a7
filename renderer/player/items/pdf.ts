import type { SceneItem } from "../../../src/protocol/scene.ts";
import { make } from "../dom.ts";
import { type Item, stillItem, type Surroundings } from "./item.ts";
export function createPdf(_item: Extract<SceneItem, { type: "pdf" }>, around: Surroundings): Item {
  return stillItem(make("div", "item"), around, () => {});
}
