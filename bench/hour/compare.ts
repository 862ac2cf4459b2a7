// Compares what a screen showed with what proof of play, forecast and `why` say of it. Pure: no clock, no screen, no service.

/** One stretch of time in one zone with the same item for the same cause. Instants in UTC ms, the end excluded. */
export interface Run {
  zone: string;
  /** Layout, layer and what brought it, such as `home default -`. */
  cause: string;
  item: string;
  from: number;
  until: number;
  /** Of what was seen: how long before its first look, and before the look that missed it, the look before was. */
  blur?: { fromMs: number; untilMs: number };
}

/** A stretch of time in which a difference is explained, and how. */
export interface Disturbance {
  from: number;
  until: number;
  reason: "restart" | "service-lost" | "command";
}

type Reason = Disturbance["reason"] | "boundary" | "unexplained";

/** A run whose edge is elsewhere than the other side has it, or that the other side does not have. */
export interface RunDifference {
  is: "not-told" | "not-seen" | "start" | "end";
  run: Run;
  /** The seen instant; of a run that was not seen, when it was told to begin. */
  at: number;
  /** By how much the told edge comes after the seen one; of a missing run its length. */
  ms: number;
  reason: Reason;
}

/** How long one cause, item and zone were on, by the screen and by the play events, without the disturbed time. */
export interface SumPair {
  key: string;
  seenMs: number;
  toldMs: number;
  /** How many runs of it were seen, and how closely their edges together. */
  runs: number;
  blurMs: number;
}

/** One second: the cause on the screen at its instant, and those that were named; undefined where none could be asked. */
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

// Two spans that touch so closely follow each other without another picture between them.
const touchMs = 20;

/** Joins what follows itself in its zone: the screen shows no edge between two plays of one item. */
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
 * Pairs the runs that were seen with those that were told, each with the one that shares most of its time.
 * @param toleranceMs edges may lie so far apart, besides what two looks leave open, and runs shorter than it may be missing
 * @returns by how much each told start and end comes after the seen one, and what differs by more
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

/** Sums both sides by zone, cause and item, or by what `keyOf` says. Disturbed time counts on neither side. */
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
 * Compares each second with what forecast and `why` named for it. A lost service explains only that none was named.
 * @param changes when the screen changed, each from the last look before to the first after it
 * @param boundaryMs so close to one of them the old and the new are both right
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

/** How much of a stretch of time no disturbance touches, in ms. */
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

/** The first disturbance that touches the stretch, both ends included. */
function reasonOf(disturbances: readonly Disturbance[], from: number, until: number): Reason {
  return disturbances.find((each) => each.from <= until && each.until >= from)?.reason ?? "unexplained";
}

/** For each run of `ones` the equal one of `others` that shares most of its time. */
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
