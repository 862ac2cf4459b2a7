// Schedules and states for tests of the scheduler.
import { ulid } from "../../src/base/ulid.ts";
import type { ReadyState } from "../../src/player/content/ready-content.ts";
import type { DesiredLayout } from "../../src/protocol/device/desired-state.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../support/states.ts";

const red = assetOf(Buffer.from("red"));

export function layout(): DesiredLayout {
  return { id: newId("lay"), width: 100, height: 100, background_color: "#000000", zones: [] };
}

/** A schedule as the service sends it; later schedules have greater ids. */
export function schedule(layoutId: string, starts_at: string, ends_at: string | null, about: Record<string, unknown> = {}) {
  return { id: `sch_${ulid(Date.UTC(2026, 0, 1) + created++)}`, name: "S", layout_id: layoutId, starts_at, ends_at, ...about };
}
let created = 0;

/** A ready state with these schedules over a default layout. */
export function stateWith(
  schedules: Record<string, unknown>[],
  layouts: DesiredLayout[],
  player: { timezone?: string | null; tags?: string[]; variables?: Record<string, string | number | boolean> } = {},
): ReadyState {
  const desired = desiredOf([imageItem(red, 5_000)], [red]);
  return readyOf({ ...desired, player: { ...desired.player, ...player }, layouts, schedules });
}
