// What the service asks of the player's schedule besides the forecast. Given by the program, which knows both sides.
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { ShownReason } from "../../protocol/device/heartbeat.ts";
import type { Condition, DesiredSchedule } from "../../protocol/scheduling/schedules.ts";
import type { ConfirmedIntervention } from "./forecast.ts";

/** When a schedule is live: instants in ms since the epoch, the end excluded; Infinity: it has none. */
export interface LiveWindow {
  from: number;
  until: number;
}

export interface Calendar {
  /**
   * The first window that is not over at `instant`, by the clock of `zone`; null: there is none within thirty years.
   * Conditions of dates and times cut it; those of tags and variables are not looked at.
   * @param dates of each calendar that its conditions name, by id.
   */
  windowAfter(
    schedule: WindowTiming,
    zone: string,
    instant: number,
    dates: ReadonlyMap<string, readonly string[]>,
  ): Promise<LiveWindow | null>;
  /** Why a player with this state shows at `instant` what it shows: the reason that wins first. */
  why(desired: DesiredState, records: readonly ConfirmedIntervention[], zone: string, instant: number): Promise<ShownReason[]>;
}

/** What a window hangs on. */
export type WindowTiming = Pick<DesiredSchedule, "starts_at" | "ends_at" | "rrule" | "exdates" | "timezone"> & {
  conditions: readonly Condition[];
};
