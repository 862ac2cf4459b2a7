// The states of screens in the roster, and its other parts for browsers, without the schemas.
import type { Heartbeat, ShownReason } from "../device/heartbeat.ts";

/** The states of a screen, those that need a person first. */
export const rosterStates = ["wrong", "offline", "late", "new", "empty", "off", "playing"] as const;
export type RosterState = (typeof rosterStates)[number];

/** How many rows may be asked for by id. */
export const mostRosterIds = 200;

/** The reason for a player's present content. */
export function shownReasonOf({ why = [] }: Pick<Heartbeat, "why">): ShownReason | null {
  return why.find(({ verdict }) => verdict === "shows") ?? null;
}
