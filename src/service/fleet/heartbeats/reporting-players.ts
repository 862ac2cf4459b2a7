// Looks up the players of heartbeats, many by one query: a fleet reports at the same time after a change for all.
import type { Clock } from "../../../base/clock.ts";
import { BatchedLookup } from "../../store/tables/batched-lookup.ts";
import { isOneOf, textList, type TextList } from "../../store/dialect.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { isOpenCommand } from "../commands/open-commands.ts";

export interface ReportingPlayer extends Pick<PlayerRow, "revision" | "team_id" | "created_at"> {
  /** True if there are commands that it has not acknowledged. */
  has_commands: boolean;
}

const playersById = preparedQuery((db: Db, { ids, now }: { ids: TextList; now: number }) =>
  db
    .selectFrom("players")
    .select(["id", "revision", "team_id", "created_at"])
    .select((row) =>
      row
        .exists(
          row
            .selectFrom("commands")
            .select("commands.id")
            .whereRef("commands.player_id", "=", "players.id")
            .where((command) => isOpenCommand(command, now)),
        )
        .as("has_commands"),
    )
    .where(isOneOf(db, "players.id", ids)),
);

export class ReportingPlayers {
  readonly #lookup: BatchedLookup<ReportingPlayer>;

  constructor(db: Db, clock: Clock) {
    this.#lookup = new BatchedLookup<ReportingPlayer>(async (ids) => {
      const rows = await playersById(db, { ids: textList(db, ids), now: Math.trunc(clock.now()) });
      // SQLite has no booleans.
      return new Map(rows.map((row) => [row.id, { ...row, has_commands: Boolean(row.has_commands) }]));
    });
  }

  find(playerId: string): Promise<ReportingPlayer | undefined> {
    return this.#lookup.get(playerId);
  }
}
