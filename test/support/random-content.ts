// Random content of a screen, in the form in which the API takes it: items of every kind that plays by itself, and schedules of every form
// around the change of a clock. A seed repeats it.
import { timeZoneRulesOrUtc } from "../../src/schedule/calendar/time-zone.ts";
import { diceOf, randomConditions, randomSchedule, timeOfDay, timeZones, type Dice } from "./random-schedule.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What items and conditions refer to. It exists already. */
export interface Library {
  images: readonly string[];
  videos: readonly string[];
  pdfs: readonly string[];
  calendarId: string;
  /** Without one, there are no feeds. */
  feedUrl: string | null;
}

/** Something done by hand before the instant: a command. */
export interface RandomAct {
  beforeMs: number;
  type: "override.set" | "pause" | "variables.set";
  /** Of an override; its place in the list of layouts. */
  layout?: number;
  args: Record<string, unknown>;
}

/** Playlists, layouts and schedules refer to each other by their places in the lists. */
export interface RandomContent {
  timezone: string;
  /** The instant at which it is looked at. */
  instant: number;
  tags: string[];
  variables: Record<string, number | string>;
  dates: string[];
  playlists: Record<string, unknown>[][];
  /** The playlist of each zone. */
  layouts: number[][];
  assigned: number | null;
  schedules: { layout: number; fields: Record<string, unknown> }[];
  acts: RandomAct[];
}

/** @param from no instant is before it. The clock of the screen changes within some days of the instant, if it ever changes. */
export function randomContent(random: () => number, library: Library, from: number): RandomContent {
  const dice = diceOf(random);
  const timezone = dice.one(timeZones);
  const change = dice.one(clockChanges(timezone, from)) ?? from + 40 * dayMs;
  const nearMs = dice.isLucky(0.5) ? 3 * hourMs : 40 * hourMs;
  const instant = change + Math.round((random() - 0.5) * 2 * nearMs);
  const day = (offset: number): string => new Date(instant + offset * dayMs).toISOString().slice(0, 10);
  const playlists = Array.from({ length: 5 }, () => Array.from({ length: 1 + dice.below(5) }, () => randomItem(dice, library, instant)));
  const layouts = Array.from({ length: 4 }, () => [dice.below(5), dice.below(5)]);
  const schedules = Array.from({ length: 2 + dice.below(5) }, () => ({
    layout: dice.below(layouts.length),
    fields: randomSchedule(dice, library.calendarId, timezone, instant),
  }));
  return {
    timezone,
    instant,
    tags: dice.isLucky(0.5) ? ["bar"] : [],
    variables: { guests: dice.below(10), menu: dice.one(["lunch", "dinner"]) },
    dates: [-1, 0, 1].filter(() => dice.isLucky(0.5)).map(day),
    playlists,
    layouts,
    assigned: dice.isLucky(0.8) ? dice.below(layouts.length) : null,
    schedules,
    acts: randomActs(dice, layouts.length, library),
  };
}

function randomItem(dice: Dice, { images, videos, pdfs, calendarId, feedUrl }: Library, instant: number): Record<string, unknown> {
  const background_color = `#${[0, 1, 2].map(() => dice.one(["00", "30", "60"])).join("")}`;
  const color = "#ffffff";
  const duration_ms = 1_000 * (2 + dice.below(40));
  const items = [
    { type: "image", asset_id: dice.one(images), duration_ms, fit: "fill" },
    { type: "video", asset_id: dice.one(videos), fit: "fill" },
    { type: "pdf", asset_id: dice.one(pdfs), page_duration_ms: 1_000 * (2 + dice.below(10)) },
    { type: "text", text: "Mittagstisch", color, background_color, duration_ms },
    { type: "ticker", text: "Heute: Linsensuppe", color, background_color, duration_ms },
    { type: "clock", color, background_color, duration_ms },
    { type: "qr", data: "https://example.com/menu", color, background_color, duration_ms },
    ...(feedUrl === null ? [] : [{ type: "feed", url: feedUrl, color, background_color, entry_duration_ms: 5_000, max_entries: 2 }]),
  ];
  const near = (): string => new Date(instant + (dice.below(8) - 4) * hourMs).toISOString();
  const [from, until] = [timeOfDay(dice), timeOfDay(dice)];
  const weekdays = dice.isLucky(0.3) ? { weekdays: ["SA", "SU"] } : {};
  return {
    ...dice.one(items),
    ...(dice.isLucky(0.35) && from !== until ? { dayparts: [{ from, until, ...weekdays }] } : {}),
    ...(dice.isLucky(0.15) ? { valid_from: near() } : {}),
    ...(dice.isLucky(0.15) ? { valid_until: near() } : {}),
    ...(dice.isLucky(0.3) ? { conditions: randomConditions(dice, calendarId) } : {}),
    ...(dice.isLucky(0.1) ? { max_plays_per_hour: 1 + dice.below(20) } : {}),
    ...(dice.isLucky(0.1) ? { max_plays_per_day: 1 + dice.below(500) } : {}),
  };
}

/** Most of what is done by hand is in force at the instant, some has ended. */
function randomActs(dice: Dice, layouts: number, { images }: Library): RandomAct[] {
  const acts: RandomAct[] = [];
  const about = () => ({ beforeMs: 1_000 * (5 + dice.below(900)), duration_ms: 1_000 * (300 + dice.below(1_200)) });
  const override = (): void => {
    const { beforeMs, duration_ms } = about();
    const args = { duration_ms, level: dice.isLucky(0.3) ? "emergency" : "normal" };
    if (dice.isLucky(0.3)) acts.push({ beforeMs, type: "override.set", args: { ...args, asset_id: dice.one(images) } });
    else acts.push({ beforeMs, type: "override.set", layout: dice.below(layouts), args });
  };
  if (dice.isLucky(0.25)) override();
  if (dice.isLucky(0.1)) override();
  if (dice.isLucky(0.15)) {
    const { beforeMs, duration_ms } = about();
    acts.push({ beforeMs, type: "variables.set", args: { variables: { guests: dice.below(10) }, duration_ms } });
  }
  if (dice.isLucky(0.1)) {
    const { beforeMs, duration_ms } = about();
    acts.push({ beforeMs, type: "pause", args: { duration_ms } });
  }
  return acts.toSorted((a, b) => b.beforeMs - a.beforeMs);
}

/** When a clock changes in the year and a half after `from`, to the hour or half an hour. */
function clockChanges(timezone: string, from: number): (number | null)[] {
  const zone = timeZoneRulesOrUtc(timezone);
  const halfHourMs = hourMs / 2;
  const first = Math.ceil((from + 3 * dayMs) / halfHourMs) * halfHourMs;
  const changes: number[] = [];
  for (let day = first; day < first + 550 * dayMs; day += dayMs) {
    if (zone.offsetAt(day) === zone.offsetAt(day + dayMs)) continue;
    let at = day;
    while (zone.offsetAt(at) === zone.offsetAt(day)) at += halfHourMs;
    changes.push(at);
  }
  return changes.length === 0 ? [null] : changes;
}
