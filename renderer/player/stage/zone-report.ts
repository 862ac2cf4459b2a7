// What a zone tells the player of its items.
import type { Slot } from "../../../src/protocol/scene.ts";
import { type Flaw, ItemFailure } from "../items/item.ts";
import type { PageContext } from "../page.ts";
import type { MountedItem } from "./zone-layers.ts";

const longestDetail = 2_000;

/**
 * Notes a failure and tells it: each cause once, but each play that breaks before people's eyes.
 * @param onGlass what people saw of it; null for an item behind the glass.
 */
export function reportFailure(
  page: PageContext,
  zoneId: string,
  { key, item, cause }: Slot,
  error: unknown,
  onGlass: MountedItem | null,
): void {
  const { clock, failures } = page;
  const { code, crashId } = error instanceof ItemFailure ? error : { code: "load" as const, crashId: undefined };
  const isNew = failures.recordFailure(item, code, clock.now(), crashId);
  if (!isNew && onGlass === null) return;
  const { item_id, asset_id } = item;
  const detail = (error instanceof Error ? error.message : String(error)).slice(0, longestDetail);
  const at = onGlass?.item.hasLostPicture === true ? { at: clock.now() } : {};
  page.report({ type: "failed", zone_id: zoneId, key, cause, item_id, asset_id, code, detail, ...at });
}

/** Tells, once for each item, that it is shown but not as it was meant. */
export function reportFlaw(page: PageContext, zoneId: string, { key, item }: Slot, { code, detail }: Flaw): void {
  if (!page.failures.recordFlaw(item, code)) return;
  const { item_id, asset_id } = item;
  page.report({ type: "flawed", zone_id: zoneId, key, item_id, asset_id, code, detail });
}

/** Tells the play of a slot whose first frame is presented at `at`. */
export function reportPresented(page: PageContext, zoneId: string, slot: Slot, at: Promise<number>): void {
  const { key, cause, starts_at, offset_ms, ends_at, whole_ends_at = ends_at } = slot;
  const { item_id, asset_id } = slot.item;
  const span = { starts_at: starts_at - offset_ms, ends_at: whole_ends_at };
  page.reportPresented({ type: "presented", zone_id: zoneId, key, cause, item_id, asset_id, ...span }, at);
}
