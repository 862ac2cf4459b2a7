// How much of the rendered content of desired states stays in memory.
import { expect, test } from "vitest";
import { SharedState } from "../../../../src/service/fleet/state/shared-state.ts";
import { StateCache } from "../../../../src/service/fleet/state/state-cache.ts";

test("[FAN6] beyond the limit the renderings that were not used for longest leave the memory", () => {
  const states = Array.from({ length: 4 }, (_, place) => {
    const playlists = [{ id: `pls_${place}`, items: [] }];
    return new SharedState({ layouts: [], playlists, assets: [], digest: "", calendarIds: [] }, [], []);
  });
  const use = (cache: StateCache, place: number) => (states[place]!.rendered(null), cache.keepRendering(states[place]!));
  const kept = () => states.flatMap((state, place) => (state.renderedBytes > 0 ? place : []));
  states[0]!.rendered(null);
  const cache = new StateCache(3 * states[0]!.renderedBytes);
  for (const place of [0, 1, 2, 0]) use(cache, place);
  expect(kept()).toEqual([0, 1, 2]);
  use(cache, 3);
  expect(kept()).toEqual([0, 2, 3]);
  // One that was dropped is rendered again.
  use(cache, 1);
  expect(kept()).toEqual([0, 1, 3]);
});
