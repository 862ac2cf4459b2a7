// How much of the rendered content of desired states stays in memory.
import { expect, test } from "vitest";
import { SharedState } from "../../../../src/service/fleet/state/shared-state.ts";
import { StateCache } from "../../../../src/service/fleet/state/state-cache.ts";

function createStates(length: number): SharedState[] {
  const content = { layouts: [], playlists: [{ id: "pls_1", items: [] }], assets: [], digest: "", calendarIds: [] };
  return Array.from({ length }, () => new SharedState(content, [], []));
}

function use(cache: StateCache, state: SharedState): void {
  state.rendered(null);
  cache.keepRendering(state);
}

test("[FAN6] beyond a limit of bytes, and one of 200, the renderings that were not used for longest leave the memory", () => {
  const states = createStates(4);
  const kept = () => states.flatMap((state, place) => (state.renderedBytes > 0 ? place : []));
  states[0]!.rendered(null);
  const cache = new StateCache(3 * states[0]!.renderedBytes);
  for (const place of [0, 1, 2, 0]) use(cache, states[place]!);
  expect(kept()).toEqual([0, 1, 2]);
  use(cache, states[3]!);
  expect(kept()).toEqual([0, 2, 3]);
  // One that was dropped is rendered again.
  use(cache, states[1]!);
  expect(kept()).toEqual([0, 1, 3]);

  const many = createStates(201);
  const roomy = new StateCache();
  for (const state of many) use(roomy, state);
  expect(many.filter(({ renderedBytes }) => renderedBytes === 0)).toEqual([many[0]]);
});
