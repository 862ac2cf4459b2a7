// Decides which layout is on at an instant: overrides, then a pause, then interrupts, schedules and the default layout.
import { loopEpochMs, type DesiredAsset, type DesiredLayout } from "../protocol/device/desired-state.ts";
import { PlaylistItem } from "../protocol/content/items.ts";
import type { ReadyState } from "../player/content/content-cache.ts";
import type { ActiveSchedule, LayoutRun } from "./agenda.ts";
import { airingsBetween, type Airing } from "./limits/airtime.ts";
import { firstTurnOf, turnAt } from "./interrupt-grid.ts";
import {
  nextInterventionChange,
  overridesAt,
  pauseAt,
  variablesAt,
  type Override,
  type Pause,
  type Intervention,
} from "./interventions.ts";
import type { TurnOfHour } from "./limits/hourly-limits.ts";
import { indexState, type IndexedState } from "./indexed-state.ts";

/** Which of the layers won, and by what. */
export type Cause =
  | { is: "override"; override: Override }
  | { is: "interrupt"; live: ActiveSchedule }
  | { is: "schedule"; live: ActiveSchedule }
  | { is: "default" }
  | { is: "nothing" };

/** What is on from the asked instant to `until`, the end excluded. */
export interface Decision {
  cause: Cause;
  layout: DesiredLayout | null;
  /** A single item that stands for the layout's playlists: an asset shown by override. */
  singleItem: PlaylistItem | null;
  /** The instant from which its loops count. */
  epochMs: number;
  /** How long its layout stays on; null for the turns of an interrupt. Asked only where items have limits. */
  layoutRun: (() => LayoutRun) | null;
  /** What is seen from one instant to another, by its layer. Asked only where items have limits a day. */
  airings: (from: number, until: number) => readonly Airing[];
  /** Which of its turns in the hour an interrupt has. */
  turn: TurnOfHour | null;
  /** The pause that holds it. */
  pause: Pause | null;
  until: number;
}

/** Everything that an answer hangs on besides the instant. */
export interface DecisionInput {
  ready: ReadyState;
  interventions: readonly Intervention[];
  /** IANA zone of the box. */
  deviceTimeZone: string;
}

/** The ready state as the variables have it at `instant`. */
export function stateAt({ ready, interventions: records, deviceTimeZone: deviceZone }: DecisionInput, instant: number): IndexedState {
  return indexState(ready, deviceZone, variablesAt(ready.desired.player.variables, records, instant));
}

/** Decides for `instant`. Pure: the same facts give the same, in whatever order they stand. */
export function decide(facts: DecisionInput, instant: number): Decision {
  const { interventions: records } = facts;
  const state = stateAt(facts, instant);
  const until = nextInterventionChange(records, instant);
  const pause = pauseAt(records, instant);
  for (const override of overridesAt(records, instant)) {
    // A pause holds what was on when it began; what is ordered later, or in an emergency, is not held.
    if (pause !== null && override.at <= pause.at && override.level !== "emergency") continue;
    const shown = shownBy(override, state);
    if (shown === null) continue;
    const epochMs = override.loopsFrom ?? override.at;
    const presence = () => ({ from: epochMs, until: override.until ?? Number.POSITIVE_INFINITY, loopRestart: () => epochMs });
    const airings = (first: number, last: number): Airing[] => {
      const run = { from: Math.max(first, Math.min(epochMs, override.at)), until: Math.min(last, override.until ?? last) };
      return run.from < run.until ? [{ ...run, layout: shown.layout, run }] : [];
    };
    return { ...shown, cause: { is: "override", override }, epochMs, layoutRun: presence, airings, turn: null, pause: null, until };
  }
  if (pause !== null) {
    // An override that has ended meanwhile is not held: revoking it must always end it.
    const others = records.filter((record) => (record.is === "override" ? (record.until ?? instant + 1) > instant : record.is !== "pause"));
    return { ...decide({ ...facts, interventions: others }, pause.at), pause, until };
  }
  const scheduled = decideSchedules(state, instant);
  return { ...scheduled, until: Math.min(scheduled.until, until) };
}

function decideSchedules({ agenda, ready }: IndexedState, instant: number): Decision {
  const winner = agenda.winnerAt(instant);
  const { winner: live } = winner;
  const interrupts = agenda.interruptsAt(instant, live?.entry.schedule.priority ?? Number.NEGATIVE_INFINITY);
  let until = Math.min(winner.until, interrupts.until);
  const airings = (from: number, to: number) => airingsBetween(agenda, ready.desired.layout, from, to);
  if (interrupts.interrupts.length > 0) {
    const turn = turnAt(interrupts.interrupts, instant);
    until = Math.min(until, turn.until);
    const { play } = turn;
    const taken = interrupts.interrupts.find(({ entry }) => entry === play?.entry);
    if (play !== null && taken !== undefined) {
      // Counted from the window's first turn, which so has the first play of what is limited.
      const number = (play.number - firstTurnOf(interrupts.interrupts, taken) + play.of) % play.of;
      const ofHour = { number, of: play.of, lengthMs: play.untilMs - play.fromMs };
      const cause: Cause = { is: "interrupt", live: taken };
      return { ...plain(taken.entry.layout), cause, epochMs: turn.from, layoutRun: null, airings, turn: ofHour, until };
    }
  }
  const presence = () => agenda.layoutRunAt(instant);
  if (live !== null) {
    return { ...plain(live.entry.layout), cause: { is: "schedule", live }, epochMs: epochOf(live), layoutRun: presence, airings, until };
  }
  const { layout } = ready.desired;
  return {
    ...plain(layout),
    cause: { is: layout === null ? "nothing" : "default" },
    epochMs: loopEpochMs,
    layoutRun: presence,
    airings,
    until,
  };
}

/** The instant from which the loops of a schedule count: its own, or the beginning of the window that is on. */
function epochOf({ entry, from }: ActiveSchedule): number {
  const { loop_from, sync_epoch } = entry.schedule;
  if (loop_from === "window") return from;
  return sync_epoch === null ? loopEpochMs : Date.parse(sync_epoch);
}

function plain(layout: DesiredLayout | null): Pick<Decision, "layout" | "singleItem" | "turn" | "pause"> {
  return { layout, singleItem: null, turn: null, pause: null };
}

/** Null while what it names is not here: what would be on without it goes on. */
function shownBy({ show }: Override, { layouts, assets, ready }: IndexedState): Pick<Decision, "layout" | "singleItem"> | null {
  if ("layoutId" in show) {
    const layout = layouts.get(show.layoutId);
    return layout === undefined ? null : { layout, singleItem: null };
  }
  const asset = assets.get(show.assetId);
  return asset === undefined || !ready.files.has(asset.id) ? null : fullScreen(asset);
}

/** The asset alone on the whole screen. Its layout, zone and item have the asset's own number. */
function fullScreen(asset: DesiredAsset): Pick<Decision, "layout" | "singleItem"> | null {
  const number = asset.id.slice(asset.id.indexOf("_") + 1);
  const type = asset.mime_type.split("/")[0];
  if (type !== "image" && type !== "video") return null;
  const single = PlaylistItem.parse({ id: `itm_${number}`, asset_id: asset.id, type });
  const [width, height] = [1920, 1080];
  const zone = { id: `zon_${number}`, name: "override", left: 0, top: 0, width, height, z_index: 0, playlist_id: null };
  return { singleItem: single, layout: { id: `lay_${number}`, width, height, background_color: "#000000", zones: [zone] } };
}
