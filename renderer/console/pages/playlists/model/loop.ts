// How long one round of a playlist takes at an instant, and which items it leaves out. By the player's own rules. Pure.
import { itemDurationMs, lastsAsItsFile } from "../../../../../src/protocol/content/items.ts";
import { isValid, itemValidity, type ItemValidity } from "../../../../../src/schedule/playlist/item-validity.ts";
import { timeZoneRulesOrUtc, type TimeZoneRules } from "../../../../../src/schedule/calendar/time-zone.ts";
import type { Item } from "../../../items/item.ts";
import type { Row } from "./rows.ts";

/** The properties of a file that durations depend on. */
export interface Media {
  duration_ms: number | null;
  page_count: number | null;
}

/** Why a round leaves an item out. */
export type Absence = "not-yet" | "over" | "not-now";

export interface Loop {
  /** Of a round with every item that is shown then. */
  totalMs: number;
  /** The same without items that are limited to some plays per hour or day; null: none is. */
  unlimitedMs: number | null;
  itemCount: number;
  absences: ReadonlyMap<string, Absence>;
  /** True if the length of a file is not known yet. */
  isUncertain: boolean;
}

type RuleItem = Parameters<typeof itemDurationMs>[0];

/** How long an item plays; null: as long as its file, whose length is not known yet. */
export function durationOf(item: Item, mediaOf: (assetId: string) => Media | undefined): number | null {
  const media = "asset_id" in item ? mediaOf(item.asset_id) : undefined;
  if (item.duration_ms === undefined && lastsAsItsFile(item.type) && media === undefined) return null;
  const asset = media === undefined ? null : { ...media, page_count: media.page_count ?? undefined };
  return itemDurationMs(item as RuleItem, asset as Parameters<typeof itemDurationMs>[1]);
}

/**
 * On a screen that has the tags and variables which items want. A calendar that is not known excludes nothing.
 * @param timeZone of the screen, IANA
 * @param calendars the dates of each by its id
 */
export function loopAt(
  rows: readonly Row[],
  mediaOf: (assetId: string) => Media | undefined,
  instant: number,
  timeZone: string,
  calendars: ReadonlyMap<string, readonly string[]>,
): Loop {
  const rules = timeZoneRulesOrUtc(timeZone);
  const absences = new Map<string, Absence>();
  let [totalMs, limitedMs, limitedCount, itemCount, isUncertain] = [0, 0, 0, 0, false];
  for (const { key, item } of rows) {
    if (!isValid(validityOf(item as RuleItem, rules, calendars), instant)) {
      absences.set(key, absenceOf(item, instant));
      continue;
    }
    itemCount += 1;
    const durationMs = durationOf(item, mediaOf);
    isUncertain ||= durationMs === null;
    totalMs += durationMs ?? 0;
    if (!isLimited(item)) continue;
    limitedCount += 1;
    limitedMs += durationMs ?? 0;
  }
  return { totalMs, unlimitedMs: limitedCount === 0 ? null : totalMs - limitedMs, itemCount, absences, isUncertain };
}

function validityOf(item: RuleItem, rules: TimeZoneRules, calendars: ReadonlyMap<string, readonly string[]>): ItemValidity | null {
  const conditions = item.conditions?.filter((each) => each.type !== "calendar" || calendars.has(each.calendar_id));
  return itemValidity({ ...item, conditions }, rules, calendars);
}

function absenceOf({ valid_from, valid_until }: Item, instant: number): Absence {
  if (valid_from !== undefined && instant < Date.parse(valid_from)) return "not-yet";
  return valid_until !== undefined && instant >= Date.parse(valid_until) ? "over" : "not-now";
}

/** True if the item is left out of some rounds. */
export function isLimited({ max_plays_per_hour, max_plays_per_day }: Item): boolean {
  return max_plays_per_hour !== undefined || max_plays_per_day !== undefined;
}

/** True if the item plays at some times only, besides its conditions. */
export function isTimed({ valid_from, valid_until, dayparts }: Item): boolean {
  return (valid_from ?? valid_until ?? dayparts) !== undefined;
}
