// A zone with items that are in its loop at some times or on some players only, for tests.
import { expect } from "vitest";
import { PlaylistItem } from "../../../src/protocol/content/items.ts";
import type { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { defaultContext } from "../../../src/schedule/playable-content.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { desiredOf, newId, readyOf } from "../../support/states.ts";

const hourMs = 3_600_000;

export function itemOf(more: object = {}): PlaylistItem {
  return PlaylistItem.parse({ id: newId("itm"), type: "text", text: "a", duration_ms: 10_000, ...more });
}

/** A ready state whose default layout has one zone, which loops `items`. */
export function stateOf(items: PlaylistItem[], player: Partial<DesiredState["player"]> = {}, more: Partial<DesiredState> = {}) {
  const desired = desiredOf(items, []);
  return readyOf({ ...desired, ...more, player: { ...desired.player, timezone: "UTC", ...player } });
}

/** The ids of the items in the loop of the first zone. */
export function loopAt(ready: ReturnType<typeof stateOf>, instant: number, context = defaultContext): string[] {
  return programAt(ready, instant, context).program.zones[0]!.timeline.items.map(({ item }) => item.id);
}

/** When the item is in the loop, found by following the changes that the program announces. */
export function spansOf(
  ready: ReturnType<typeof stateOf>,
  { id }: PlaylistItem,
  from: number,
  until: number,
  context = defaultContext,
): string[] {
  const spans: string[] = [];
  let start: number | null = null;
  for (let instant = from; instant < until;) {
    const { changesAt } = programAt(ready, instant, context);
    expect(changesAt).toBeGreaterThan(instant);
    const isIn = loopAt(ready, instant, context).includes(id);
    if (isIn && start === null) start = instant;
    if (!isIn && start !== null) {
      spans.push(`${new Date(start).toISOString().slice(5, 16)} ${(instant - start) / hourMs}`);
      start = null;
    }
    instant = changesAt;
  }
  return spans;
}
