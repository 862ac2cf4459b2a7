// How changes of a player's settings become the columns of its row.
import type { z } from "zod";
import type { PlayerChange } from "../../../protocol/operator/resources.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";

type Change = z.output<typeof PlayerChange>;
type ControlChange = Pick<Change, "display_hours" | "recurring_commands" | "screenshots" | "maintenance_until">;
type ControlColumns = Pick<PlayerRow, "display_hours" | "recurring_commands" | "screenshots" | "maintenance_until">;

/** The columns of the device's settings after a change; those that it does not name stay as they are. */
export function controlColumns(change: ControlChange, before: ControlColumns): ControlColumns {
  const { display_hours, recurring_commands, screenshots, maintenance_until } = change;
  return {
    display_hours: jsonOf(display_hours, before.display_hours),
    recurring_commands: recurring_commands === undefined ? before.recurring_commands : canonicalJson(recurring_commands),
    screenshots: jsonOf(screenshots, before.screenshots),
    maintenance_until:
      maintenance_until === undefined ? before.maintenance_until : maintenance_until === null ? null : Date.parse(maintenance_until),
  };
}

/** The JSON of a new value; without one, the value before. */
export function jsonOf(value: unknown, before: string | null): string | null {
  if (value === undefined) return before;
  return value === null ? null : canonicalJson(value);
}
