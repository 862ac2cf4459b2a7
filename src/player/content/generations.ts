// Decides which complete desired state plays: the newest, or the one before it while the newest fails on the screen. Pure.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { dayMs, iso, minuteMs } from "../../base/time.ts";
import { assetIdsOf } from "../../protocol/content/items.ts";
import { DesiredState } from "../../protocol/device/desired-state.ts";

/** `zone`: a zone cannot show any of its items. `crash`: showing the state makes the browser fail again and again. */
export const GenerationFault = z.union([
  z.object({ is: z.literal("zone"), zoneId: z.string(), detail: z.string() }),
  z.object({ is: z.literal("crash"), detail: z.string() }),
]);
export type GenerationFault = z.infer<typeof GenerationFault>;

/** How the newest state failed. Times are corrected wall time, ms. */
const GenerationFailure = z.object({
  fault: GenerationFault,
  /** How often it has failed. */
  count: z.number(),
  since: z.number(),
  /** When it is tried again. */
  retryAt: z.number(),
});
export type GenerationFailure = z.infer<typeof GenerationFailure>;

export const Generations = z.object({
  /** The newest state whose files were all here. */
  newest: DesiredState.nullable(),
  /** The last state before it that showed its content; null if there is none to return to. */
  previous: DesiredState.nullable(),
  plays: z.enum(["newest", "previous"]),
  /** When the newest state was complete, corrected wall time, ms. */
  since: z.number(),
  /** The zones of the newest state that have shown an item, now or with the same content before. */
  provenZones: z.array(z.string()),
  /** Null: the newest state has not failed, or has recovered. */
  failure: GenerationFailure.nullable(),
});
export type Generations = z.infer<typeof Generations>;

export const noGenerations: Generations = {
  newest: null,
  previous: null,
  plays: "newest",
  since: 0,
  provenZones: [],
  failure: null,
};

const firstRetryMs = 15 * minuteMs;
export const longestRetryMs = 21_600_000;
// After a whole day of its schedule, a crash is more likely to be the machine's fault than the content's.
const crashTrialMs = dayMs;

/** The state that plays; null if there is none. */
export function playingState({ newest, previous, plays }: Generations): DesiredState | null {
  return plays === "newest" ? newest : previous;
}

/** True if the newest state failed and the player has, or had, another one to play. */
export function hasReturned({ failure, previous }: Generations): boolean {
  return failure !== null && previous !== null;
}

/** All files of `desired` are here. @param isRepaired whether some of them had to be fetched again. */
export function completed(before: Generations, desired: DesiredState, isRepaired: boolean, now: number): Generations {
  const { newest, previous, failure, provenZones } = before;
  if (newest?.revision === desired.revision) return isRepaired ? retried(before) : before;
  const lastGood = newest !== null && failure === null && provenZones.length > 0 ? newest : previous;
  // Content that was unassigned must not come back.
  const isOver = isEmpty(desired) || (newest !== null && isEmpty(newest)) || lastGood?.revision === desired.revision;
  return {
    newest: desired,
    previous: isOver ? null : lastGood,
    plays: "newest",
    since: now,
    provenZones: newest === null ? [] : provenZones.filter((id) => isDeepStrictEqual(zoneContent(newest, id), zoneContent(desired, id))),
    failure: null,
  };
}

/** The state that plays has failed. */
export function failed(before: Generations, fault: GenerationFault, now: number): Generations {
  const { previous, plays, provenZones, failure, since } = before;
  if (plays === "previous") {
    // The previous state is no better: stay with the state that the operator wants.
    return fault.is === "crash" ? { ...before, plays: "newest", previous: null } : before;
  }
  // A zone that has worked may fail for reasons that an older state does not mend, such as a network that is down.
  if (fault.is === "zone" && provenZones.includes(fault.zoneId)) return before;
  if (fault.is === "crash" && failure === null && now - since > crashTrialMs) return before;
  const count = (failure?.count ?? 0) + 1;
  const retryAt = now + Math.min(longestRetryMs, firstRetryMs * 2 ** (count - 1));
  return {
    ...before,
    plays: previous === null ? "newest" : "previous",
    failure: { fault, count, since: failure?.since ?? now, retryAt },
  };
}

/** Tries the newest state again. */
export function retried(before: Generations): Generations {
  return { ...before, plays: "newest" };
}

/** A zone of the newest state has shown an item. */
export function zoneShown(before: Generations, zoneId: string): Generations {
  const { plays, provenZones, failure } = before;
  if (plays === "previous" || provenZones.includes(zoneId)) return before;
  const isCause = failure?.fault.is === "zone" && failure.fault.zoneId === zoneId;
  return { ...before, provenZones: [...provenZones, zoneId], failure: isCause ? null : failure };
}

/** The newest state, which had made the browser fail, has been shown for a while. */
export function survived(before: Generations): Generations {
  return before.plays === "newest" && before.failure?.fault.is === "crash" ? { ...before, failure: null } : before;
}

/** Gives up the state that does not play, unless it is the one of this revision. */
export function withoutOther(before: Generations, wantedRevision: string | null): Generations {
  const { newest, previous, plays } = before;
  if (previous === null) return before;
  if (plays === "newest") return { ...before, previous: null };
  if (newest?.revision === wantedRevision) return before;
  const zones = [previous.layout, ...previous.layouts].flatMap((each) => each?.zones ?? []);
  return { ...noGenerations, newest: previous, since: before.since, provenZones: [...new Set(zones.map(({ id }) => id))] };
}

/** Why the newest state does not play and when it is tried again, for people. */
export function describeFailure({ newest, plays, failure }: Generations): string {
  if (failure === null) return "";
  const { fault, retryAt } = failure;
  const what =
    fault.is === "zone" ? `zone ${zoneName(newest, fault.zoneId)} could show none of its items` : "the browser failed again and again";
  const next = plays === "newest" ? "it is on trial now" : `it is tried again at ${iso(retryAt)}`;
  // The console's card cuts long texts: the cause comes before the revision.
  return `${what} (${fault.detail}); ${next} (revision ${newest?.revision})`;
}

/** The name that people gave the zone; its id if the state has no such zone. */
function zoneName(state: DesiredState | null, id: string): string {
  const zones = [state?.layout, ...(state?.layouts ?? [])].flatMap((layout) => layout?.zones ?? []);
  const name = zones.find((zone) => zone.id === id)?.name;
  return name === undefined ? id : `“${name}”`;
}

/** True if nothing is assigned. */
export function isEmpty({ layout, layouts }: DesiredState): boolean {
  return layout === null && layouts.length === 0;
}

/** The content of a zone: its items, and the files of their assets. */
function zoneContent({ layout, layouts, playlists, assets }: DesiredState, zoneId: string): unknown {
  const zones = [layout, ...layouts].flatMap((each) => each?.zones ?? []).filter(({ id }) => id === zoneId);
  const items = zones.flatMap(({ playlist_id }) => playlists.find(({ id }) => id === playlist_id)?.items ?? []);
  const used = new Set(items.flatMap(assetIdsOf));
  return [items, assets.filter(({ id }) => used.has(id)).map(({ id, sha256 }) => [id, sha256])];
}
