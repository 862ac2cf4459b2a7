// Indexes a player's content once per change: readable schedules in an agenda, layouts, assets and playlists by id.
import type { DesiredAsset, DesiredLayout } from "../protocol/device/desired-state.ts";
import { itemDurationMs, type PlaylistItem } from "../protocol/content/items.ts";
import type { Variables } from "../protocol/scheduling/variables.ts";
import type { Condition } from "../protocol/scheduling/conditions.ts";
import type { AgendaEntry } from "./agenda/active-schedule.ts";
import { Agenda } from "./agenda/agenda.ts";
import { unmetReason, unmetTag, unmetVariable } from "./agenda/player-conditions.ts";
import { invalid, readSchedule, type ExcludedSchedule } from "./agenda/read-schedules.ts";
import type { CalendarDates } from "./calendar/condition-cuts.ts";
import { timeZoneRulesOrUtc, type TimeZoneRules } from "./calendar/time-zone.ts";
import type { PlayableContent } from "./playable-content.ts";
import { playablePlaylist, withVariables, type PlayablePlaylist } from "./playlist/playable-playlist.ts";

export interface IndexedState {
  content: PlayableContent;
  agenda: Agenda;
  exclusions: readonly ExcludedSchedule[];
  layouts: ReadonlyMap<string, DesiredLayout>;
  assets: ReadonlyMap<string, DesiredAsset>;
  playlists: ReadonlyMap<string, PlayablePlaylist>;
  /** The player's own time zone, else that of its device. */
  timeZone: TimeZoneRules;
}

/** The part that does not depend on variables. */
interface BaseIndex extends Omit<IndexedState, "agenda"> {
  entries: readonly AgendaEntry[];
  /** The variables that conditions name. */
  variableNames: readonly string[];
  /** States by the values of these variables. */
  states: Map<string, IndexedState>;
}

const indexes = new WeakMap<PlayableContent, Map<string, BaseIndex>>();
// States for now, for the beginning of a pause, and for the changes within a forecast.
const maxStates = 8;

/** The index of `content` for a device in `deviceTimeZone` and these variables. Cached. */
export function indexState(content: PlayableContent, deviceTimeZone: string, variables = content.desired.player.variables): IndexedState {
  let byTimeZone = indexes.get(content);
  if (byTimeZone === undefined) indexes.set(content, (byTimeZone = new Map()));
  let base = byTimeZone.get(deviceTimeZone);
  if (base === undefined) byTimeZone.set(deviceTimeZone, (base = createIndex(content, deviceTimeZone)));
  const key = base.variableNames.length === 0 ? "" : JSON.stringify(base.variableNames.map((name) => variables[name]));
  let state = base.states.get(key);
  if (state === undefined) {
    if (base.states.size === maxStates) base.states.delete(base.states.keys().next().value!);
    base.states.set(key, (state = stateFor(base, variables)));
  }
  return state;
}

/** Excludes the schedules and items whose conditions of variables do not hold. */
function stateFor({ entries, variableNames, states: _states, ...base }: BaseIndex, variables: Variables): IndexedState {
  if (variableNames.length === 0) return { ...base, agenda: new Agenda(entries) };
  const exclusions = [...base.exclusions];
  const remaining = entries.filter(({ schedule: { id, conditions } }) => {
    const unmet = unmetVariable(conditions, variables);
    if (unmet !== undefined) exclusions.push(excludedBy(unmet, id));
    return unmet === undefined;
  });
  const playlists = new Map([...base.playlists].map(([id, playlist]) => [id, withVariables(playlist, variables)]));
  return { ...base, exclusions, agenda: new Agenda(remaining), playlists };
}

function createIndex(content: PlayableContent, deviceTimeZone: string): BaseIndex {
  const { desired, files } = content;
  const { player } = desired;
  const assets = new Map(desired.assets.map((asset) => [asset.id, asset]));
  const layouts = new Map([...desired.layouts, ...(desired.layout === null ? [] : [desired.layout])].map((layout) => [layout.id, layout]));
  const timeZone = timeZoneRulesOrUtc(player.timezone, deviceTimeZone);
  const calendars = new Map(desired.calendars?.map(({ id, dates }) => [id, dates]));
  const { entries, exclusions } = readSchedules(content, timeZone, layouts, assets, calendars);
  const items = desired.playlists.flatMap((playlist) => playlist.items);
  const conditions = [...entries.map(({ schedule }) => schedule), ...items].flatMap((each) => each.conditions ?? []);
  const variableNames = new Set(conditions.flatMap((condition) => (condition.type === "variable" ? condition.name : [])));
  const context = { assets, files, calendars, tags: player.tags, timeZone };
  const playlists = new Map(desired.playlists.map((playlist) => [playlist.id, playablePlaylist(playlist.items, context)]));
  return { content, entries, variableNames: [...variableNames], states: new Map(), exclusions, layouts, assets, playlists, timeZone };
}

function readSchedules(
  { desired }: PlayableContent,
  playerTimeZone: TimeZoneRules,
  layouts: ReadonlyMap<string, DesiredLayout>,
  assets: ReadonlyMap<string, DesiredAsset>,
  calendars: CalendarDates,
): { entries: AgendaEntry[]; exclusions: ExcludedSchedule[] } {
  const { player, playlists, schedules } = desired;
  const context = {
    playerTimeZone,
    layouts,
    calendars,
    playlistLengths: new Map(playlists.map(({ id, items }) => [id, totalDurationMs(items, assets)])),
  };
  const countById = new Map<unknown, number>();
  for (const { id } of schedules) countById.set(id, (countById.get(id) ?? 0) + 1);
  const entries: AgendaEntry[] = [];
  const exclusions: ExcludedSchedule[] = [];
  for (const raw of schedules) {
    const entry = readSchedule(raw, context);
    if ("reason" in entry) exclusions.push(entry);
    // Playing one of them would make the result depend on their order.
    else if (countById.get(entry.schedule.id)! > 1) exclusions.push(invalid(raw, "another schedule has the same id"));
    else {
      const unmet = unmetTag(entry.schedule.conditions, player.tags);
      if (unmet === undefined) entries.push(entry);
      else exclusions.push(excludedBy(unmet, entry.schedule.id));
    }
  }
  return { entries, exclusions };
}

function totalDurationMs(items: readonly PlaylistItem[], assets: ReadonlyMap<string, DesiredAsset>): number {
  return items.reduce((sum, item) => sum + itemDurationMs(item, "asset_id" in item ? (assets.get(item.asset_id) ?? null) : null), 0);
}

function excludedBy(unmet: Condition, scheduleId: string): ExcludedSchedule {
  return { scheduleId, is: "condition", reason: unmetReason(unmet) };
}
