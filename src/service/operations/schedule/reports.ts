// Reports on proof of play: JSON or CSV, sent as they are counted.
import { PlayReport, PlayReportQuery, type PlayReportRow } from "../../../protocol/device/play-events.ts";
import { csvLine } from "../../http/responses/csv.ts";
import { countPlays, reportSpan } from "../../proof/play-report.ts";
import type { Db } from "../../store/store.ts";
import { inChunks } from "../../store/chunks.ts";
import { operation, StreamResponse, type Operation } from "../operation.ts";

type Rows = AsyncIterator<PlayReportRow[]>;

export const reportOperations: readonly Operation[] = [
  operation({
    name: "getProofOfPlay",
    tag: "play events",
    method: "GET",
    path: "/reports/proof-of-play",
    summary: "Report what was played",
    description:
      "Plays and their time on the glass, counted by `group_by`. A play counts where it began. CSV with `Accept: text/csv` or `format=csv`; no cell of it is taken for a formula. Without `from` and `to`: the last 30 days; at most 400 days, 62 by the hour.",
    agent: "Use it to count what was shown. Ask for a bounded time and few groups; it is no live view.",
    caller: "operator",
    scope: "play_events:read",
    query: PlayReportQuery,
    status: 200,
    output: PlayReport,
    texts: ["text/csv"],
    errors: ["invalid"],
    headers: { Accept: "`text/csv` for CSV" },
    async run({ parts, teamId, header, signal }, { query }) {
      const { store, clock } = parts;
      const counted = countPlays(store.plays, teamId, query, reportSpan(query, Math.trunc(clock.now())), signal);
      const rows = named(counted, store.db, teamId);
      // Before the first byte goes out, so that what cannot be counted is refused in words.
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

const figures = ["plays", "completed", "cut", "failed", "skipped", "duration_ms", "first_at", "last_at"] as const;

function cellsOf(groups: PlayReportQuery["group_by"]): (keyof PlayReportRow)[] {
  const keys = groups.flatMap((group): (keyof PlayReportRow)[] => {
    if (group === "day" || group === "hour" || group === "layer") return [group];
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

/** Adds the names that people know players and assets by. */
async function* named(parts: AsyncIterable<PlayReportRow[]>, db: Db, teamId: string): AsyncGenerator<PlayReportRow[]> {
  const known = { players: new Map<string, string | null>(), assets: new Map<string, string | null>() };
  for await (const rows of parts) {
    await learn(
      db,
      teamId,
      "players",
      known.players,
      rows.flatMap((row) => row.player_id ?? []),
    );
    await learn(
      db,
      teamId,
      "assets",
      known.assets,
      rows.flatMap((row) => row.asset_id ?? []),
    );
    yield rows.map((row) => ({
      ...row,
      ...(row.player_id === undefined ? {} : { player_name: known.players.get(row.player_id) ?? null }),
      ...(row.asset_id === undefined ? {} : { asset_name: row.asset_id === null ? null : (known.assets.get(row.asset_id) ?? null) }),
    }));
  }
}

async function learn(
  db: Db,
  teamId: string,
  table: "players" | "assets",
  known: Map<string, string | null>,
  ids: readonly string[],
): Promise<void> {
  const missing = [...new Set(ids)].filter((each) => !known.has(each));
  for (const part of inChunks(missing)) {
    for (const each of part) known.set(each, null);
    const rows = await db.selectFrom(table).select(["id", "name"]).where("team_id", "=", teamId).where("id", "in", part).execute();
    for (const { id, name } of rows) known.set(id, name);
  }
}
