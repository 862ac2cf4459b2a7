// Decides which schedules are active at an instant, and which of them wins. Plans day by day, from the schedules of that month.
import { dayMs } from "../../base/time.ts";
import type { Interval } from "../calendar/intervals.ts";
import { loopRestart } from "../limits/loop-restart.ts";
import { byRank, isSameWindow, type ActiveSchedule, type AgendaEntry } from "./active-schedule.ts";
import { lastIndexAtOrBefore, segmentsOf, type Segment } from "./segments.ts";

/** The interrupts that take turns from `from` to `until`, the highest rank first. */
export interface ActiveInterrupts extends Interval {
  interrupts: readonly ActiveSchedule[];
}

/** An interval in which the same schedule wins, without a gap. */
export interface LayoutRun extends Interval {
  /** The instant from which a loop of `loopMs` counts within the run; null: its epoch. */
  loopRestart(loopMs: number): number | null;
}

interface DayPlan extends Interval {
  segments: readonly Segment[];
  /** Where the segments begin, for the binary search. */
  starts: Float64Array;
  interrupts: readonly ActiveSchedule[];
}

/** A span of days, and the schedules that may be active in it. */
interface Candidates extends Interval {
  entries: readonly AgendaEntry[];
  hasInterrupts: boolean;
}

const candidatesMs = 32 * dayMs;
const lookaheadDays = 1;
// A forecast needs a week ahead, and today and tomorrow are needed again and again.
const maxDayPlans = 10;
const maxCandidates = 4;

/** Computes which of a set of schedules are active. Caches only save time: results depend on nothing but the instant. */
export class Agenda {
  readonly #entries: readonly AgendaEntry[];
  readonly #dayPlans = new Map<number, DayPlan>();
  readonly #candidates = new Map<number, Candidates>();
  #lastRun: LayoutRun | null = null;
  #lastInterrupts: (ActiveInterrupts & { minPriority: number }) | null = null;

  constructor(entries: readonly AgendaEntry[]) {
    this.#entries = entries;
  }

  /** The winner at `instant`. Its `until` is at most two days ahead, where the same winner may continue. */
  winnerAt(instant: number): Segment {
    if (this.#entries.length === 0) return { ...endless, winner: null };
    let plan = this.#planOf(instant);
    const segment = plan.segments[lastIndexAtOrBefore(plan.starts, instant)]!;
    let { until } = segment;
    for (let days = 0; until === plan.until && days < lookaheadDays; days += 1) {
      plan = this.#planOf(plan.until);
      const next = plan.segments[0]!;
      if (!isSameWindow(segment.winner, next.winner)) break;
      until = next.until;
    }
    return { ...segment, until };
  }

  /** How long the winner at `instant` stays the winner, ignoring interrupts; a longer run is cut to about a day before and after. */
  layoutRunAt(instant: number): LayoutRun {
    if (this.#entries.length === 0) return endlessRun;
    const last = this.#lastRun;
    if (last !== null && last.from <= instant && instant < last.until) return last;
    const { winner } = this.winnerAt(instant);
    const today = Math.floor(instant / dayMs);
    const run = this.#runsOf(winner, today - 1, today + 1).find(({ from, until }) => from <= instant && instant < until)!;
    // Count days from the beginning of the run, so that the result is the same for every instant in it.
    const day = Math.floor(run.from / dayMs);
    const restarts = new Map<number, number | null>();
    this.#lastRun = {
      ...run,
      loopRestart: (loopMs) => {
        if (run.until - run.from >= loopMs) return null;
        let restart = restarts.get(loopMs);
        if (restart === undefined) {
          const runs = this.#runsOf(winner, day - 2, day + 1);
          restart = loopRestart(run, runs, runs[0]!.from === (day - 2) * dayMs, loopMs);
          restarts.set(loopMs, restart);
        }
        return restart;
      },
    };
    return this.#lastRun;
  }

  /** The intervals from day `first` to day `last` in which the schedule of `winner` wins; null: in which none is active. */
  #runsOf(winner: ActiveSchedule | null, first: number, last: number): Interval[] {
    const runs: Interval[] = [];
    for (let day = first; day <= last; day += 1) {
      for (const segment of this.#planOf(day * dayMs).segments) {
        if (segment.winner?.entry !== winner?.entry) continue;
        const previous = runs.at(-1);
        if (previous?.until === segment.from) previous.until = segment.until;
        else runs.push({ from: segment.from, until: segment.until });
      }
    }
    return runs;
  }

  /** The interrupts active at `instant` whose priority is at least `minPriority`, and how long this set stays the same. */
  interruptsAt(instant: number, minPriority: number): ActiveInterrupts {
    const last = this.#lastInterrupts;
    if (last !== null && last.minPriority === minPriority && last.from <= instant && instant < last.until) return last;
    this.#lastInterrupts = { ...this.#findInterrupts(instant, minPriority), minPriority };
    return this.#lastInterrupts;
  }

  #findInterrupts(instant: number, minPriority: number): ActiveInterrupts {
    if (this.#entries.length === 0) return { ...endless, interrupts: [] };
    const candidates = this.#candidatesAt(instant);
    if (!candidates.hasInterrupts) return { from: candidates.from, until: candidates.until, interrupts: [] };
    const plan = this.#planOf(instant);
    let [from, until]: [number, number] = [plan.from, plan.until];
    const interrupts: ActiveSchedule[] = [];
    for (const window of plan.interrupts) {
      if (window.entry.schedule.priority < minPriority) continue;
      for (const edge of [window.from, window.until]) {
        if (edge <= instant) from = Math.max(from, edge);
        else until = Math.min(until, edge);
      }
      const isActive = window.from <= instant && instant < window.until;
      if (isActive && !interrupts.some(({ entry }) => entry === window.entry)) interrupts.push(window);
    }
    return { from, until, interrupts };
  }

  /** All schedules active at `instant`, interrupts included, the highest rank first. */
  activeAt(instant: number): ActiveSchedule[] {
    const windows = this.#windowsTouching(instant, instant + 1);
    const active = windows.filter(({ from, until }) => from <= instant && instant < until).toSorted(byRank);
    // Windows of one schedule may overlap; it counts once.
    return active.filter(({ entry }, index) => active.findIndex((other) => other.entry === entry) === index);
  }

  #planOf(instant: number): DayPlan {
    const day = Math.floor(instant / dayMs);
    let plan = this.#dayPlans.get(day);
    if (plan === undefined) {
      const [from, until] = [day * dayMs, (day + 1) * dayMs];
      const windows = this.#windowsTouching(from, until);
      const isInterrupt = ({ entry }: ActiveSchedule) => entry.schedule.interrupt !== null;
      const interrupts = windows.filter(isInterrupt).toSorted(byRank);
      const segments = segmentsOf(
        windows.filter((window) => !isInterrupt(window)),
        from,
        until,
      );
      plan = { from, until, segments, starts: Float64Array.from(segments, (segment) => segment.from), interrupts };
      remember(this.#dayPlans, day, plan, maxDayPlans);
    }
    return plan;
  }

  #windowsTouching(from: number, until: number): ActiveSchedule[] {
    const touching: ActiveSchedule[] = [];
    for (const entry of this.#candidatesAt(from).entries) {
      for (const window of entry.windows.touching(from, until)) touching.push({ from: window.from, until: window.until, entry });
    }
    return touching;
  }

  #candidatesAt(instant: number): Candidates {
    const number = Math.floor(instant / candidatesMs);
    let candidates = this.#candidates.get(number);
    if (candidates === undefined) {
      const [from, until] = [number * candidatesMs, (number + 1) * candidatesMs];
      const entries = this.#entries.filter(({ windows }) => windows.mayTouch(from, until));
      candidates = { from, until, entries, hasInterrupts: entries.some(({ schedule }) => schedule.interrupt !== null) };
      remember(this.#candidates, number, candidates, maxCandidates);
    }
    return candidates;
  }
}

const endless: Interval = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
const endlessRun: LayoutRun = { ...endless, loopRestart: () => null };

/** Adds an entry to a cache and removes the oldest one above `maxSize`. */
function remember<T>(cache: Map<number, T>, key: number, value: T, maxSize: number): void {
  cache.set(key, value);
  if (cache.size > maxSize) cache.delete(cache.keys().next().value!);
}
