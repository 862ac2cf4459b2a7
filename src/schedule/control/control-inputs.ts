// The inputs of opening hours and recurring commands: the player's wall clock and the dates of its calendars.
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { CalendarDates } from "../calendar/condition-cuts.ts";
import { timeZoneRulesOrUtc, type TimeZoneRules } from "../calendar/time-zone.ts";
import type { HoursOnClock } from "./display-hours.ts";

/** @param deviceZone the machine's own time zone, for a player without one. */
export function controlClock({ player, calendars }: DesiredState, deviceZone: string): { clock: TimeZoneRules; calendars: CalendarDates } {
  return {
    clock: timeZoneRulesOrUtc(player.timezone, deviceZone),
    calendars: new Map((calendars ?? []).map(({ id, dates }) => [id, dates])),
  };
}

/** The opening hours of the display; null: it has none. */
export function displayHoursOf(desired: DesiredState | null, deviceZone: string): HoursOnClock | null {
  const hours = desired?.player.display_hours;
  return desired === null || hours === undefined ? null : { hours, ...controlClock(desired, deviceZone) };
}
