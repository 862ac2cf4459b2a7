// A ready state made fit for questions: schedules parsed one by one, the bad ones set aside with the reason, layouts and loops by their ids.
import { hash } from "node:crypto";
import type { DesiredAsset, DesiredLayout } from "../protocol/device/desired-state.ts";
import type { PlaylistItem } from "../protocol/content/items.ts";
import { DesiredSchedule, type Condition, type Variables } from "../protocol/scheduling/schedules.ts";
import type { ReadyState } from "../player/content/content-cache.ts";
import { itemDurationMs as durationOf } from "./item-duration.ts";
import { Agenda, type AgendaEntry } from "./agenda.ts";
import { playablePlaylist, type PlayablePlaylist } from "./timeline.ts";
import { windowsOf } from "./calendar/windows.ts";
import { timeZoneRules, type TimeZoneRules } from "./calendar/time-zone.ts";

/** A schedule that does not take part, and why. */
export interface ExcludedSchedule {
  scheduleId: string;
  /** `broken`: it cannot be read or shown, which is worth a report. `condition`: as it was meant. */
  is: "broken" | "condition";
  reason: string;
}

/** What all answers are drawn from. */
export interface IndexedState {
  ready: ReadyState;
  agenda: Agenda;
  excluded: readonly ExcludedSchedule[];
  layouts: ReadonlyMap<string, DesiredLayout>;
  assets: ReadonlyMap<string, DesiredAsset>;
  playlists: ReadonlyMap<string, PlayablePlaylist>;
  /** The player's own zone, else that of its box. */
  timeZone: TimeZoneRules;
}

/** What does not change with the variables; `states` by the values of those that are asked for. */
interface Base extends Omit<IndexedState, "agenda"> {
  entries: readonly AgendaEntry[];
  asked: readonly string[];
  states: Map<string, IndexedState>;
}

const bases = new WeakMap<ReadyState, Map<string, Base>>();
// Now, as it was when a pause began, and what a forecast passes through.
const maxStates = 8;
const longestPlayMs = 3_600_000;
const minPlayMs = 1_000;

/** The state of `ready` for a box whose own zone is `deviceZone`, while `variables` hold. Made once for each. */
export function indexState(ready: ReadyState, deviceZone: string, variables = ready.desired.player.variables): IndexedState {
  let byZone = bases.get(ready);
  if (byZone === undefined) bases.set(ready, (byZone = new Map()));
  let base = byZone.get(deviceZone);
  if (base === undefined) byZone.set(deviceZone, (base = create(ready, deviceZone)));
  const key = base.asked.length === 0 ? "" : JSON.stringify(base.asked.map((name) => variables[name]));
  let state = base.states.get(key);
  if (state === undefined) {
    if (base.states.size === maxStates) base.states.delete(base.states.keys().next().value!);
    base.states.set(key, (state = whileHolding(base, variables)));
  }
  return state;
}

/** The schedules whose conditions of variables hold; the others are set aside. */
function whileHolding({ entries, asked, states: _states, ...base }: Base, variables: Variables): IndexedState {
  if (asked.length === 0) return { ...base, agenda: new Agenda(entries) };
  const setAside = [...base.excluded];
  const live = entries.filter(({ schedule: { id, conditions } }) => {
    const unmet = conditions.find((condition) => condition.type === "variable" && !isMet(condition, variables[condition.name]));
    if (unmet !== undefined) setAside.push(byCondition(id, unmet));
    return unmet === undefined;
  });
  return { ...base, excluded: setAside, agenda: new Agenda(live) };
}

function create(ready: ReadyState, deviceZone: string): Base {
  const { desired, files } = ready;
  const { player, playlists } = desired;
  const assets = new Map(desired.assets.map((asset) => [asset.id, asset]));
  const layouts = new Map([...desired.layouts, ...(desired.layout === null ? [] : [desired.layout])].map((layout) => [layout.id, layout]));
  const lengths = new Map(playlists.map(({ id, items }) => [id, lengthOf(items, assets)]));
  const zone = (player.timezone === null ? null : timeZoneRules(player.timezone)) ?? timeZoneRules(deviceZone) ?? timeZoneRules("UTC")!;
  const calendars = new Map(desired.calendars?.map(({ id, dates }) => [id, { dates, digest: hash("sha256", dates.join()) }]));
  const setAside: ExcludedSchedule[] = [];
  const entries: AgendaEntry[] = [];
  const times = new Map<unknown, number>();
  for (const { id } of desired.schedules) times.set(id, (times.get(id) ?? 0) + 1);
  for (const raw of desired.schedules) {
    const entry = entryOf(raw, zone, calendars, layouts, lengths);
    if ("reason" in entry) setAside.push(entry);
    // Which of the two counts would hang on their order.
    else if (times.get(entry.schedule.id)! > 1) setAside.push(broken(raw, "another schedule has the same id"));
    else {
      const { id, conditions } = entry.schedule;
      const unmet = conditions.find(
        (condition) => condition.type === "tag" && player.tags.includes(condition.tag) !== condition.is_present,
      );
      if (unmet === undefined) entries.push(entry);
      else setAside.push(byCondition(id, unmet));
    }
  }
  const reels = new Map(playlists.map(({ id, items }) => [id, playablePlaylist(items, assets, files, zone)]));
  const conditions = entries.flatMap(({ schedule }) => schedule.conditions);
  const asked = new Set(conditions.flatMap((condition) => (condition.type === "variable" ? condition.name : [])));
  return { ready, entries, asked: [...asked], states: new Map(), excluded: setAside, layouts, assets, playlists: reels, timeZone: zone };
}

function entryOf(
  raw: Record<string, unknown>,
  playerZone: TimeZoneRules,
  calendars: Calendars,
  layouts: ReadonlyMap<string, DesiredLayout>,
  lengths: ReadonlyMap<string, number>,
): AgendaEntry | ExcludedSchedule {
  const read = readOnce(raw, playerZone, calendars);
  if ("reason" in read) return read;
  const { schedule, windows } = read;
  const layout = layouts.get(schedule.layout_id);
  if (layout === undefined) return broken(raw, `its layout ${schedule.layout_id} is gone`);
  return { schedule, layout, windows, playMs: playMsOf(schedule, layout, lengths) };
}

type Read = Pick<AgendaEntry, "schedule" | "windows"> | ExcludedSchedule;

// A new revision changes a few schedules out of many: those that stayed are not read again.
const maxKept = 20_000;
const kept = new Map<string, Read>();

/** The dates of calendars by id. The digest stands for them where a schedule is remembered. */
type Calendars = ReadonlyMap<string, { dates: readonly string[]; digest: string }>;

function readOnce(raw: Record<string, unknown>, playerZone: TimeZoneRules, calendars: Calendars): Read {
  const json = JSON.stringify(raw);
  const named = calendars.size === 0 ? [] : [...calendars].filter(([id]) => json.includes(id)).map(([, { digest }]) => digest);
  const key = [playerZone.name, json, ...named].join(" ");
  let read = kept.get(key);
  if (read === undefined) {
    if (kept.size >= maxKept) kept.clear();
    read = parse(raw, playerZone, calendars);
    kept.set(key, read);
  }
  return read;
}

function parse(raw: Record<string, unknown>, playerZone: TimeZoneRules, calendars: Calendars): Read {
  const parsed = DesiredSchedule.safeParse(raw);
  if (!parsed.success) {
    return broken(raw, parsed.error.issues.map(({ path, message }) => `/${path.join("/")}: ${message}`).join("; "));
  }
  const schedule = parsed.data;
  const zone = schedule.timezone === null ? playerZone : timeZoneRules(schedule.timezone);
  if (zone === null) return broken(raw, `the zone ${schedule.timezone} is unknown here`);
  const ids = schedule.conditions.flatMap((condition) => (condition.type === "calendar" ? condition.calendar_id : []));
  const gone = ids.find((id) => !calendars.has(id));
  if (gone !== undefined) return broken(raw, `its calendar ${gone} is gone`);
  return { schedule, windows: windowsOf(schedule, zone, new Map(ids.map((id) => [id, calendars.get(id)!.dates]))) };
}

/** Goes by all items, also those not at hand or not valid now: players with the same state share one grid. */
function playMsOf({ interrupt }: DesiredSchedule, layout: DesiredLayout, lengths: ReadonlyMap<string, number>): number {
  const given = interrupt?.play_ms;
  if (given !== undefined) return given;
  const longest = Math.max(0, ...layout.zones.map(({ playlist_id }) => (playlist_id === null ? 0 : (lengths.get(playlist_id) ?? 0))));
  return Math.min(Math.max(longest, minPlayMs), longestPlayMs);
}

function lengthOf(items: readonly PlaylistItem[], assets: ReadonlyMap<string, DesiredAsset>): number {
  return items.reduce((sum, item) => sum + durationOf(item, "asset_id" in item ? (assets.get(item.asset_id) ?? null) : null), 0);
}

function isMet({ op, value: wanted }: Condition & { type: "variable" }, value: Variables[string] | undefined): boolean {
  switch (op) {
    case "equals":
      return value === wanted;
    case "not_equals":
      return value !== wanted;
    case "at_least":
      return typeof value === "number" && typeof wanted === "number" && value >= wanted;
    case "at_most":
      return typeof value === "number" && typeof wanted === "number" && value <= wanted;
  }
}

function byCondition(scheduleId: string, unmet: Condition): ExcludedSchedule {
  return { scheduleId, is: "condition", reason: `its condition does not hold: ${wordsOf(unmet)}` };
}

function wordsOf(condition: Condition): string {
  if (condition.type === "tag") return `the tag “${condition.tag}” must ${condition.is_present ? "be there" : "be absent"}`;
  if (condition.type === "variable")
    return `${condition.name} must be ${condition.op.replaceAll("_", " ")} ${JSON.stringify(condition.value)}`;
  return condition.type;
}

function broken(raw: Record<string, unknown>, reason: string): ExcludedSchedule {
  return { scheduleId: typeof raw["id"] === "string" ? raw["id"].slice(0, 64) : "unknown", is: "broken", reason: reason.slice(0, 500) };
}
