// The subject of a report, as its address says it.

export type ReportKind = "plays" | "uptime" | "planned";
export const periods = ["today", "last7", "last30", "thisMonth", "lastMonth", "custom"] as const;
export type Period = (typeof periods)[number];
export const groups = ["player", "tag", "layout", "schedule", "item", "asset", "day"] as const;
export type Group = (typeof groups)[number];
export const sorts = ["plays", "duration_ms", "failed", "skipped", "uptime", "missing", "key"] as const;
export type Sort = (typeof sorts)[number];

/** The limits of a report: the parameters of the API, of which the address has one at most. */
export const limits = ["player_id", "tag", "layout_id", "schedule_id", "asset_id"] as const;
export type Limit = (typeof limits)[number];

export type ReportSearch = {
  period?: Period | undefined;
  /** Days, the last one included, such as `2026-11-23`; of the period `custom`. */
  from?: string | undefined;
  to?: string | undefined;
  zone?: string | undefined;
  by?: Group | undefined;
  sort?: Sort | undefined;
} & { [L in Limit]?: string | undefined };

/** The groups of each kind of report, the usual one first. */
export const groupsOf: Readonly<Record<ReportKind, readonly Group[]>> = {
  plays: groups,
  uptime: ["player", "tag", "day"],
  planned: ["schedule", "layout", "player", "tag", "day"],
};
export const limitsOf: Readonly<Record<ReportKind, readonly Limit[]>> = {
  plays: limits,
  uptime: ["player_id", "tag"],
  planned: ["player_id", "tag", "layout_id", "schedule_id"],
};
export const sortsOf: Readonly<Record<ReportKind, readonly Sort[]>> = {
  plays: ["plays", "duration_ms", "failed", "skipped", "key"],
  uptime: ["uptime", "key"],
  planned: ["missing", "key"],
};
export const mostDays: Readonly<Record<ReportKind, number>> = { plays: 400, uptime: 366, planned: 31 };

const oneOf = <T extends string>(options: readonly T[], value: unknown): T | undefined => options.find((each) => each === value);
const dateIn = (value: unknown): string | undefined =>
  typeof value === "string" && /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value) ? value : undefined;
const textIn = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

export function validateSearch(rawSearch: Record<string, unknown>): ReportSearch {
  const limit = limits.find((each) => textIn(rawSearch[each]) !== undefined);
  const period = oneOf(periods, rawSearch["period"]);
  return {
    period,
    from: period === "custom" ? dateIn(rawSearch["from"]) : undefined,
    to: period === "custom" ? dateIn(rawSearch["to"]) : undefined,
    zone: textIn(rawSearch["zone"]),
    by: oneOf(groups, rawSearch["by"]),
    sort: oneOf(sorts, rawSearch["sort"]),
    player_id: undefined,
    tag: undefined,
    layout_id: undefined,
    schedule_id: undefined,
    asset_id: undefined,
    ...(limit === undefined ? {} : { [limit]: textIn(rawSearch[limit]) }),
  };
}

/** The group that is shown: the one in the address does not suit each kind. */
export function groupFor(kind: ReportKind, { by }: ReportSearch): Group {
  const own = groupsOf[kind];
  return by !== undefined && own.includes(by) ? by : own[0]!;
}

export function sortFor(kind: ReportKind, { sort }: ReportSearch, group: Group): Sort {
  const own = sortsOf[kind];
  if (group === "day") return "key";
  return sort !== undefined && own.includes(sort) ? sort : own[0]!;
}

/** The limit of the report; null: none that suits its kind. */
export function limitFor(kind: ReportKind, search: ReportSearch): { by: Limit; id: string } | null {
  for (const by of limitsOf[kind]) {
    const id = search[by];
    if (id !== undefined) return { by, id };
  }
  return null;
}
