// The parts of a time in which a display is to be on by its opening hours.
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { Span } from "./recent-reports.ts";

/** @param deviceTimeZone the machine's own, for a player without one */
export async function openParts(state: DesiredState, deviceTimeZone: string, { from, to }: Span): Promise<Span[]> {
  // Imported when needed: the service must not load the scheduler while it starts.
  const [{ displayHoursOf }, { hoursAt }] = await Promise.all([
    import("../../schedule/control/control-inputs.ts"),
    import("../../schedule/control/display-hours.ts"),
  ]);
  const hours = displayHoursOf(state, deviceTimeZone);
  if (hours === null) return [{ from, to }];
  const parts: Span[] = [];
  for (let at = from; at < to;) {
    const { isOpen, until } = hoursAt(hours, at);
    const end = Math.min(until ?? to, to);
    if (isOpen) parts.push({ from: at, to: end });
    at = end;
  }
  return parts;
}
