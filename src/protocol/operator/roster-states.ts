// The states of screens in the roster, and what else a browser needs of it, without the schemas.
import type { Heartbeat, ShownReason } from "../device/heartbeat.ts";

/** The states of a screen, those that need a person first. */
export const rosterStates = ["wrong", "offline", "late", "new", "empty", "off", "playing"] as const;
export type RosterState = (typeof rosterStates)[number];

/** How many rows may be asked for by id. */
export const mostRosterIds = 200;

/** The reason for what a player shows. */
export function shownReasonOf({ why = [] }: Pick<Heartbeat, "why">): ShownReason | null {
  return why.find(({ verdict }) => verdict === "shows") ?? null;
}
