// Reports of a zone to the player: failed, flawed and presented items.
import type { Slot } from "../../../src/protocol/scene.ts";
import { type Flaw, ItemFailure } from "../items/item.ts";
import type { PageContext } from "../page.ts";
import type { MountedItem } from "./zone-layers.ts";

const maxDetailLength = 2_000;

/**
 * Records a failure and reports it: each cause once, but every failure on screen.
 * @param onScreen the item if it was on screen; null if it was still hidden.
 */
export function reportFailure(
  page: PageContext,
  zoneId: string,
  { key, item, cause }: Slot,
  error: unknown,
  onScreen: MountedItem | null,
): void {
  const { clock, failures } = page;
  const { code, crashId } = error instanceof ItemFailure ? error : { code: "load" as const, crashId: undefined };
  const isNew = failures.recordFailure(item, code, clock.now(), crashId);
  if (!isNew && onScreen === null) return;
  const { item_id, asset_id } = item;
  const detail = (error instanceof Error ? error.message : String(error)).slice(0, maxDetailLength);
  const at = onScreen?.item.hasLostPicture === true ? { at: clock.now() } : {};
  page.report({ type: "failed", zone_id: zoneId, key, cause, item_id, asset_id, code, detail, ...at });
}

/** Reports, once for each item, that it is shown with a defect. */
export function reportFlaw(page: PageContext, zoneId: string, { key, item }: Slot, { code, detail }: Flaw): void {
  if (!page.failures.recordFlaw(item, code)) return;
  const { item_id, asset_id } = item;
  page.report({ type: "flawed", zone_id: zoneId, key, item_id, asset_id, code, detail });
}

/** Reports the play of a slot, whose first frame is presented at `at`. */
export function reportPresented(page: PageContext, zoneId: string, slot: Slot, at: Promise<number>): void {
  const { key, cause, starts_at, offset_ms, ends_at, whole_ends_at = ends_at } = slot;
  const { item_id, asset_id } = slot.item;
  const span = { starts_at: starts_at - offset_ms, ends_at: whole_ends_at };
  page.reportPresented({ type: "presented", zone_id: zoneId, key, cause, item_id, asset_id, ...span }, at);
}
