// Compares what a screen showed with proof of play, forecast and `why`. Pure: no clock, no screen, no service.

/** A time span in which one zone shows the same item for the same cause. Instants in UTC ms; the end is exclusive. */
export interface Run {
  zone: string;
  /** Layout, layer, and the id of the schedule or override, such as `home default -`. */
  cause: string;
  item: string;
  from: number;
  until: number;
  /** For an observed run: how long before its first sample, and before the first sample without it, the previous sample was. */
  blur?: { fromMs: number; untilMs: number };
}

/** A time span in which a difference has a known reason. */
export interface Disturbance {
  from: number;
  until: number;
  reason: "restart" | "service-lost" | "command";
}

type Reason = Disturbance["reason"] | "boundary" | "unexplained";

/** A run that starts or ends at another time than its partner, or that has no partner. */
export interface RunDifference {
  is: "not-told" | "not-seen" | "start" | "end";
  run: Run;
  /** The observed instant; for a run that was not observed, its reported start. */
  at: number;
  /** Reported minus observed time; for a run without a partner, its length. */
  ms: number;
  reason: Reason;
}

/** The total time of one cause, item and zone on the screen and in the play events, without disturbances. */
export interface SumPair {
  key: string;
  seenMs: number;
  toldMs: number;
  /** The number of observed runs, and the total uncertainty of their edges. */
  runs: number;
  blurMs: number;
}

/** One second: the observed cause, and those of forecast and `why`; undefined if the request was not possible. */
export interface SecondSample {
  at: number;
  seen: string | null;
  forecast: string | undefined;
  why: string | undefined;
}

export interface SecondDifference {
  at: number;
  against: "forecast" | "why";
  seen: string | null;
  expected: string | undefined;
  reason: Reason;
}

// Two spans this close follow each other without another picture in between.
const touchMs = 20;

/** Merges consecutive runs of the same item in a zone: the screen shows no boundary between two plays of one item. */
export function mergeAdjacent(spans: readonly Run[]): Run[] {
  const runs: Run[] = [];
  const last = new Map<string, Run>();
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const before = last.get(span.zone);
    if (before !== undefined && isSame(before, span) && span.from - before.until <= touchMs) {
      before.until = Math.max(before.until, span.until);
      if (before.blur !== undefined && span.blur !== undefined) before.blur = { ...before.blur, untilMs: span.blur.untilMs };
      continue;
    }
    const run = { ...span };
    runs.push(run);
    last.set(span.zone, run);
  }
  return runs;
}

/**
 * Pairs each observed run with the reported run that overlaps it most.
 * @param toleranceMs how far edges may differ, in addition to the sampling uncertainty; shorter runs may be missing
 * @returns reported minus observed time of each start and end, and the differences above the tolerance
 */
export function compareRuns(
  seen: readonly Run[],
  told: readonly Run[],
  disturbances: readonly Disturbance[],
  toleranceMs: number,
): { startsMs: number[]; endsMs: number[]; differences: RunDifference[] } {
  const startsMs: number[] = [];
  const endsMs: number[] = [];
  const differences: RunDifference[] = [];
  const ofTold = partners(told, seen);
  const ofSeen = partners(seen, told);
  const missing = (is: "not-told" | "not-seen", run: Run): void => {
    const ms = run.until - run.from;
    if (ms > toleranceMs) differences.push({ is, run, at: run.from, ms, reason: reasonOf(disturbances, run.from, run.until) });
  };
  const edge = (is: "start" | "end", run: Run, at: number, toldAt: number, all: number[]): void => {
    const blurMs = (is === "start" ? run.blur?.fromMs : run.blur?.untilMs) ?? 0;
    const reason = reasonOf(disturbances, Math.min(at, toldAt), Math.max(at, toldAt));
    if (reason === "unexplained") all.push(toldAt - at);
    const isNear = toldAt >= at - blurMs - toleranceMs && toldAt <= at + toleranceMs;
    if (!isNear) differences.push({ is, run, at, ms: toldAt - at, reason });
  };
  for (const run of seen) {
    const other = ofSeen.get(run);
    if (other === undefined || ofTold.get(other) !== run) {
      missing("not-told", run);
      continue;
    }
    edge("start", run, run.from, other.from, startsMs);
    edge("end", run, run.until, other.until, endsMs);
  }
  for (const run of told) {
    const other = ofTold.get(run);
    if (other === undefined || ofSeen.get(other) !== run) missing("not-seen", run);
  }
  return { startsMs, endsMs, differences };
}

/** Sums both sides by zone, cause and item, or by `keyOf`. Disturbed time does not count. */
export function compareSums(
  seen: readonly Run[],
  told: readonly Run[],
  disturbances: readonly Disturbance[],
  keyOf = ({ zone, cause, item }: Run): string => `${zone} ${cause} ${item}`,
): SumPair[] {
  const sums = new Map<string, SumPair>();
  const sumOf = (run: Run): SumPair => {
    const key = keyOf(run);
    const sum = sums.get(key) ?? { key, seenMs: 0, toldMs: 0, runs: 0, blurMs: 0 };
    sums.set(key, sum);
    return sum;
  };
  for (const run of seen) {
    const sum = sumOf(run);
    sum.seenMs += undisturbedMs(run, disturbances);
    sum.runs += 1;
    sum.blurMs += (run.blur?.fromMs ?? 0) + (run.blur?.untilMs ?? 0);
  }
  for (const run of told) sumOf(run).toldMs += undisturbedMs(run, disturbances);
  return [...sums.values()].toSorted((a, b) => a.key.localeCompare(b.key));
}

/**
 * Compares the observed cause of each second with forecast and `why`. A lost service explains only a missing response.
 * @param changes the changes of the screen, each from the last sample before to the first sample after it
 * @param boundaryMs this close to a change both the old and the new cause are right
 */
export function compareSeconds(
  seconds: readonly SecondSample[],
  disturbances: readonly Disturbance[],
  changes: readonly { from: number; until: number }[],
  boundaryMs: number,
): SecondDifference[] {
  return seconds.flatMap(({ at, seen, ...named }) =>
    (["forecast", "why"] as const).flatMap((against): SecondDifference[] => {
      const expected = named[against];
      if (expected === seen) return [];
      const isNamed = expected !== undefined;
      const isAtChange = isNamed && changes.some((change) => change.from - boundaryMs <= at && at <= change.until + boundaryMs);
      const explaining = disturbances.filter(({ reason }) => (reason === "service-lost") !== isNamed);
      const reason = isAtChange ? "boundary" : reasonOf(explaining, at, at);
      return [{ at, against, seen, expected, reason }];
    }),
  );
}

/** The undisturbed part of a time span, in ms. */
export function undisturbedMs({ from, until }: Pick<Run, "from" | "until">, disturbances: readonly Disturbance[]): number {
  let ms = 0;
  let at = from;
  for (const each of disturbances.toSorted((a, b) => a.from - b.from)) {
    if (each.until <= at || each.from >= until) continue;
    ms += Math.max(0, each.from - at);
    at = each.until;
  }
  return ms + Math.max(0, until - at);
}

/** The reason of the first disturbance that overlaps the time span, ends included. */
function reasonOf(disturbances: readonly Disturbance[], from: number, until: number): Reason {
  return disturbances.find((each) => each.from <= until && each.until >= from)?.reason ?? "unexplained";
}

/** For each run of `ones`, the equal run of `others` that overlaps it most. */
function partners(ones: readonly Run[], others: readonly Run[]): Map<Run, Run> {
  const byKey = Map.groupBy(others, keyOfRun);
  const found = new Map<Run, Run>();
  for (const one of ones) {
    let most = 0;
    for (const other of byKey.get(keyOfRun(one)) ?? []) {
      const shared = Math.min(one.until, other.until) - Math.max(one.from, other.from);
      if (shared <= most) continue;
      most = shared;
      found.set(one, other);
    }
  }
  return found;
}

function isSame(one: Run, other: Run): boolean {
  return one.cause === other.cause && one.item === other.item;
}

function keyOfRun({ zone, cause, item }: Run): string {
  return `${zone} ${cause} ${item}`;
}
