// Previews the actions of a player by itself, with the same functions that the player uses.
import { iso } from "../../../base/time.ts";
import { maxPreviewRuns, type ControlPreview } from "../../../protocol/scheduling/control-preview.ts";
import type { DesiredState } from "../../../protocol/device/desired-state.ts";
import type { DisplayHours } from "../../../protocol/device/display-hours.ts";
import { RecurringCommand } from "../../../protocol/device/recurring-commands.ts";
import { controlClock, displayHoursOf } from "../../../schedule/control/control-inputs.ts";
import { askedPowerAt } from "../../../schedule/control/display-power.ts";
import { runsBetween } from "../../../schedule/control/recurring.ts";
import type { Intervention } from "../../../schedule/interventions.ts";
import { describeOpenings } from "../outlook/summary.ts";

type Periods = Pick<ControlPreview, "display" | "runs" | "runs_left_out">;

/** @param deviceZone the device's own time zone, for a player without one. */
export function previewControl(
  state: DesiredState,
  interventions: readonly Intervention[],
  deviceZone: string,
  from: number,
  to: number,
): Periods {
  const runs = runsOf(state, deviceZone, from, to);
  return {
    display: displayPeriods(state, interventions, deviceZone, from, to),
    runs: runs.slice(0, maxPreviewRuns),
    runs_left_out: Math.max(0, runs.length - maxPreviewRuns),
  };
}

function displayPeriods(
  state: DesiredState,
  interventions: readonly Intervention[],
  deviceZone: string,
  from: number,
  to: number,
): Periods["display"] {
  const hours = displayHoursOf(state, deviceZone);
  const periods: Periods["display"] = [];
  if (hours === null) return periods;
  for (let at = from; at < to;) {
    const { asked, reason, until } = askedPowerAt({ hours, byHand: null, interventions }, at);
    const end = Math.min(until ?? to, to);
    // Without power by hand somebody asks at each instant, and it is never a command.
    if (asked !== null && reason !== null && reason !== "command") {
      periods.push({ from: iso(at), to: iso(end), power: asked, reason });
    }
    at = end;
  }
  return periods;
}

function runsOf(state: DesiredState, deviceZone: string, from: number, to: number): Periods["runs"] {
  const on = controlClock(state, deviceZone);
  const runs = (state.player.recurring_commands ?? []).flatMap((each) => {
    const { success, data: command } = RecurringCommand.safeParse(each);
    if (!success || !command.enabled) return [];
    // The first instant counts too: a person asks for a day from midnight on.
    return runsBetween(command, on, from - 1, to - 1).map((at) => ({ at, name: command.name, type: command.command.type }));
  });
  return runs.toSorted((a, b) => a.at - b.at).map(({ at, ...run }) => ({ at: iso(at), ...run }));
}

/** “Mondays to Fridays 08:00 to 20:00; on Public holidays off”. @param calendars those that it refers to, by id. */
export function describeDisplayHours(hours: DisplayHours | undefined, calendars: ReadonlyMap<string, { name: string }>): string {
  if (hours === undefined) return "Always on";
  const { open, exceptions } = hours;
  const usual = open.length === 0 ? "Always off" : describeOpenings(open);
  const parts = exceptions.map(({ calendar_id, open: openings }) => {
    const name = calendars.get(calendar_id)?.name ?? "a calendar that does not exist";
    return `on ${name} ${openings.length === 0 ? "off" : describeOpenings(openings)}`;
  });
  return [usual, ...parts].join("; ");
}
