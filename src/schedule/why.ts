// Puts a decision into words: what wins, what it outranks and what is set aside, each with its reason.
import type { ActiveSchedule } from "./agenda.ts";
import { stateAt, type Cause, type Decision, type DecisionInput } from "./decide.ts";
import { overridesAt } from "./interventions.ts";
import { nextPlayStarts, playAt, type PlayablePlaylist, type TimedItem, type Timeline } from "./timeline.ts";
import { isValid, type Validity } from "./validity.ts";

/** One link of the chain. `shows`: it is on; `outranked`: it would be; `held`: a pause keeps it; `set-aside`: it takes no part. */
export interface Reason {
  layer: "override" | "pause" | "interrupt" | "schedule" | "default" | "item";
  id: string | null;
  name: string | null;
  layoutId: string | null;
  verdict: "shows" | "outranked" | "held" | "set-aside";
  detail: string;
}

/** What a zone has, and the loop that it plays of it. */
export interface Loop {
  reel: PlayablePlaylist;
  timeline: Timeline;
}

// A chain is for reading.
const maxSetAside = 50;
const maxLimited = 5;
// Each daypart comes within two weeks, but for those that a clock change leaves out.
const searchedMs = 15 * 86_400_000;

/** The chain of reasons behind `decision`, which was made from `facts` for `instant` and has its zones play `loops`. */
export function explain(facts: DecisionInput, decision: Decision, instant: number, loops: readonly Loop[]): Reason[] {
  const { interventions: records } = facts;
  const { cause, pause } = decision;
  // Under a pause the schedule is asked for the instant at which the pause began.
  const asked = pause?.at ?? instant;
  const state = stateAt(facts, asked);
  const reasons: Reason[] = overridesAt(records, instant).map((override): Reason => {
    const wins = cause.is === "override" && cause.override === override;
    const layoutId = "layoutId" in override.show ? override.show.layoutId : null;
    const isHere =
      layoutId === null ? state.ready.files.has("assetId" in override.show ? override.show.assetId : "") : state.layouts.has(layoutId);
    const until = override.until === null ? "until it is revoked" : `until ${iso(override.until)}`;
    return {
      layer: "override",
      id: override.id,
      name: null,
      layoutId,
      verdict: wins ? (pause === null ? "shows" : "held") : "outranked",
      detail: isHere
        ? `${override.level} override since ${iso(override.at)}, ${until}`
        : `${override.level} override: what it shows is not here yet`,
    };
  });
  if (pause !== null) {
    const detail = `paused since ${iso(pause.at)} until ${iso(pause.until)}: what was on then stays`;
    reasons.push({ layer: "pause", id: pause.id, name: null, layoutId: decision.layout?.id ?? null, verdict: "shows", detail });
  }
  for (const live of state.agenda.activeAt(asked)) reasons.push(ofSchedule(live, cause, pause !== null));
  const { layout } = state.ready.desired;
  const isDefault = cause.is === "default" || cause.is === "nothing";
  const detail = layout === null ? "no default layout is assigned" : "the player's default layout, when nothing else is due";
  const verdict = isDefault ? (pause === null ? "shows" : "held") : "outranked";
  reasons.push({ layer: "default", id: null, name: null, layoutId: layout?.id ?? null, verdict, detail });
  reasons.push(...loops.flatMap((loop) => ofLimits(loop, decision.layout?.id ?? null, asked)).slice(0, maxLimited));
  for (const { scheduleId, reason } of state.excluded.slice(0, maxSetAside)) {
    reasons.push({ layer: "schedule", id: scheduleId, name: null, layoutId: null, verdict: "set-aside", detail: reason });
  }
  return reasons.toSorted((a, b) => order[a.verdict] - order[b.verdict]);
}

const order = { shows: 0, held: 1, outranked: 2, "set-aside": 3 };

/** The items that a limit keeps out of the round that is on, or their dayparts out of the loop. */
function ofLimits({ reel, timeline }: Loop, layoutId: string | null, instant: number): Reason[] {
  const isBound = ({ item: { max_plays_per_hour, max_plays_per_day, dayparts } }: TimedItem) =>
    (max_plays_per_hour ?? max_plays_per_day ?? dayparts) !== undefined;
  if (!reel.items.some(isBound)) return [];
  const times = new Map<string, number>();
  for (const { item } of timeline.items) times.set(item.id, (times.get(item.id) ?? 0) + 1);
  const rounds = Math.max(0, ...times.values());
  const onNow = playAt(timeline, instant)?.timed.item.id;
  const next = nextPlayStarts(timeline, instant);
  return reel.items.flatMap((timed): Reason[] => {
    const { id, dayparts, max_plays_per_hour: hourly, max_plays_per_day: daily } = timed.item;
    const aside = (detail: string): Reason[] => [{ layer: "item", id, name: null, layoutId, verdict: "set-aside", detail }];
    const validity = reel.validity.get(timed) ?? null;
    if (!isValid(validity, instant)) return dayparts === undefined ? [] : aside(`not in its dayparts: ${nextDaypart(validity!, instant)}`);
    if (id === onNow || times.get(id) === rounds) return [];
    const begins = next.get(id);
    const comes = begins === undefined ? null : `its next begins at ${iso(begins)}`;
    if (timeline.daily?.items.includes(timed) === true) {
      return aside(`at most ${daily} plays a day: ${comes ?? `none is left before ${iso(timeline.daily.until)}`}`);
    }
    return hourly === undefined ? [] : aside(`at most ${hourly} plays an hour: ${comes ?? "not in this turn"}`);
  });
}

function nextDaypart(validity: Validity, instant: number): string {
  const [next] = validity.between(instant, instant + searchedMs);
  return next === undefined ? "none begins soon" : `the next begins at ${iso(next.from)}`;
}

function ofSchedule(live: ActiveSchedule, cause: Cause, isHeld: boolean): Reason {
  const { schedule } = live.entry;
  const { id, name, priority, interrupt, layout_id: layoutId } = schedule;
  const wins = (cause.is === "schedule" || cause.is === "interrupt") && cause.live.entry === live.entry;
  const window = `window from ${iso(live.from)} to ${Number.isFinite(live.until) ? iso(live.until) : "its deletion"}, priority ${priority}`;
  const turn = wins ? "its turn on the hour's grid" : "between its turns on the hour's grid, or outranked";
  return {
    layer: interrupt === null ? "schedule" : "interrupt",
    id,
    name,
    layoutId,
    verdict: wins ? (isHeld ? "held" : "shows") : "outranked",
    detail: interrupt === null ? window : `${window}, ${interrupt.share_percent} % of each hour${limitOf(interrupt)}: ${turn}`,
  };
}

function limitOf({ max_plays_per_hour: limit }: NonNullable<ActiveSchedule["entry"]["schedule"]["interrupt"]>): string {
  return limit === undefined ? "" : `, at most ${limit} plays`;
}

function iso(instant: number): string {
  return Number.isFinite(instant) ? new Date(instant).toISOString() : "ever";
}
