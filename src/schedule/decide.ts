// Decides which layout plays at an instant: overrides, then a pause, then interrupts, schedules and the default layout.
import { loopEpochMs, type DesiredAsset, type DesiredLayout } from "../protocol/device/desired-state.ts";
import { PlaylistItem } from "../protocol/content/items.ts";
import type { ActiveSchedule } from "./agenda/active-schedule.ts";
import type { LayoutRun } from "./agenda/agenda.ts";
import { firstTurnOf, turnAt } from "./agenda/interrupt-grid.ts";
import { indexState, type IndexedState } from "./indexed-state.ts";
import { nextInterventionChange, overridesAt, pauseAt, variablesAt, type Override, type Pause } from "./interventions.ts";
import { airingsBetween, type Airing } from "./limits/airtime.ts";
import type { TurnInHour } from "./limits/hourly-limits.ts";
import type { DecisionInput } from "./playable-content.ts";

/** The source of the content: which kind won, and which override or schedule it is. */
export type Cause =
  | { is: "override"; override: Override }
  | { is: "interrupt"; active: ActiveSchedule }
  | { is: "schedule"; active: ActiveSchedule }
  | { is: "default" }
  | { is: "nothing" };

/** The content that plays from the given instant to `until`, the end excluded. */
export interface Decision {
  cause: Cause;
  layout: DesiredLayout | null;
  /** The only item of the layout: an asset that an override shows without a layout. */
  singleItem: PlaylistItem | null;
  /** The instant from which its loops count. */
  epochMs: number;
  /** How long the layout stays. Null for the turns of an interrupt. It is called only if items have limits per hour. */
  layoutRun: (() => LayoutRun) | null;
  /** The airings of its source in a span. Called only if items have limits per day. */
  airings: (from: number, until: number) => readonly Airing[];
  /** Which of its turns in the hour an interrupt has. */
  turn: TurnInHour | null;
  /** The pause that holds it. */
  pause: Pause | null;
  until: number;
}

/** The indexed state with the values that variables have at `instant`. */
export function stateAt({ content, interventions, deviceTimeZone }: DecisionInput, instant: number): IndexedState {
  return indexState(content, deviceTimeZone, variablesAt(content.desired.player.variables, interventions, instant));
}

/** Decides for `instant`. Pure: the same input gives the same decision, regardless of the order of its lists. */
export function decide(input: DecisionInput, instant: number): Decision {
  const { interventions } = input;
  const state = stateAt(input, instant);
  const until = nextInterventionChange(interventions, instant);
  const pause = pauseAt(interventions, instant);
  for (const override of overridesAt(interventions, instant)) {
    // The pause holds an override from before it, so that override is decided below. Later overrides and emergencies are
    // shown despite the pause.
    if (pause !== null && override.at <= pause.at && override.level !== "emergency") continue;
    const content = contentOf(override, state);
    if (content !== null) return { ...content, ...timingOf(override, content.layout), until };
  }
  if (pause !== null) {
    // Decide as of the beginning of the pause, without overrides that have ended since: clearing one must always end it.
    const others = interventions.filter((each) => (each.is === "override" ? (each.until ?? instant + 1) > instant : each.is !== "pause"));
    return { ...decide({ ...input, interventions: others }, pause.at), pause, until };
  }
  const decision = decideSchedules(state, instant);
  return { ...decision, until: Math.min(decision.until, until) };
}

function timingOf(override: Override, layout: DesiredLayout | null): Omit<Decision, "layout" | "singleItem" | "until"> {
  const epochMs = override.loopsFrom ?? override.at;
  const layoutRun = () => ({ from: epochMs, until: override.until ?? Number.POSITIVE_INFINITY, loopRestart: () => epochMs });
  const airings = (from: number, until: number): Airing[] => {
    const run = { from: Math.max(from, Math.min(epochMs, override.at)), until: Math.min(until, override.until ?? until) };
    return run.from < run.until ? [{ ...run, layout, run }] : [];
  };
  return { cause: { is: "override", override }, epochMs, layoutRun, airings, turn: null, pause: null };
}

function decideSchedules({ agenda, content }: IndexedState, instant: number): Decision {
  const { winner, until: winsUntil } = agenda.winnerAt(instant);
  const { interrupts, until: interruptsUntil } = agenda.interruptsAt(instant, winner?.entry.schedule.priority ?? Number.NEGATIVE_INFINITY);
  let until = Math.min(winsUntil, interruptsUntil);
  const defaultLayout = content.desired.layout;
  const airings = (from: number, to: number) => airingsBetween(agenda, defaultLayout, from, to);
  if (interrupts.length > 0) {
    const { play, ...turn } = turnAt(interrupts, instant);
    until = Math.min(until, turn.until);
    const active = interrupts.find(({ entry }) => entry === play?.entry);
    if (play !== null && active !== undefined) {
      // Count from the window's first turn, not from the hour's: a window may begin within an hour, and the limited items of that hour
      // must begin to play in the first turn that the window has.
      const number = (play.number - firstTurnOf(interrupts, active) + play.of) % play.of;
      const ofHour = { number, of: play.of, lengthMs: play.untilMs - play.fromMs };
      const cause: Cause = { is: "interrupt", active };
      return { ...plainLayout(active.entry.layout), cause, epochMs: turn.from, layoutRun: null, airings, turn: ofHour, until };
    }
  }
  const layoutRun = () => agenda.layoutRunAt(instant);
  if (winner !== null) {
    const cause: Cause = { is: "schedule", active: winner };
    return { ...plainLayout(winner.entry.layout), cause, epochMs: epochOf(winner), layoutRun, airings, until };
  }
  const cause: Cause = { is: defaultLayout === null ? "nothing" : "default" };
  return { ...plainLayout(defaultLayout), cause, epochMs: loopEpochMs, layoutRun, airings, until };
}

/** The instant from which the loops of a schedule count: its epoch, or the beginning of the window. */
function epochOf({ entry, from }: ActiveSchedule): number {
  const { loop_from, sync_epoch } = entry.schedule;
  if (loop_from === "window") return from;
  return sync_epoch === null ? loopEpochMs : Date.parse(sync_epoch);
}

function plainLayout(layout: DesiredLayout | null): Pick<Decision, "layout" | "singleItem" | "turn" | "pause"> {
  return { layout, singleItem: null, turn: null, pause: null };
}

/** Null while its layout or file is missing: the override then has no effect yet. */
function contentOf({ show }: Override, { layouts, assets, content }: IndexedState): Pick<Decision, "layout" | "singleItem"> | null {
  if ("layoutId" in show) {
    const layout = layouts.get(show.layoutId);
    return layout === undefined ? null : { layout, singleItem: null };
  }
  const asset = assets.get(show.assetId);
  return asset === undefined || !content.files.has(asset.id) ? null : fullScreen(asset);
}

/** A layout that shows only this asset. The ids of layout, zone and item contain the id of the asset. */
function fullScreen(asset: DesiredAsset): Pick<Decision, "layout" | "singleItem"> | null {
  const number = asset.id.slice(asset.id.indexOf("_") + 1);
  const medium = asset.mime_type.split("/")[0];
  if (medium !== "image" && medium !== "video") return null;
  const singleItem = PlaylistItem.parse({ id: `itm_${number}`, asset_id: asset.id, type: medium });
  const [width, height] = [1920, 1080];
  const zone = { id: `zon_${number}`, name: "override", left: 0, top: 0, width, height, z_index: 0, playlist_id: null };
  return { singleItem, layout: { id: `lay_${number}`, width, height, background_color: "#000000", zones: [zone] } };
}
