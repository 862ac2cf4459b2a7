// Reads reports: their days for the graph, and their rows page by page.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client, fileUrl } from "../../data/client.ts";
import { usePagedList, type PagedList } from "../../data/paged.ts";
import { useSession } from "../../data/session.ts";
import { formatDate } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import type { FigureRow } from "./figures.ts";
import type { Span } from "./period.ts";
import { groupFor, limitFor, sortFor, type Group, type ReportKind, type ReportSearch, type Sort } from "./search.ts";

const text = texts("reports");
const mostDays = 1_000;
const pageSize = 50;

/** A row of a report of any kind. */
type Row = Partial<
  Schemas["PlayReportRow"] & Omit<Schemas["UptimeReportRow"], "player_name"> & Omit<Schemas["PlanReportRow"], "player_name">
>;
interface RowsPage {
  data: Row[];
  next_cursor: string | null;
  row_count: number;
}

export interface Report {
  days: readonly FigureRow[] | undefined;
  error: Error | null;
  rows: PagedList<FigureRow>;
}

export function useReport(kind: ReportKind, search: ReportSearch, span: Span | null): Report {
  const { team } = useSession();
  const group = groupFor(kind, search);
  const limit = limitFor(kind, search);
  const common = span === null ? null : { ...queryOf(span, limit), kind };
  const days = useQuery({
    queryKey: ["reports", team.id, kind, "day", common],
    queryFn: async ({ signal }) => {
      const page = await readRows(kind, { ...queryOf(span!, limit), group_by: "day", sort: "key", limit: mostDays }, signal);
      return page.data.map((row) => figureRow(row, "day"));
    },
    enabled: span !== null,
    staleTime: 0,
  });
  const sort = sortFor(kind, search, group);
  const rows = usePagedList<FigureRow>(
    ["reports", team.id, kind, group, sort, common],
    async (cursor) => {
      const query = { ...queryOf(span!, limit), group_by: group, sort, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const page = await readRows(kind, query);
      return { data: page.data.map((row) => figureRow(row, group)), next_cursor: page.next_cursor };
    },
    { isEnabled: span !== null },
  );
  return { days: days.data, error: days.error, rows };
}

interface Query {
  from: string;
  to: string;
  timezone: string;
  group_by: string;
  sort: Sort;
  limit: number;
  cursor?: string;
}

function queryOf({ from, to, timezone }: Span, limit: { by: string; id: string } | null) {
  return { from, to, timezone, ...(limit === null ? {} : { [limit.by]: limit.id }) };
}

async function readRows(kind: ReportKind, query: Query, signal?: AbortSignal): Promise<RowsPage> {
  const init = { params: { query: query as never }, ...(signal === undefined ? {} : { signal }) };
  switch (kind) {
    case "plays":
      return jsonOf((await client.get("/api/v1/reports/play-counts", init)).data);
    case "uptime":
      return jsonOf((await client.get("/api/v1/reports/uptime", init)).data);
    case "planned":
      return jsonOf((await client.get("/api/v1/reports/planned-and-shown", init)).data);
  }
}

/** The response, which is a text only if CSV was asked for. */
export function jsonOf<T>(data: T | string): T {
  if (typeof data === "string") throw new TypeError("the response is a text");
  return data;
}

/** The address of all rows as CSV. */
export function csvUrl(kind: ReportKind, search: ReportSearch, span: Span): string {
  const group = groupFor(kind, search);
  const path = { plays: "play-counts", uptime: "uptime", planned: "planned-and-shown" }[kind];
  const query = new URLSearchParams({ ...queryOf(span, limitFor(kind, search)), group_by: group, format: "csv" });
  return fileUrl(`/api/v1/reports/${path}?${query}`);
}

function figureRow(row: Row, group: Group): FigureRow {
  const name = nameOf(row, group);
  const id = keyOf(row, group);
  return { key: id ?? "none", name, figures: row, ...(group === "player" && row.player_name != null ? { playerId: id! } : {}) };
}

function keyOf(row: Row, group: Group): string | null {
  if (group === "day") return row.day ?? null;
  return (group === "tag" ? row.tag : row[`${group}_id`]) ?? null;
}

function nameOf(row: Row, group: Group): string {
  if (group === "day") return formatDate(row.day!);
  if (group === "tag") return row.tag ?? text("untagged");
  const name = row[`${group}_name`];
  if (name != null) return name;
  if (group === "schedule" && row.schedule_id == null) return text("ownLayout");
  return group === "asset" && row.asset_id == null ? text("nobody") : text("removed");
}
