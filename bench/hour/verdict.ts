// Prints the figures of the hour's comparison, and counts the unexplained differences.
import type { PlayEventRecord } from "../../src/protocol/device/play-events.ts";
import { printFigure, percentiles } from "../lib.ts";
import {
  compareRuns,
  compareSeconds,
  compareSums,
  type Disturbance,
  mergeAdjacent,
  type Run,
  type SecondSample,
  type SecondDifference,
  undisturbedMs,
} from "./compare.ts";
import { limitedItem } from "./content.ts";
import type { PlannedCauses } from "./records.ts";
import type { ScreenLog } from "./screen.ts";

/** All observations of the hour. Instants in UTC ms. */
export interface Evidence {
  log: ScreenLog;
  seen: readonly Run[];
  told: readonly Run[];
  seconds: readonly SecondSample[];
  events: readonly PlayEventRecord[];
  overrides: PlannedCauses["overrides"];
  /** Restarts of the player. `leftAt` of a killed player is earlier, since its plays count only up to the last saved frame. */
  restarts: readonly (Disturbance & { leftAt: number })[];
  /** Times without a service, and from each command to the forecast after it. */
  others: readonly Disturbance[];
  siteClosed: { from: number; until: number };
}

const frameMs = 1_000 / 60;
const hourMs = 3_600_000;
// The page prepares an item ahead of its slot, so an item loaded before the server stopped may still appear.
const preparedMs = 30_000;

/**
 * Prints the figures.
 * @param toleranceMs how far a reported edge may differ from the observed one, and how close to a second a change may be
 * @returns the number of unexplained differences
 */
export function judge(evidence: Evidence, toleranceMs: number): number {
  const { log } = evidence;
  printFigure("time between two samples of the screen, ms", {
    ...percentiles(log.gapsMs),
    longer_than_tolerance: log.gapsMs.filter((ms) => ms > toleranceMs).length,
  });
  return (
    judgePictures(evidence) +
    judgePlates(evidence, toleranceMs) +
    judgePlays(evidence, toleranceMs) +
    judgeSums(evidence, toleranceMs) +
    judgeSeconds(evidence, toleranceMs) +
    judgeItems(evidence)
  );
}

/** Checks for blank and foreign pictures outside restarts of the player. */
function judgePictures({ log, restarts, seen }: Evidence): number {
  let wrong = 0;
  const ms = { blank: 0, foreign: 0 };
  for (const span of log.spans) {
    if (span.sight !== "blank" && span.sight !== "foreign") continue;
    const undisturbed = undisturbedMs(span, restarts);
    ms[span.sight] += undisturbed;
    // A sample during drawing may catch one incomplete frame.
    if (undisturbed <= 2 * frameMs) continue;
    wrong += 1;
    const inZone = log.spans.filter(({ zone }) => zone === span.zone);
    const before = inZone.findLast(({ until }) => until <= span.from);
    const after = inZone.find(({ from }) => from >= span.until);
    const between = `${before?.layout} ${before?.sight} and ${after?.layout} ${after?.sight}`;
    printFigure(`${span.sight} picture`, { at: iso(span.from), zone: span.zone, ms: undisturbed, between });
  }
  const without = seen.filter(({ cause }) => cause.endsWith("without a cause"));
  for (const run of without) printFigure("layout without a cause", { at: iso(run.from), cause: run.cause, ms: run.until - run.from });
  printFigure("blank or foreign outside restarts", { blank_ms: ms.blank, foreign_ms: ms.foreign, longer_than_two_frames: wrong });
  return wrong + without.length;
}

/**
 * Checks the plate, the background of a zone that can show nothing: it may appear only while the web page is down or not retried
 * yet, and only while proof of play reports no play.
 */
function judgePlates({ log, seen, told, restarts, siteClosed }: Evidence, toleranceMs: number): number {
  const plates = log.spans.filter(({ sight }) => sight === "plate");
  const isAlive = seen.find(({ item, from }) => item === "web" && from > siteClosed.until)?.from ?? Number.POSITIVE_INFINITY;
  const wrong = plates.filter((plate) => {
    const toldMs = told
      .filter(({ zone }) => zone === plate.zone)
      .reduce((sum, { from, until }) => sum + Math.max(0, Math.min(until, plate.until) - Math.max(from, plate.from)), 0);
    const isDead = plate.from >= siteClosed.from && plate.from <= isAlive;
    return undisturbedMs(plate, restarts) > 2 * frameMs && (!isDead || toldMs > toleranceMs);
  });
  for (const { zone, layout, from, until } of wrong)
    printFigure("plate picture", { at: iso(from), zone, layout: layout ?? "none", ms: until - from });
  const ms = plates.reduce((sum, plate) => sum + undisturbedMs(plate, restarts), 0);
  printFigure("plate of a zone that can show nothing", { n: plates.length, ms, unexplained: wrong.length });
  return wrong.length;
}

/** Compares starts and ends of observed and reported plays. */
function judgePlays({ seen, told, restarts }: Evidence, toleranceMs: number): number {
  const disturbances = restarts.map(({ leftAt, until, reason }) => ({ from: leftAt, until, reason }));
  const { startsMs, endsMs, differences } = compareRuns(mergeAdjacent(seen), mergeAdjacent(told), disturbances, toleranceMs);
  if (startsMs.length > 0) printFigure("reported minus observed start of a play, ms", percentiles(startsMs));
  if (endsMs.length > 0) printFigure("reported minus observed end of a play, ms", percentiles(endsMs));
  for (const group of Map.groupBy(differences, ({ at, reason }) => `${at} ${reason}`).values()) {
    const { at, ms, reason } = group[0]!;
    const edges = group.map(({ is, run: { zone, cause, item } }) => `${is} of ${item} (${zone}, ${cause})`);
    printFigure("plays that differ", { at: iso(at), ms, reason, edges: edges.join("; ") });
  }
  const unexplained = differences.filter(({ reason }) => reason === "unexplained").length;
  printFigure("plays", { seen: mergeAdjacent(seen).length, told: mergeAdjacent(told).length, differ: differences.length, unexplained });
  return unexplained;
}

/** Compares the time on screen by layout, and by zone, cause and item. */
function judgeSums({ seen, told, restarts }: Evidence, toleranceMs: number): number {
  const disturbances = restarts.map(({ leftAt, until, reason }) => ({ from: leftAt, until, reason }));
  const [ones, others] = [mergeAdjacent(seen), mergeAdjacent(told)];
  const layoutOf = ({ zone, cause }: Run): string => `${cause.split(" ").slice(0, 2).join(" ")}, ${zone}`;
  for (const { key, seenMs, toldMs, runs } of compareSums(ones, others, disturbances, layoutOf)) {
    printFigure("time on the screen by layout", { layout: key, seen_ms: seenMs, told_ms: toldMs, difference_ms: toldMs - seenMs, runs });
  }
  const sums = compareSums(ones, others, disturbances);
  const wrong = sums.filter(({ seenMs, toldMs, runs, blurMs }) => Math.abs(toldMs - seenMs) > toleranceMs * (runs + 1) + blurMs);
  for (const { key, seenMs, toldMs, runs } of wrong) printFigure("sum that differs", { key, seen_ms: seenMs, told_ms: toldMs, runs });
  const apart = sums.map(({ seenMs, toldMs }) => Math.abs(toldMs - seenMs));
  const within = apart.filter((ms) => ms <= toleranceMs).length;
  printFigure("sums by zone, cause and item", {
    n: sums.length,
    within_tolerance: within,
    most_apart_ms: Math.max(0, ...apart),
    unexplained: wrong.length,
  });
  return wrong.length;
}

/** Compares each second with forecast and `why`. */
function judgeSeconds({ seen, seconds, restarts, others }: Evidence, toleranceMs: number): number {
  const changes = seen
    .filter(({ zone }) => zone === "right")
    .flatMap(({ from, until, blur }) => [
      { from: from - (blur?.fromMs ?? 0), until: from },
      { from: until - (blur?.untilMs ?? 0), until },
    ]);
  const differences = compareSeconds(seconds, [...restarts, ...others], changes, toleranceMs);
  for (const interval of groupSeconds(differences)) printFigure("seconds that differ", interval);
  for (const against of ["forecast", "why"] as const) {
    const own = differences.filter((each) => each.against === against);
    const count = (reason: SecondDifference["reason"]): number => own.filter((each) => each.reason === reason).length;
    printFigure(`seconds against ${against}`, {
      n: seconds.length,
      equal: seconds.length - own.length,
      at_a_boundary: count("boundary"),
      restart: count("restart"),
      service_lost: count("service-lost"),
      command: count("command"),
      unexplained: count("unexplained"),
    });
  }
  return differences.filter(({ reason }) => reason === "unexplained").length;
}

/** Checks the delay of overrides, the web page while its server was down, and the item with a play limit. */
function judgeItems({ seen, events, overrides, siteClosed }: Evidence): number {
  const runs = mergeAdjacent(seen.filter(({ zone }) => zone === "left"));
  const delaysMs = overrides.flatMap(({ id, from }) => {
    const first = seen.find(({ cause }) => cause.endsWith(id));
    return first === undefined ? [] : [first.from - from];
  });
  if (delaysMs.length > 0) printFigure("override on screen after its command was sent, ms", percentiles(delaysMs));
  const dead = { from: siteClosed.from + preparedMs, until: siteClosed.until };
  const shown = runs.filter(({ item, from, until }) => item === "web" && from < dead.until && until > dead.from);
  const failed = events.filter((each) => each.asset_id === null && each.result === "failed").length;
  const before = runs.filter(({ item, from }) => item === "web" && from < siteClosed.from).length;
  const after = runs.filter(({ item, from }) => item === "web" && from > siteClosed.until).length;
  printFigure("web page: times seen", { before, while_dead: shown.length, after, failed_plays: failed });
  const begins: number[] = [];
  for (const { item, from } of runs) {
    // An item that returns after an interrupt within its duration is the same play.
    if (item === "limited" && from > (begins.at(-1) ?? Number.NEGATIVE_INFINITY) + limitedItem.durationMs) begins.push(from);
  }
  const inAnHour = begins.map((from) => begins.filter((other) => other >= from && other < from + hourMs).length);
  const most = Math.max(0, ...inAnHour);
  printFigure("limited item: plays seen", { n: begins.length, most_in_an_hour: most, limit: limitedItem.playsPerHour });
  return overrides.length - delaysMs.length + shown.length + (most > limitedItem.playsPerHour ? 1 : 0);
}

/** Groups consecutive seconds with the same difference into one line. */
function groupSeconds(differences: readonly SecondDifference[]): Record<string, string | number>[] {
  const lines: (SecondDifference & { seconds: number })[] = [];
  for (const each of differences.toSorted((a, b) => a.against.localeCompare(b.against) || a.at - b.at)) {
    const last = lines.at(-1);
    const isNext = last !== undefined && last.against === each.against && last.at + 1_000 * last.seconds === each.at;
    // Without a response the observed cause does not matter.
    const isSame =
      last?.reason === each.reason && last.expected === each.expected && (last.seen === each.seen || each.expected === undefined);
    if (isNext && isSame) last.seconds += 1;
    else lines.push({ ...each, seconds: 1 });
  }
  return lines.map(({ at, seconds, against, seen, expected, reason }) => ({
    from: iso(at),
    seconds,
    against,
    seen: seen ?? "no layout",
    expected: expected ?? "not answered",
    reason,
  }));
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
