// The words of windows in the calendar: times on the wall clock of their schedule, layout, and where it plays.
import { dayMs } from "../../../../../src/base/time.ts";
import { formatDay, formatList, formatTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Schedule } from "../model/form.ts";
import type { Due } from "../model/windows.ts";

const text = texts("schedules");

/** Such as `11:00`. @param wall UTC ms at which a clock in UTC shows the same */
export function wallTime(wall: number): string {
  return formatTime(new Date(wall), "UTC");
}

/** Such as `Mon 23 Nov`. */
export function wallDay(wall: number): string {
  return formatDay(new Date(wall), "UTC");
}

/** Such as `Mon 23 Nov 11:00`. */
export function wallMoment(wall: number): string {
  return Number.isFinite(wall) ? `${wallDay(wall)} ${wallTime(wall)}` : text("noEnd");
}

/** Such as `bar and 2 screens`. */
export function whereInWords(target: Schedule["target"]): string {
  const all = target.type === "any" ? target.of : [target];
  if (all.some(({ type }) => type === "team")) return text("everywhere");
  const tags = all.flatMap((each) => (each.type === "tag" ? each.tag : []));
  const screens = all.filter(({ type }) => type === "player").length;
  return formatList([...tags, ...(screens === 0 ? [] : [text("screenCount", { count: screens })])]);
}

/** The text of a window for screen readers. */
export function nameOfDue({ schedule, from, until }: Due, layout: string): string {
  const parts = { name: schedule.name, layout, where: whereInWords(schedule.target) };
  const isWhole = from % dayMs === 0 && (until % dayMs === 0 || !Number.isFinite(until));
  const name = isWhole
    ? text("wholeDayName", { ...parts, from: wallDay(from), to: Number.isFinite(until) ? wallDay(until - 1) : text("noEnd") })
    : text("blockName", { ...parts, from: wallMoment(from), to: wallMoment(until) });
  return schedule.enabled ? name : `${name}, ${text("off")}`;
}

const colours = 8;
const colourIndexes = new Map<string, number>();

/** The colour of a layout: the same on every page of a visit. As long as there are few layouts, each has its own. */
export function colourOf(layoutId: string): number {
  let colour = colourIndexes.get(layoutId);
  if (colour === undefined) colourIndexes.set(layoutId, (colour = colourIndexes.size % colours));
  return colour;
}
