// Keeps which items are on screen, as the page reports them.
import type { PresentedItem } from "../protocol/device/heartbeat.ts";
import type { FromPage } from "../protocol/page-messages.ts";
import type { Stage } from "../protocol/scene.ts";

export class PresentedItems {
  readonly #byZone = new Map<string, PresentedItem>();

  handleMessage(message: FromPage): void {
    if (message.type === "fallback") this.#byZone.delete(message.zone_id);
    if (message.type !== "presented") return;
    const { zone_id, item_id, asset_id, at } = message;
    this.#byZone.set(zone_id, { zone_id, item_id, asset_id, presented_at: new Date(at).toISOString() });
  }

  /** The items on screen in the zones of `stage`. */
  on(stage: Stage | null): PresentedItem[] {
    const zones = new Set(stage?.zones.map(({ id }) => id));
    return [...this.#byZone.values()].filter(({ zone_id }) => zones.has(zone_id));
  }
}
