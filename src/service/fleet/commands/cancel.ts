// Cancels a command: at once if it was never sent, otherwise by a command to its device, which reports whether it came in time.
import type { Clock } from "../../../base/clock.ts";
import { finalStatuses, type CommandStatus } from "../../../protocol/device/commands.ts";
import type { EventJournal } from "../../events/event-journal.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Change } from "../../operations/unit-of-work.ts";
import type { Db } from "../../store/store.ts";
import type { CommandRow, PlayerRow } from "../../store/tables/fleet.ts";
import { historyLine, withLine } from "./history.ts";
import { cancelledUnsentError, commandEvent } from "./status.ts";
import type { Commands } from "./commands.ts";

// It must reach the device while the other command may still run there.
const ttlSeconds = 3_600;

export interface CancelDependencies {
  clock: Clock;
  commands: Commands;
  events: EventJournal;
}

/**
 * Cancels a command, in the transaction of the request. Asking again changes nothing.
 * @throws ProblemError 409 when it has ended.
 */
export async function cancelCommand(
  dependencies: CancelDependencies,
  db: Db,
  player: PlayerRow,
  row: CommandRow,
): Promise<Change<CommandRow>> {
  const status = row.status as CommandStatus;
  if (finalStatuses.includes(status)) throw new ProblemError("wrong-status", `The command has ended: ${status}`);
  if (row.type === "cancel") throw new ProblemError("wrong-status", "A cancellation cannot be cancelled: send the other command again");
  if (status === "queued") {
    const [cancelled] = await cancelUnsent(dependencies, db, [row]);
    const hadOverride = await db.deleteFrom("overrides").where("command_id", "=", row.id).executeTakeFirst();
    const affected = hadOverride.numDeletedRows > 0n ? [player] : [];
    return { result: cancelled!, affected, committed: () => dependencies.commands.markEnded([cancelled!]) };
  }
  if (row.cancel_requested_at !== null) return { result: row };
  const now = Math.trunc(dependencies.clock.now());
  const asked = {
    cancel_requested_at: now,
    updated_at: now,
    history: withLine(historyLine(status, now, "Its cancellation was requested")),
  };
  const result = await db.updateTable("commands").set(asked).where("id", "=", row.id).returningAll().executeTakeFirstOrThrow();
  const request = { type: "cancel", args: { command_id: row.id }, ttl_s: ttlSeconds } as const;
  const { entry } = await dependencies.commands.queue(db, player, request);
  return { result, entries: [entry] };
}

/** Ends commands that are queued and were not sent. Call {@link Commands.markEnded} after the commit. */
export async function cancelUnsent(
  { clock, events }: Pick<CancelDependencies, "clock" | "events">,
  db: Db,
  rows: readonly Pick<CommandRow, "id">[],
): Promise<CommandRow[]> {
  const now = Math.trunc(clock.now());
  const change = { status: "cancelled", error: cancelledUnsentError, updated_at: now, cancel_requested_at: now };
  const history = withLine(historyLine("cancelled", now, "It was cancelled before it was sent"));
  const cancelled = await db
    .updateTable("commands")
    .set({ ...change, history })
    .where(
      "id",
      "in",
      rows.map(({ id }) => id),
    )
    .where("status", "=", "queued")
    .returningAll()
    .execute();
  await events.append(db, cancelled.map(commandEvent));
  return cancelled;
}
