// Plans the hour from a random seed: schedule windows, overrides, and outages of player, service and web server.

/** A layout that schedules show. */
export type ScheduledLayout = "one" | "two" | "three";

/** The only window of a schedule. All times in ms from the start of the hour. */
export interface PlannedWindow {
  layout: ScheduledLayout;
  from: number;
  until: number;
  priority: number;
}

/** Something that the bench does at a planned time. */
export type PlannedAction =
  /** `clearMs`: cleared this long after it was set; null: it ends after `durationMs`. */
  | { at: number; do: "override"; layout: "above" | "alarm"; durationMs: number; clearMs: number | null }
  | { at: number; do: "close-site" | "open-site" | "kill-player" | "restart-player" | "stop-service" | "start-service" };

export interface HourPlan {
  windows: PlannedWindow[];
  /** Sorted by time. */
  acts: PlannedAction[];
}

// When outages start and end, as shares of the whole time. There is no service during the second kill.
const site = { closes: 0.15, opens: 0.32 };
const service = { stops: 0.62, starts: 0.74 };
const kills = [0.4, 0.68];
const restart = 0.52;
// No override is set this long before and after an outage: the player could not confirm it.
const quietBeforeMs = 15_000;
const quietAfterMs = 25_000;

/** The plan for `minutes`. The same seed gives the same plan. */
export function planHour(minutes: number, seed: number): HourPlan {
  const lengthMs = minutes * 60_000;
  const random = randomOf(seed);
  const between = (least: number, most: number): number => Math.round(least + random() * (most - least));
  const windows: PlannedWindow[] = [];
  const names: ScheduledLayout[] = ["one", "two", "three"];
  // Windows may overlap, but never two of the same layout, so that the screen log can distinguish them.
  for (let from = between(2_000, 8_000); from < lengthMs; from += between(12_000, 24_000)) {
    const layout = names[windows.length % names.length]!;
    windows.push({ layout, from, until: from + between(5_000, 18_000), priority: between(0, 2) });
  }
  const acts: PlannedAction[] = [
    { at: site.closes * lengthMs, do: "close-site" },
    { at: site.opens * lengthMs, do: "open-site" },
    ...kills.map((share): PlannedAction => ({ at: share * lengthMs, do: "kill-player" })),
    { at: restart * lengthMs, do: "restart-player" },
    { at: service.stops * lengthMs, do: "stop-service" },
    { at: service.starts * lengthMs, do: "start-service" },
    // This one must survive the kill.
    { at: kills[0]! * lengthMs - 4_000, do: "override", layout: "above", durationMs: 15_000, clearMs: null },
  ];
  const outages = [...kills, restart, service.starts].map((share) => share * lengthMs);
  const isQuiet = (at: number, until: number): boolean =>
    outages.some((outage) => until > outage - quietBeforeMs && at < outage + quietAfterMs) ||
    (until > service.stops * lengthMs - quietBeforeMs && at < service.starts * lengthMs);
  for (let at = between(8_000, 16_000); at < lengthMs - 15_000; at += between(20_000, 45_000)) {
    const durationMs = between(4_000, 9_000);
    const clearMs = random() < 0.5 ? null : durationMs;
    const layout = random() < 0.25 ? "alarm" : "above";
    if (!isQuiet(at, at + durationMs)) acts.push({ at, do: "override", layout, durationMs, clearMs });
  }
  return { windows, acts: acts.toSorted((a, b) => a.at - b.at) };
}

/** A seeded random generator of numbers from 0 to 1 (mulberry32, by Tommy Ettinger, public domain). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
