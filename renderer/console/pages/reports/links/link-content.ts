// The content of a link, in words and as the API takes it.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import type { MessageKey } from "../../../i18n/catalogue.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Span } from "../period.ts";
import { groupFor, limitFor, type Group, type ReportKind, type ReportSearch } from "../search.ts";

const text = texts("reports");

const perGroup = {
  day: "perDay",
  player: "perPlayer",
  tag: "perTag",
  layout: "perLayout",
  schedule: "perSchedule",
  item: "perItem",
  asset: "perAsset",
} as const satisfies Record<Group, MessageKey<"reports">>;

export type ReportChoice = Schemas["ReportLink"]["report"];

/** The report of the page. A period until now stays so: who opens the link later sees the days until then. */
export function chosenReport(kind: ReportKind, search: ReportSearch, span: Span): Schemas["NewReportLink"]["report"] {
  const limit = limitFor(kind, search);
  const rolls = span.isOpen && search.period !== "custom" && search.period !== "thisMonth";
  return {
    kind,
    group_by: groupFor(kind, search),
    timezone: span.timezone,
    ...(rolls ? { last_days: span.days } : { from: span.from, to: span.to }),
    ...(limit === null ? {} : { [limit.by]: limit.id }),
  };
}

/** Such as “the last 30 days until it is opened”. */
export function periodInWords({
  last_days: days,
  from,
  to,
  timezone,
}: Pick<ReportChoice, "last_days" | "from" | "to" | "timezone">): string {
  if (days !== undefined) return text("whatRolling", { days });
  return text("whatFixed", { from: formatDateTime(new Date(from!), timezone), to: formatDateTime(new Date(to!), timezone) });
}

/** Such as “Shown, by screen”. */
export function kindInWords({ kind, group_by: group }: Pick<ReportChoice, "kind" | "group_by">): string {
  return text("kindBy", { kind: text(kind), group: text(perGroup[group]) });
}
