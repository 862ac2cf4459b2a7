// Proof-of-play reports in JSON or CSV, streamed while they are computed.
import type { Clock } from "../../../base/clock.ts";
import { PlayReport, PlayReportQuery, type PlayReportRow } from "../../../protocol/device/play-events.ts";
import { csvLine } from "../../http/responses/csv.ts";
import { countPlays, needsTags, reportSpan, type PlayCount } from "../play-report.ts";
import { ReportNames } from "../report-names.ts";
import { readTags } from "../reported-players.ts";
import type { Store } from "../../store/store.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { StreamResponse } from "../../operations/responses.ts";

interface ReportDependencies {
  clock: Clock;
  store: Store;
}

type Rows = AsyncIterator<PlayReportRow[]>;

const operation = operationsWith<ReportDependencies>();

export const reportOperations: readonly Operation<ReportDependencies>[] = [
  operation({
    name: "getProofOfPlay",
    tag: "play events",
    method: "GET",
    path: "/reports/proof-of-play",
    summary: "Report plays",
    description:
      "Number of plays and their time on screen, grouped by `group_by`. A play counts for the day or hour in which it started. CSV with `Accept: text/csv` or `format=csv`; spreadsheets read no cell as a formula. Without `from` and `to` it covers the last 30 days; at most 400 days, or 62 by the hour.",
    agent: "Use it to count what was shown. Request a limited period and few groups; it is not a live view.",
    caller: "operator",
    scope: "play_events:read",
    query: PlayReportQuery,
    status: 200,
    output: PlayReport,
    texts: ["text/csv"],
    errors: ["invalid"],
    headers: { Accept: "`text/csv` for CSV" },
    async run({ clock, store }, { teamId, header, signal }, { query }) {
      const tags = needsTags(query) ? await readTags(store.db, teamId) : new Map<string, string[]>();
      const counted = countPlays({ clock, store }, teamId, query, reportSpan(query, Math.trunc(clock.now())), tags, signal);
      const rows = withNames(counted, new ReportNames(store.db, teamId));
      // Compute the first rows before the response starts, so that an error can still become a problem.
      const first = await rows.next();
      const isCsv = query.format === undefined ? /^\s*text\/csv\b/i.test(header("accept") ?? "") : query.format === "csv";
      const cells = cellsOf(query.group_by);
      return isCsv
        ? new StreamResponse("text/csv; charset=utf-8; header=present", csv(first, rows, cells), {
            "Content-Disposition": 'attachment; filename="proof-of-play.csv"',
            Vary: "Accept",
          })
        : new StreamResponse("application/json; charset=utf-8", json(first, rows), { Vary: "Accept" });
    },
  }),
];

const figures = ["plays", "completed", "cut", "failed", "skipped", "duration_ms", "first_at", "last_at", "not_shown"] as const;

function cellsOf(groups: PlayReportQuery["group_by"]): (keyof PlayReportRow)[] {
  const keys = groups.flatMap((group): (keyof PlayReportRow)[] => {
    if (group === "day" || group === "hour" || group === "layer" || group === "tag") return [group];
    return group === "player" || group === "asset" ? [`${group}_id`, `${group}_name`] : [`${group}_id`];
  });
  return [...keys, ...figures];
}

async function* csv(first: IteratorResult<PlayReportRow[]>, rows: Rows, cells: (keyof PlayReportRow)[]): AsyncGenerator<string> {
  yield csvLine(cells);
  for (let part = first; part.done !== true; part = await rows.next()) {
    yield part.value.map((row) => csvLine(cells.map((cell) => row[cell]))).join("");
  }
}

async function* json(first: IteratorResult<PlayReportRow[]>, rows: Rows): AsyncGenerator<string> {
  yield '{"data":[';
  let between = "";
  for (let part = first; part.done !== true; part = await rows.next()) {
    yield between + part.value.map((row) => JSON.stringify(row)).join(",");
    between = ",";
  }
  yield "]}";
}

/** Adds the names of the counted things. */
async function* withNames(parts: AsyncIterable<PlayCount[]>, names: ReportNames): AsyncGenerator<PlayReportRow[]> {
  for await (const rows of parts) yield names.addTo(rows);
}
