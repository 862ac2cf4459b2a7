// Explains a decision for people: which content plays, is outranked or is set aside, and why.
import { dayMs, iso } from "../base/time.ts";
import type { EmptyReason } from "../protocol/scheduling/forecast.ts";
import type { ActiveSchedule } from "./agenda/active-schedule.ts";
import { decide, stateAt, type Cause, type Decision } from "./decide.ts";
import type { IndexedState } from "./indexed-state.ts";
import { overridesAt, type Override } from "./interventions.ts";
import type { PlannedInterval } from "./plan.ts";
import { defaultContext, type PlayableContent } from "./playable-content.ts";
import { isValid, type ItemValidity } from "./playlist/item-validity.ts";
import type { PlayablePlaylist, TimedItem } from "./playlist/playable-playlist.ts";
import { playlistsOf, programAt } from "./program.ts";
import { nextPlayStarts, playAt, type Timeline } from "./timeline.ts";

/**
 * One reason. `shows`: it is on screen. `outranked`: the winner keeps it off the screen. `held`: a pause keeps it on
 * screen. `set-aside`: it takes no part.
 */
export interface Reason {
  layer: "override" | "pause" | "interrupt" | "schedule" | "default" | "item";
  id: string | null;
  name: string | null;
  layoutId: string | null;
  verdict: "shows" | "outranked" | "held" | "set-aside";
  detail: string;
}

// Enough for a person to read.
const maxExcluded = 50;
const maxItems = 5;
// A daypart occurs within two weeks, unless a clock change skips it.
const searchedMs = 15 * dayMs;
const order = { shows: 0, held: 1, outranked: 2, "set-aside": 3 };

/** Explains the program at `instant`: first the content that plays, then outranked content, then content that is set aside. */
export function explainAt(content: PlayableContent, instant: number, context = defaultContext): Reason[] {
  const input = { content, ...context };
  const decision = decide(input, instant);
  const { pause } = decision;
  // During a pause, explain the instant at which it began.
  const decidedAt = pause?.at ?? instant;
  const state = stateAt(input, decidedAt);
  const { zones } = programAt(content, instant, context).program;
  const layoutId = decision.layout?.id ?? null;
  const items = playlistsOf(decision, state).flatMap((playlist, index) => [
    ...explainLimits(playlist, zones[index]!.timeline, layoutId, decidedAt),
    ...playlist.exclusions.map(({ itemId, reason }) => setAside("item", itemId, layoutId, reason)),
  ]);
  const reasons = [
    ...overridesAt(context.interventions, instant).map((override) => explainOverride(override, decision, state)),
    ...explainPause(decision),
    ...state.agenda.activeAt(decidedAt).map((active) => explainSchedule(active, decision)),
    explainDefault(decision, content),
    ...items.slice(0, maxItems),
    ...state.exclusions.slice(0, maxExcluded).map(({ scheduleId, reason }) => setAside("schedule", scheduleId, null, reason)),
  ];
  return reasons.toSorted((a, b) => order[a.verdict] - order[b.verdict]);
}

/**
 * The reason that an interval is empty. `no-items`: the layout that is due has no item to show then. `no-schedule`: none is
 * for this player. `not-due`: no window is open. `set-aside`: no window is open of those schedules that take part; others do not, such
 * as by a condition that does not hold.
 */
export function whyEmpty(
  content: PlayableContent,
  { from, layoutId, turns }: Pick<PlannedInterval, "from" | "layoutId" | "turns">,
  context = defaultContext,
): EmptyReason {
  if (layoutId !== null || turns.length > 0) return "no-items";
  if (content.desired.schedules.length === 0) return "no-schedule";
  return stateAt({ content, ...context }, from).exclusions.length > 0 ? "set-aside" : "not-due";
}

function explainOverride(override: Override, { cause, pause }: Decision, { content, layouts }: IndexedState): Reason {
  const { show } = override;
  const isPresent = "layoutId" in show ? layouts.has(show.layoutId) : content.files.has(show.assetId);
  const until = override.until === null ? "until it is revoked" : `until ${timeText(override.until)}`;
  return {
    layer: "override",
    id: override.id,
    name: null,
    layoutId: "layoutId" in show ? show.layoutId : null,
    verdict: verdictOf(cause.is === "override" && cause.override === override, pause),
    detail: isPresent
      ? `${override.level} override since ${timeText(override.at)}, ${until}`
      : `${override.level} override: its content is not on the device yet`,
  };
}

function explainPause({ pause, layout }: Decision): Reason[] {
  if (pause === null) return [];
  const detail = `paused since ${timeText(pause.at)} until ${timeText(pause.until)}: the content of that instant stays`;
  return [{ layer: "pause", id: pause.id, name: null, layoutId: layout?.id ?? null, verdict: "shows", detail }];
}

function explainSchedule(active: ActiveSchedule, { cause, pause }: Decision): Reason {
  const { id, name, priority, interrupt, layout_id: layoutId } = active.entry.schedule;
  const wins = isScheduled(cause) && cause.active.entry === active.entry;
  const end = Number.isFinite(active.until) ? timeText(active.until) : "its deletion";
  const window = `window from ${timeText(active.from)} to ${end}, priority ${priority}`;
  const verdict = verdictOf(wins, pause);
  if (interrupt === null) return { layer: "schedule", id, name, layoutId, verdict, detail: window };
  const limit = interrupt.max_plays_per_hour === undefined ? "" : `, at most ${interrupt.max_plays_per_hour} plays`;
  const turn = wins ? "its turn on the hour's grid" : "between its turns on the hour's grid, or outranked";
  const detail = `${window}, ${interrupt.share_percent} % of each hour${limit}: ${turn}`;
  return { layer: "interrupt", id, name, layoutId, verdict, detail };
}

function explainDefault({ cause, pause }: Decision, { desired: { layout } }: PlayableContent): Reason {
  const detail = layout === null ? "no default layout is assigned" : "the screen's default layout, when nothing else is due";
  const verdict = verdictOf(cause.is === "default" || cause.is === "nothing", pause);
  return { layer: "default", id: null, name: null, layoutId: layout?.id ?? null, verdict, detail };
}

/** The items that a limit keeps out of the current round, or their dayparts or calendars out of the loop. */
function explainLimits(playlist: PlayablePlaylist, timeline: Timeline, layoutId: string | null, instant: number): Reason[] {
  if (!playlist.items.some(isRestricted)) return [];
  const counts = new Map<string, number>();
  for (const { item } of timeline.items) counts.set(item.id, (counts.get(item.id) ?? 0) + 1);
  const rounds = Math.max(0, ...counts.values());
  const playing = playAt(timeline, instant)?.timedItem.item.id;
  const starts = nextPlayStarts(timeline, instant);
  return playlist.items.flatMap((timedItem) => {
    const { id, max_plays_per_hour: hourLimit, max_plays_per_day: dayLimit } = timedItem.item;
    const validity = playlist.validity.get(timedItem) ?? null;
    if (!isValid(validity, instant)) {
      const times = timesOf(timedItem);
      return times === null ? [] : setAside("item", id, layoutId, `not ${times}: ${nextValid(validity!, instant)}`);
    }
    if (id === playing || counts.get(id) === rounds) return [];
    const startsAt = starts.get(id);
    const next = startsAt === undefined ? null : `its next begins at ${timeText(startsAt)}`;
    if (timeline.dailyPlays?.items.includes(timedItem) === true) {
      const detail = `at most ${dayLimit} plays a day: ${next ?? `none is left before ${timeText(timeline.dailyPlays.until)}`}`;
      return setAside("item", id, layoutId, detail);
    }
    return hourLimit === undefined
      ? []
      : setAside("item", id, layoutId, `at most ${hourLimit} plays an hour: ${next ?? "not in this turn"}`);
  });
}

function isRestricted(timedItem: TimedItem): boolean {
  return (timedItem.item.max_plays_per_hour ?? timedItem.item.max_plays_per_day) !== undefined || timesOf(timedItem) !== null;
}

/** The recurring times in which an item may be shown, in words; null: it has none. */
function timesOf({ item: { dayparts, conditions = [] } }: TimedItem): string | null {
  const onDays = conditions.some(({ type }) => type === "calendar") ? "on the days of its calendars" : null;
  if (dayparts === undefined) return onDays;
  return onDays === null ? "in its dayparts" : `in its dayparts ${onDays}`;
}

function nextValid(validity: ItemValidity, instant: number): string {
  const [next] = validity.between(instant, instant + searchedMs);
  return next === undefined ? "none begins soon" : `the next begins at ${timeText(next.from)}`;
}

function verdictOf(wins: boolean, pause: Decision["pause"]): Reason["verdict"] {
  return wins ? (pause === null ? "shows" : "held") : "outranked";
}

function isScheduled(cause: Cause): cause is Cause & { is: "schedule" | "interrupt" } {
  return cause.is === "schedule" || cause.is === "interrupt";
}

function setAside(layer: Reason["layer"], id: string, layoutId: string | null, detail: string): Reason {
  return { layer, id, name: null, layoutId, verdict: "set-aside", detail };
}

function timeText(instant: number): string {
  return Number.isFinite(instant) ? iso(instant) : "ever";
}
