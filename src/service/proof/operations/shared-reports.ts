// The report of a link, for anybody who has its secret.
import { SharedReport, SharedReportQuery, type SharedReportRow } from "../../../protocol/operator/report-links.ts";
import { csvLine } from "../../http/responses/csv.ts";
import type { OpenedReport, ReportLinks } from "../report-links.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { JsonResponse, StreamResponse } from "../../operations/responses.ts";

interface SharedReportDependencies {
  reportLinks: ReportLinks;
}

const maxRows = 1_000;
// Neither search engines nor caches may keep a report that was meant for one reader.
const headers = { "X-Robots-Tag": "noindex, nofollow", "Cache-Control": "no-store" };

const operation = operationsWith<SharedReportDependencies>();

export const sharedReportOperations: readonly Operation<SharedReportDependencies>[] = [
  operation({
    name: "getSharedReport",
    tag: "report links",
    method: "GET",
    path: "/shared-report",
    summary: "Read a shared report",
    description:
      "The report of a link, without an account. It has names and figures, and no ids. It is computed once a minute at most; an address may read 60 times a minute. With `format=csv` all its rows as CSV. A link that is unknown, revoked or over is `not-found`.",
    agent: false,
    caller: "anyone",
    query: SharedReportQuery,
    status: 200,
    output: SharedReport,
    texts: ["text/csv"],
    errors: ["not-found", "invalid", "too-many"],
    async run({ reportLinks }, { address, trust }, { query }) {
      const report = await reportLinks.open(query.key, address);
      trust();
      if (query.format === "csv") {
        const file = { "Content-Disposition": 'attachment; filename="report.csv"' };
        return new StreamResponse("text/csv; charset=utf-8; header=present", csv(report), { ...headers, ...file });
      }
      const { head, days, rows } = report;
      return new JsonResponse(200, { ...head, days, rows: rows.slice(0, maxRows), row_count: rows.length } satisfies SharedReport, headers);
    },
  }),
];

async function* csv({ head, rows }: OpenedReport): AsyncGenerator<string> {
  const figures = Object.keys(rows[0] ?? { name: null }).filter((key) => key !== "name") as (keyof SharedReportRow)[];
  yield csvLine([head.group_by, ...figures]);
  for (const row of rows) yield csvLine([row.name, ...figures.map((figure) => row[figure])]);
}
