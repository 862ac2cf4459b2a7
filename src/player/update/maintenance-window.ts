// Tells when the player may switch to another version of its program or browser. Pure.
import type { Opening } from "../../protocol/scheduling/opening-hours.ts";
import { openingHoursWindows } from "../../schedule/calendar/daily-windows.ts";
import { openPeriodAt } from "../../schedule/calendar/open-period.ts";
import type { TimeZoneRules } from "../../schedule/calendar/time-zone.ts";

/** The window of a player without windows of its own: at night, while few people look. */
const defaultWindows: readonly Opening[] = [{ from: "02:00", until: "05:00" }];

/** When the next maintenance window opens, UTC ms; null: one is open at `now`. */
export function windowOpensAt(windows: readonly Opening[] = defaultWindows, timeZone: TimeZoneRules, now: number): number | null {
  const { isOpen, until } = openPeriodAt(openingHoursWindows(windows, timeZone), now);
  return isOpen ? null : until;
}
