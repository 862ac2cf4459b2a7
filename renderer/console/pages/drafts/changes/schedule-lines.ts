// The differences of two versions of a schedule or a calendar, in words.
import { formatDate, formatList } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { conditionInWords } from "./condition-words.ts";
import type { Schedule } from "../../schedules/model/form.ts";
import { whenInWords } from "../../schedules/calendar/schedule-list.tsx";
import { whereInWords } from "../../schedules/calendar/names.ts";
import { isSameValue } from "../../playlists/model/same-value.ts";
import type { Calendar } from "../../../data/calendars.ts";
import type { NameOf } from "./names.ts";

const text = texts("changes");

/** One part in words; null: it does not exist in that version. */
export interface Line {
  name: string;
  before: string | null;
  after: string | null;
}

const shownFields = [
  "name",
  "layout_id",
  "target",
  "starts_at",
  "ends_at",
  "rrule",
  "timezone",
  "exdates",
  "priority",
  "interrupt",
  "conditions",
  "enabled",
] as const;
const ownFields: readonly string[] = [...shownFields, "id", "created_at", "updated_at", "deleted_at", "warnings", "summary", "next_at"];

/** The parts that differ; all important ones if there is only one version. */
export function scheduleLines(before: Schedule | null, after: Schedule | null, nameOf: NameOf): Line[] {
  const [was, is] = [before === null ? null : partsOf(before, nameOf), after === null ? null : partsOf(after, nameOf)];
  const names = Object.keys(was ?? is ?? {});
  const isWhole = was === null || is === null;
  const lines = names.flatMap((name): Line[] => {
    const [old, next] = [was?.[name] ?? null, is?.[name] ?? null];
    // Only a value other than the usual one is worth a line of something new.
    return old === next || (isWhole && !isAlwaysShown(name)) ? [] : [{ name, before: old, after: next }];
  });
  return !isWhole && hasOther(before!, after!) ? [...lines, { name: text("other"), before: null, after: null }] : lines;
}

function isAlwaysShown(name: string): boolean {
  return [text("layout"), text("where"), text("when")].includes(name);
}

function hasOther(before: Schedule, after: Schedule): boolean {
  const [old, next] = [before as unknown as Record<string, unknown>, after as unknown as Record<string, unknown>];
  return Object.keys(next).some((name) => !ownFields.includes(name) && !isSameValue(old[name], next[name]));
}

function partsOf(schedule: Schedule, nameOf: NameOf): Record<string, string> {
  const { layout_id, target, timezone, priority, conditions, interrupt, exdates, enabled } = schedule;
  return {
    [text("layout")]: nameOf(layout_id),
    [text("where")]: whereOf(target, nameOf),
    [text("when")]: whenInWords(schedule),
    [text("timezone")]: timezone ?? text("ownZone"),
    [text("exceptDates")]: exdates.length === 0 ? text("none") : formatList(exdates.map((date) => formatDate(date.slice(0, 10)))),
    [text("priority")]: String(priority),
    [text("sharing")]: interrupt === null ? text("takesPlace") : `${interrupt.share_percent} %`,
    [text("conditions")]: conditions.length === 0 ? text("none") : formatList(conditions.map((each) => conditionInWords(each, nameOf))),
    [text("enabled")]: text(enabled ? "yes" : "no"),
  };
}

/** Few screens by their names. */
function whereOf(target: Schedule["target"], nameOf: NameOf): string {
  const all = target.type === "any" ? target.of : [target];
  const screens = all.flatMap((each) => (each.type === "player" ? each.player_id : []));
  if (screens.length === 0 || screens.length > 5 || all.some(({ type }) => type === "team")) return whereInWords(target);
  return formatList([...all.flatMap((each) => (each.type === "tag" ? each.tag : [])), ...screens.map(nameOf)]);
}

/** The dates of a calendar that were added or removed. */
export function calendarLines(before: Calendar | null, after: Calendar | null): { is: "added" | "removed"; date: string }[] {
  const [old, next] = [before?.dates ?? [], after?.dates ?? []];
  const has = (dates: typeof old, one: (typeof old)[number]): boolean => dates.some((each) => isSameValue(each, one));
  const wordsOf = ({ date, name }: (typeof old)[number]): string =>
    name == null || name === "" ? formatDate(date) : text("dateNamed", { date: formatDate(date), name });
  return [
    ...next.filter((each) => !has(old, each)).map((each) => ({ is: "added" as const, at: each.date, date: wordsOf(each) })),
    ...old.filter((each) => !has(next, each)).map((each) => ({ is: "removed" as const, at: each.date, date: wordsOf(each) })),
  ].toSorted((one, other) => one.at.localeCompare(other.at));
}
