// The status of a command: how it may change, and the command as the API and its events show it.
import { iso } from "../../../base/time.ts";
import { finalStatuses, type Command, type CommandStatus } from "../../../protocol/device/commands.ts";
import { showHistory } from "./history.ts";
import type { NewEvent } from "../../events/event-journal.ts";
import type { CommandRow } from "../../store/tables/fleet.ts";

/** The statuses of a command that its device has not acknowledged. */
export const openStatuses = ["queued", "delivered"];
/** The statuses of a command that its device has acknowledged but not finished. */
export const startedStatuses = ["acknowledged", "running"];

/** The stored error of a command whose device stopped reporting. */
export const noAnswerError = JSON.stringify({
  code: "no-answer",
  detail:
    "The screen started the command but did not report its end, perhaps because of a power or disk failure. Check its heartbeat, then send the command again",
});

/** The stored error of a command that was cancelled before it was sent. */
export const cancelledUnsentError = JSON.stringify({ code: "cancelled", detail: "It was cancelled before it was sent to the screen" });

const order: readonly CommandStatus[] = ["queued", "delivered", "acknowledged", "running"];

/** True if a command may change to the status that its device reports. Statuses only move forward. */
export function canChangeTo(row: CommandRow, status: CommandStatus): boolean {
  const current = row.status as CommandStatus;
  // The device executed the command and only its report was late: believe the device.
  if (current === "expired") return status !== "expired";
  // It was being sent at the same instant.
  if (current === "cancelled" && row.error === cancelledUnsentError) return status !== "cancelled";
  if (current === "failed" && row.error === noAnswerError) return finalStatuses.includes(status);
  if (finalStatuses.includes(current)) return false;
  return finalStatuses.includes(status) || order.indexOf(status) > order.indexOf(current);
}

/** The command as the API shows it. */
export function showCommand(row: CommandRow): Command {
  return {
    id: row.id,
    player_id: row.player_id,
    type: row.type as Command["type"],
    args: JSON.parse(row.args) as Command["args"],
    status: row.status as CommandStatus,
    result: row.result === null ? null : (JSON.parse(row.result) as Command["result"]),
    error: row.error === null ? null : (JSON.parse(row.error) as Command["error"]),
    history: showHistory(row),
    batch_id: row.batch_id,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    expires_at: iso(row.expires_at),
  };
}

/** True if an event reports the end of a command; its data is the command. */
export function isEndOfCommand({ type }: { type: string }): boolean {
  return finalStatuses.some((status) => type === `command.${status}`);
}

/** The event for the current status of a command. */
export function commandEvent(row: CommandRow): NewEvent {
  const command = showCommand(row);
  return { teamId: row.team_id, type: `command.${command.status}`, data: { ...command }, players: [row.player_id] };
}
