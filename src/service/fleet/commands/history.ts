// The history of a command: every status that it had, with its time and reason. Stored as JSON lines, so that one update appends to many.
import { sql, type RawBuilder } from "kysely";
import type { CommandChange, CommandStatus } from "../../../protocol/device/commands.ts";
import type { CommandRow } from "../../store/tables/fleet.ts";

/** The line of a status. `at`: ms since the epoch. */
export function historyLine(status: CommandStatus, at: number, detail: string | null = null): string {
  return `${JSON.stringify({ status, at, detail })}\n`;
}

/** The column's new value, for an update of one or many commands. */
export function withLine(line: string): RawBuilder<string> {
  return sql<string>`history || ${line}`;
}

/** The history as the API shows it. Versions before it stored only the last status. */
export function showHistory(row: CommandRow): CommandChange[] {
  return completeHistory(row)
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { status, at, detail } = JSON.parse(line) as { status: CommandStatus; at: number; detail: string | null };
      return { status, at: new Date(at).toISOString(), detail };
    });
}

function completeHistory({ history, status, created_at, updated_at }: CommandRow): string {
  const queued = historyLine("queued", created_at);
  if (history !== "") return history.startsWith('{"status":"queued"') ? history : queued + history;
  return status === "queued" ? queued : queued + historyLine(status as CommandStatus, updated_at);
}
