// A ready state made fit for questions: schedules parsed one by one, the bad ones set aside with the reason, layouts and loops by their ids.
import type { DesiredAsset, DesiredLayout } from "../../protocol/desired.ts";
import type { PlaylistItem } from "../../protocol/items.ts";
import { DesiredSchedule, type Condition, type Variables } from "../../protocol/schedule.ts";
import type { Ready } from "../content-cache.ts";
import { durationOf } from "../scene-item.ts";
import { Agenda, type Entry } from "./agenda.ts";
import { reelOf, type Reel } from "./timeline.ts";
import { windowsOf } from "./windows.ts";
import { zoneOf, type Zone } from "./zone.ts";

/** A schedule that does not take part, and why. */
export interface SetAside {
  scheduleId: string;
  /** `broken`: it cannot be read or shown, which is worth a report. `condition`: as it was meant. */
  is: "broken" | "condition";
  reason: string;
}

/** What all answers are drawn from. */
export interface State {
  ready: Ready;
  agenda: Agenda;
  setAside: readonly SetAside[];
  layouts: ReadonlyMap<string, DesiredLayout>;
  assets: ReadonlyMap<string, DesiredAsset>;
  reels: ReadonlyMap<string, Reel>;
}

const states = new WeakMap<Ready, Map<string, State>>();
const longestPlayMs = 3_600_000;
const leastPlayMs = 1_000;

/** The state of `ready` for a box whose own zone is `deviceZone`. Made once for each. */
export function stateOf(ready: Ready, deviceZone: string): State {
  let byZone = states.get(ready);
  if (byZone === undefined) states.set(ready, (byZone = new Map()));
  let state = byZone.get(deviceZone);
  if (state === undefined) byZone.set(deviceZone, (state = create(ready, deviceZone)));
  return state;
}

function create(ready: Ready, deviceZone: string): State {
  const { desired, files } = ready;
  const { player, playlists } = desired;
  const assets = new Map(desired.assets.map((asset) => [asset.id, asset]));
  const layouts = new Map([...desired.layouts, ...(desired.layout === null ? [] : [desired.layout])].map((layout) => [layout.id, layout]));
  const lengths = new Map(playlists.map(({ id, items }) => [id, lengthOf(items, assets)]));
  const zone = (player.timezone === null ? null : zoneOf(player.timezone)) ?? zoneOf(deviceZone) ?? zoneOf("UTC")!;
  const setAside: SetAside[] = [];
  const entries: Entry[] = [];
  const times = new Map<unknown, number>();
  for (const { id } of desired.schedules) times.set(id, (times.get(id) ?? 0) + 1);
  for (const raw of desired.schedules) {
    const entry = entryOf(raw, zone, layouts, lengths);
    if ("reason" in entry) setAside.push(entry);
    // Which of the two counts would hang on their order.
    else if (times.get(entry.schedule.id)! > 1) setAside.push(broken(raw, "another schedule has the same id"));
    else {
      const unmet = entry.schedule.conditions.find((condition) => !holds(condition, player.tags, player.variables));
      if (unmet === undefined) entries.push(entry);
      else setAside.push({ scheduleId: entry.schedule.id, is: "condition", reason: `its condition does not hold: ${wordsOf(unmet)}` });
    }
  }
  const reels = new Map(playlists.map(({ id, items }) => [id, reelOf(items, assets, files)]));
  return { ready, agenda: new Agenda(entries), setAside, layouts, assets, reels };
}

function entryOf(
  raw: Record<string, unknown>,
  playerZone: Zone,
  layouts: ReadonlyMap<string, DesiredLayout>,
  lengths: ReadonlyMap<string, number>,
): Entry | SetAside {
  const read = readOnce(raw, playerZone);
  if ("reason" in read) return read;
  const { schedule, windows } = read;
  const layout = layouts.get(schedule.layout_id);
  if (layout === undefined) return broken(raw, `its layout ${schedule.layout_id} is gone`);
  return { schedule, layout, windows, playMs: playMsOf(schedule, layout, lengths) };
}

type Read = Pick<Entry, "schedule" | "windows"> | SetAside;

// A new revision changes a few schedules out of many: those that stayed are not read again.
const mostKept = 20_000;
const kept = new Map<string, Read>();

function readOnce(raw: Record<string, unknown>, playerZone: Zone): Read {
  const key = `${playerZone.name} ${JSON.stringify(raw)}`;
  let read = kept.get(key);
  if (read === undefined) {
    if (kept.size >= mostKept) kept.clear();
    read = parse(raw, playerZone);
    kept.set(key, read);
  }
  return read;
}

function parse(raw: Record<string, unknown>, playerZone: Zone): Read {
  const parsed = DesiredSchedule.safeParse(raw);
  if (!parsed.success) {
    return broken(raw, parsed.error.issues.map(({ path, message }) => `/${path.join("/")}: ${message}`).join("; "));
  }
  const schedule = parsed.data;
  const zone = schedule.timezone === null ? playerZone : zoneOf(schedule.timezone);
  return zone === null ? broken(raw, `the zone ${schedule.timezone} is unknown here`) : { schedule, windows: windowsOf(schedule, zone) };
}

/** Goes by all items, also those not at hand or not valid now: players with the same state share one grid. */
function playMsOf({ interrupt }: DesiredSchedule, layout: DesiredLayout, lengths: ReadonlyMap<string, number>): number {
  const given = interrupt?.play_ms;
  if (given !== undefined) return given;
  const longest = Math.max(0, ...layout.zones.map(({ playlist_id }) => (playlist_id === null ? 0 : (lengths.get(playlist_id) ?? 0))));
  return Math.min(Math.max(longest, leastPlayMs), longestPlayMs);
}

function lengthOf(items: readonly PlaylistItem[], assets: ReadonlyMap<string, DesiredAsset>): number {
  return items.reduce((sum, item) => sum + durationOf(item, "asset_id" in item ? (assets.get(item.asset_id) ?? null) : null), 0);
}

function holds(condition: Condition, tags: readonly string[], variables: Variables): boolean {
  switch (condition.type) {
    case "tag":
      return tags.includes(condition.tag) === condition.is_present;
    case "variable": {
      const value = variables[condition.name];
      switch (condition.op) {
        case "equals":
          return value === condition.value;
        case "not_equals":
          return value !== condition.value;
        case "at_least":
          return typeof value === "number" && typeof condition.value === "number" && value >= condition.value;
        case "at_most":
          return typeof value === "number" && typeof condition.value === "number" && value <= condition.value;
      }
    }
    // Conditions of time cut the windows instead.
    case "date":
    case "daypart":
      return true;
  }
}

function wordsOf(condition: Condition): string {
  if (condition.type === "tag") return `the tag “${condition.tag}” must ${condition.is_present ? "be there" : "be absent"}`;
  if (condition.type === "variable")
    return `${condition.name} must be ${condition.op.replaceAll("_", " ")} ${JSON.stringify(condition.value)}`;
  return condition.type;
}

function broken(raw: Record<string, unknown>, reason: string): SetAside {
  return { scheduleId: typeof raw["id"] === "string" ? raw["id"].slice(0, 64) : "unknown", is: "broken", reason: reason.slice(0, 500) };
}
