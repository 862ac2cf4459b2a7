// Which of two complete states plays, decided from their failures.
import { expect, test } from "vitest";
import {
  completed,
  failed,
  type GenerationFault,
  type Generations,
  hasReturned,
  longestRetryMs,
  noGenerations,
  playingState,
  retried,
  survived,
  zoneShown,
} from "../../../src/player/content/generations.ts";
import type { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { assetOf, desiredOf, imageItem, withItems } from "../../support/states.ts";

const t0 = Date.UTC(2026, 10, 22, 12);
const assets = ["a", "b", "c"].map((text) => assetOf(Buffer.from(text)));
const items = assets.map((asset) => imageItem(asset, 5_000));
const r1 = desiredOf([items[0]!], [assets[0]!], "r1");
const r2 = withItems(r1, [items[1]!], [assets[1]!], "r2");
const r3 = withItems(r1, [items[2]!], [assets[2]!], "r3");
const zoneId = r1.layout!.zones[0]!.id;
const emptyZone: GenerationFault = { is: "zone", zoneId, detail: "decode: broken" };
const crash: GenerationFault = { is: "crash", detail: "out of memory" };

/** The states in the order of their completion; each but the last has shown its content. */
function after(...states: DesiredState[]): Generations {
  return states.reduce(
    (generations, state, index) => completed(index === 0 ? noGenerations : zoneShown(generations, zoneId), state, false, t0),
    noGenerations,
  );
}

const revision = (generations: Generations) => playingState(generations)?.revision;

test.each([emptyZone, crash])(
  "[GNR1] the state before plays while the newest fails by $is; each failure doubles the wait, from a quarter of an hour to six hours",
  (fault) => {
    let generations = failed(after(r1, r2), fault, t0);
    const waits: number[] = [];
    for (let count = 1; count <= 8; count += 1) {
      expect([revision(generations), hasReturned(generations), generations.failure?.since]).toEqual(["r1", true, t0]);
      const now = generations.failure!.retryAt;
      waits.push(now - t0);
      generations = retried({ ...generations, failure: { ...generations.failure!, retryAt: t0 } });
      expect(revision(generations)).toBe("r2");
      generations = failed(generations, fault, t0);
    }
    expect(waits.map((ms) => ms / 60_000)).toEqual([15, 30, 60, 120, 240, 360, 360, 360]);
    expect(Math.max(...waits)).toBe(longestRetryMs);
  },
);

test("[GNR2] another state, or the same one with a file fetched again, plays at once; the same one as before does not", () => {
  const reverted = failed(after(r1, r2), emptyZone, t0);
  expect(revision(completed(reverted, r2, false, t0))).toBe("r1");
  expect(revision(completed(reverted, r2, true, t0))).toBe("r2");
  expect(revision(completed(reverted, r3, false, t0))).toBe("r3");
  // The failed state is not one to return to.
  expect(revision(failed(completed(reverted, r3, false, t0), emptyZone, t0))).toBe("r1");
  // The operator publishes what plays already.
  expect(completed(reverted, r1, false, t0)).toMatchObject({ plays: "newest", newest: r1, previous: null, failure: null });
});

test("[GNR3] content that was tried again and can be shown stays", () => {
  const onTrial = retried(failed(after(r1, r2), emptyZone, t0));
  expect(zoneShown(onTrial, zoneId)).toMatchObject({ plays: "newest", failure: null });
  expect(survived(retried(failed(after(r1, r2), crash, t0)))).toMatchObject({ plays: "newest", failure: null });
  // Reports of the state that was returned to prove nothing about the newest.
  const reverted = failed(after(r1, r2), emptyZone, t0);
  expect(zoneShown(reverted, zoneId)).toEqual(reverted);
  expect(survived(reverted)).toEqual(reverted);
});

test("[GNR4] a zone fails only if it has shown nothing since its content changed; a zone that has worked never causes a return", () => {
  const proven = zoneShown(after(r1, r2), zoneId);
  expect(failed(proven, emptyZone, t0)).toEqual(proven);
  const unchanged = completed(proven, { ...r2, revision: "r3" }, false, t0);
  expect(revision(failed(unchanged, emptyZone, t0))).toBe("r3");
  const otherFile = { ...r2, assets: [{ ...assets[1]!, sha256: "0".repeat(64) }], revision: "r4" };
  expect(revision(failed(completed(proven, otherFile, false, t0), emptyZone, t0))).toBe("r2");
});

test("[GNR5] if the browser crashes with the state before, too, the newest plays for good", () => {
  const both = failed(failed(after(r1, r2), crash, t0), crash, t0);
  expect([revision(both), hasReturned(both)]).toEqual(["r2", false]);
  expect(revision(failed(both, crash, t0))).toBe("r2");
  const reverted = failed(after(r1, r2), emptyZone, t0);
  expect(failed(reverted, emptyZone, t0)).toEqual(reverted);
});

test("[GNR5] content that was on the screen for a day does not give way to an older state when the browser crashes", () => {
  expect(revision(failed(after(r1, r2), crash, t0 + 86_400_001))).toBe("r2");
  expect(revision(failed(after(r1, r2), crash, t0 + 86_400_000))).toBe("r1");
});

test("[GNR6] the player never returns to content that was unassigned or has shown nothing", () => {
  const empty: DesiredState = { ...r1, layout: null, playlists: [], assets: [], revision: "empty" };
  expect(revision(failed(after(empty, r2), emptyZone, t0))).toBe("r2");
  // Content that was unassigned does not come back.
  const unassigned = completed(after(r1, r2), empty, false, t0);
  expect(revision(failed(unassigned, crash, t0))).toBe("empty");
  expect(revision(failed(completed(unassigned, r3, false, t0), emptyZone, t0))).toBe("r3");
  const unseen = completed(completed(zoneShown(completed(noGenerations, r1, false, t0), zoneId), r2, false, t0), r3, false, t0);
  expect(revision(failed(unseen, emptyZone, t0))).toBe("r1");
});
