// Which schedules are live at an instant, and which of them wins. Plans are made day by day, from the few schedules that touch the month.
import type { DesiredLayout } from "../protocol/device/desired-state.ts";
import type { DesiredSchedule } from "../protocol/scheduling/schedules.ts";
import { loopRestart } from "./limits/restarts.ts";
import type { Interval, Windows } from "./calendar/windows.ts";

/** A schedule that can play. */
export interface AgendaEntry {
  schedule: DesiredSchedule;
  layout: DesiredLayout;
  windows: Windows;
  /** Length of one play as an interrupt. */
  playMs: number;
}

/** A schedule in one of its windows. */
export interface ActiveSchedule extends Interval {
  entry: AgendaEntry;
}

/** The schedule that wins from `from` to `until`; null: none is live. */
export interface Segment extends Interval {
  winner: ActiveSchedule | null;
}

/** The interrupts that take turns from `from` to `until`. */
export interface ActiveInterrupts extends Interval {
  interrupts: readonly ActiveSchedule[];
}

interface Plan extends Interval {
  segments: readonly Segment[];
  /** Where the segments begin, for the search. */
  starts: Float64Array;
  interrupts: readonly ActiveSchedule[];
}

/** How long one winner stays on end, and from when a loop of `loopMs` counts in it; null: from its epoch. */
export interface LayoutRun extends Interval {
  loopRestart(loopMs: number): number | null;
}

/** Many days, and the schedules that may be live in them. */
interface Span extends Interval {
  entries: readonly AgendaEntry[];
  hasInterrupts: boolean;
}

const dayMs = 86_400_000;
const spanMs = 32 * dayMs;
const lookaheadDays = 1;
// A week ahead is asked for, and today and tomorrow again and again.
const maxPlans = 10;
const maxSpans = 4;

/** Answers for one set of schedules. What it keeps only saves work: the answers depend on the instant alone. */
export class Agenda {
  readonly #entries: readonly AgendaEntry[];
  readonly #plans = new Map<number, Plan>();
  readonly #spans = new Map<number, Span>();
  #presence: LayoutRun | null = null;
  #kept: (ActiveInterrupts & { priority: number }) | null = null;

  constructor(entries: readonly AgendaEntry[]) {
    this.#entries = entries;
  }

  /**
   * The winner at `instant` and how long it stays. `until` is at most two days ahead: it is then an instant to look
   * again at, not a change.
   */
  winnerAt(instant: number): Segment {
    if (this.#entries.length === 0) return { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, winner: null };
    let plan = this.#planOf(instant);
    const segment = plan.segments[placeOf(plan.starts, instant)]!;
    let { until } = segment;
    for (let days = 0; until === plan.until && days < lookaheadDays; days += 1) {
      plan = this.#planOf(plan.until);
      const next = plan.segments[0]!;
      if (!isSameWindow(segment.winner, next.winner)) break;
      until = next.until;
    }
    return { ...segment, until };
  }

  /** How long the winner at `instant` stays, interrupts left aside; a stay of more than a day is cut to one. */
  layoutRunAt(instant: number): LayoutRun {
    if (this.#entries.length === 0) return endless;
    const known = this.#presence;
    if (known !== null && known.from <= instant && instant < known.until) return known;
    const { winner: live } = this.winnerAt(instant);
    const today = Math.floor(instant / dayMs);
    const own = stretchAt(this.#stretches(live, today - 1, today + 1), instant);
    // By the day on which it begins: whenever it is asked in between, the answer is the same.
    const day = Math.floor(own.from / dayMs);
    const restarts = new Map<number, number | null>();
    this.#presence = {
      ...own,
      loopRestart: (loopMs) => {
        if (own.until - own.from >= loopMs) return null;
        let restart = restarts.get(loopMs);
        if (restart === undefined) {
          const around = this.#stretches(live, day - 2, day + 1);
          restart = loopRestart(own, around, around[0]!.from === (day - 2) * dayMs, loopMs);
          restarts.set(loopMs, restart);
        }
        return restart;
      },
    };
    return this.#presence;
  }

  /** When the same entry wins, or none does, on the days from `first` to `last`. */
  #stretches(live: ActiveSchedule | null, first: number, last: number): Interval[] {
    const stretches: Interval[] = [];
    for (let day = first; day <= last; day += 1) {
      for (const { from, until, winner: other } of this.#planOf(day * dayMs).segments) {
        if (other?.entry !== live?.entry) continue;
        const before = stretches.at(-1);
        if (before?.until === from) before.until = until;
        else stretches.push({ from, until });
      }
    }
    return stretches;
  }

  /** The interrupts live at `instant` that `priority` does not outrank, the most important first, and how long it stays so. */
  interruptsAt(instant: number, priority: number): ActiveInterrupts {
    const kept = this.#kept;
    if (kept !== null && kept.priority === priority && kept.from <= instant && instant < kept.until) return kept;
    this.#kept = { ...this.#findInterrupts(instant, priority), priority };
    return this.#kept;
  }

  #findInterrupts(instant: number, priority: number): ActiveInterrupts {
    if (this.#entries.length === 0) return { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, interrupts: [] };
    const span = this.#spanOf(instant);
    if (!span.hasInterrupts) return { from: span.from, until: span.until, interrupts: [] };
    const plan = this.#planOf(instant);
    let [from, until]: [number, number] = [plan.from, plan.until];
    const lives: ActiveSchedule[] = [];
    for (const live of plan.interrupts) {
      if (live.entry.schedule.priority < priority) continue;
      for (const edge of [live.from, live.until]) {
        if (edge <= instant) from = Math.max(from, edge);
        else until = Math.min(until, edge);
      }
      if (live.from <= instant && instant < live.until && !lives.some(({ entry }) => entry === live.entry)) lives.push(live);
    }
    return { from, until, interrupts: lives };
  }

  /** All that is live at `instant`, the winner first, whether it is an interrupt or not. */
  activeAt(instant: number): ActiveSchedule[] {
    const lives = this.#livesIn(instant, instant + 1);
    const ranked = lives.filter(({ from, until }) => from <= instant && instant < until).toSorted(byRank);
    // Windows longer than the time between them overlap: the schedule counts once.
    return ranked.filter(({ entry }, index) => ranked.findIndex((other) => other.entry === entry) === index);
  }

  #planOf(instant: number): Plan {
    const day = Math.floor(instant / dayMs);
    let plan = this.#plans.get(day);
    if (plan === undefined) {
      const [from, until] = [day * dayMs, (day + 1) * dayMs];
      const lives = this.#livesIn(from, until);
      const interrupts = lives.filter(({ entry }) => entry.schedule.interrupt !== null).toSorted(byRank);
      const segments = paint(
        lives.filter(({ entry }) => entry.schedule.interrupt === null),
        from,
        until,
      );
      plan = { from, until, segments, starts: Float64Array.from(segments, (segment) => segment.from), interrupts };
      keep(this.#plans, day, plan, maxPlans);
    }
    return plan;
  }

  #livesIn(from: number, until: number): ActiveSchedule[] {
    const lives: ActiveSchedule[] = [];
    for (const entry of this.#spanOf(from).entries) {
      for (const window of entry.windows.touching(from, until)) lives.push({ from: window.from, until: window.until, entry });
    }
    return lives;
  }

  /** The schedules with a window in the span of days that holds `instant`: the rest costs nothing until the next span. */
  #spanOf(instant: number): Span {
    const number = Math.floor(instant / spanMs);
    let span = this.#spans.get(number);
    if (span === undefined) {
      const [from, until] = [number * spanMs, (number + 1) * spanMs];
      const entries = this.#entries.filter(({ windows }) => windows.mayTouch(from, until));
      span = { from, until, entries, hasInterrupts: entries.some(({ schedule }) => schedule.interrupt !== null) };
      keep(this.#spans, number, span, maxSpans);
    }
    return span;
  }
}

/** Whether one may take the other's place without a change: where loops begin with the window, only the same window may. */
export function isSameWindow(a: ActiveSchedule | null, b: ActiveSchedule | null): boolean {
  if (a?.entry !== b?.entry) return false;
  return a?.entry.schedule.loop_from !== "window" || a.from === b?.from;
}

const endless: LayoutRun = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, loopRestart: () => null };

function stretchAt(stretches: readonly Interval[], instant: number): Interval {
  return stretches.find(({ from, until }) => from <= instant && instant < until)!;
}

/** The winner first: priority, then the window that began last, then the newest schedule, whose id is the greatest. */
function byRank(a: ActiveSchedule, b: ActiveSchedule): number {
  const [first, second] = [a.entry.schedule, b.entry.schedule];
  if (first.priority !== second.priority) return second.priority - first.priority;
  if (a.from !== b.from) return b.from - a.from;
  return first.id < second.id ? 1 : first.id > second.id ? -1 : 0;
}

/** Cuts the time from `from` to `until` into segments: each window, the winner first, takes what is still free. */
function paint(lives: readonly ActiveSchedule[], from: number, until: number): Segment[] {
  const starts = edgesOf(lives, from, until);
  const owners: (ActiveSchedule | null)[] = Array.from({ length: starts.length - 1 }, () => null);
  // `free[cell]` leads to the next cell that nobody has taken yet.
  const free = Int32Array.from({ length: starts.length }, (_, cell) => cell);
  const nextFree = (cell: number): number => {
    let found = cell;
    while (free[found] !== found) {
      // Paths are halved on the way, so that long rows of taken cells are not walked again and again.
      free[found] = free[free[found]!]!;
      found = free[found]!;
    }
    return found;
  };
  for (const live of lives.toSorted(byRank)) {
    const last = placeOf(starts, Math.min(live.until, until));
    for (let cell = nextFree(placeOf(starts, Math.max(live.from, from))); cell < last; cell = nextFree(cell)) {
      owners[cell] = live;
      free[cell] = cell + 1;
    }
  }
  const segments: Segment[] = [];
  for (const [cell, live] of owners.entries()) {
    const before = segments.at(-1);
    if (before !== undefined && before.winner === live) before.until = starts[cell + 1]!;
    else segments.push({ from: starts[cell]!, until: starts[cell + 1]!, winner: live });
  }
  return segments;
}

/** The instants from `from` to `until` at which a window begins or ends, both included, in order and each once. */
function edgesOf(lives: readonly ActiveSchedule[], from: number, until: number): Float64Array {
  const edges = new Float64Array(2 * lives.length + 2).fill(from);
  edges[0] = until;
  for (const [index, live] of lives.entries()) {
    edges[2 * index + 1] = Math.max(live.from, from);
    edges[2 * index + 2] = Math.min(live.until, until);
  }
  edges.sort();
  return edges.filter((edge, index) => index === 0 || edge !== edges[index - 1]);
}

/** Where the last of `starts` stands that is not after `instant`. */
function placeOf(starts: Float64Array, instant: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= instant) low = middle;
    else high = middle - 1;
  }
  return low;
}

function keep<T>(kept: Map<number, T>, key: number, value: T, most: number): void {
  kept.set(key, value);
  if (kept.size > most) kept.delete(kept.keys().next().value!);
}
