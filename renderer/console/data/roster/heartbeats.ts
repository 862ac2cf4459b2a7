// Tells from heartbeats whether a row of the roster is old: some changes of a screen have no event, such as its opening hours.
import type { RosterPlayer } from "../../../../src/protocol/operator/roster.ts";
import { shownReasonOf } from "../../../../src/protocol/operator/roster-states.ts";
import type { Heartbeat } from "../event-stream.ts";

export class HeartbeatWatch {
  /** The state in the last heartbeat of each player, as far as rows depend on it. */
  readonly #states = new Map<string, string>();

  /** True if the row must be read again. @param row undefined: it has not been read */
  changes(row: RosterPlayer | undefined, { player_id: playerId, received_at, heartbeat }: Heartbeat): boolean {
    const reason = shownReasonOf(heartbeat);
    const { asked: requestedPower = null, until = null } = heartbeat.telemetry?.display ?? {};
    const { is, applied_revision } = heartbeat.content;
    const state = [requestedPower, until, reason?.layer, reason?.layout_id, reason?.name, is, applied_revision].join("\n");
    const before = this.#states.get(playerId);
    this.#states.set(playerId, state);
    if (row === undefined || row.state === "offline" || row.state === "new" || row.status === "offline") return true;
    if (row.off_reason === "maintenance") return row.off_until !== null && row.off_until < received_at;
    if (before !== undefined) return before !== state;
    return (row.state === "off") !== (requestedPower === "off") || row.playing?.layer !== reason?.layer;
  }

  forget(): void {
    this.#states.clear();
  }
}
