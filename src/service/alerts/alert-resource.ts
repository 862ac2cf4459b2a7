// Alerts as the API and events show them.
import { iso } from "../../base/time.ts";
import type { Alert } from "../../protocol/operator/alerts.ts";
import type { NewEvent } from "../events/event-journal.ts";
import type { AlertRow } from "../store/tables/events.ts";

/** The alert in its API form. */
export function showAlert(row: AlertRow): Alert {
  return {
    id: row.id,
    player_id: row.player_id,
    player_name: row.player_name,
    kind: row.kind,
    state: row.state,
    site: row.site,
    since: iso(row.since),
    opened_at: iso(row.opened_at),
    closed_at: iso(row.closed_at),
    close_reason: row.close_reason,
    detail: row.detail,
    remedy: row.remedy,
    acknowledged_at: iso(row.acknowledged_at),
    acknowledged_by: acknowledgerOf(row),
  };
}

/** The user that acknowledged the alert; null: nobody. */
export function acknowledgerOf({ acknowledged_by, acknowledged_name }: AlertRow): Alert["acknowledged_by"] {
  return acknowledged_by === null ? null : { user_id: acknowledged_by, name: acknowledged_name ?? "" };
}

export function alertEvent(type: "alert.opened" | "alert.acknowledged" | "alert.closed", row: AlertRow): NewEvent {
  const { id, player_name: name, ...rest } = showAlert(row);
  return { teamId: row.team_id, type, data: { alert_id: id, name, ...rest }, players: [row.player_id] };
}
