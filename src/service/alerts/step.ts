// Decides when an alert opens and closes. Pure: no clock, no database. One state for each player and kind.

/** The state of a condition at an instant, as far as it can be observed. */
export type Observation =
  | { is: "bad" }
  | { is: "well" }
  /** Nothing is known, or the value is between its two limits. */
  | { is: "unclear" }
  /** The condition does not count now. */
  | { is: "off"; reason: "muted" | "disabled" };

/** Times in ms of the monotonic clock. */
export type AlertState = { is: "well" } | { is: "pending"; since: number } | { is: "open"; wellSince: number | null };

export interface StepLimits {
  /** How long a condition must last before its alert opens. */
  openMs: number;
  /** How long a player must be well before its alert closes. */
  closeMs: number;
}

export type StepTransition = { is: "opens" } | { is: "closes"; reason: "recovered" | "muted" | "disabled" };

export const wellState: AlertState = { is: "well" };

/** @param now in ms of the monotonic clock. */
export function step(
  state: AlertState,
  observation: Observation,
  now: number,
  { openMs, closeMs }: StepLimits,
): { state: AlertState; transition: StepTransition | null } {
  const stays = (next: AlertState) => ({ state: next, transition: null });
  const closes = (reason: "recovered" | "muted" | "disabled") => ({ state: wellState, transition: { is: "closes", reason } as const });
  if (state.is === "open") {
    if (observation.is === "off") return closes(observation.reason);
    if (observation.is !== "well") return stays(state.wellSince === null ? state : { is: "open", wellSince: null });
    const wellSince = state.wellSince ?? now;
    if (now - wellSince >= closeMs) return closes("recovered");
    return stays({ is: "open", wellSince });
  }
  if (observation.is !== "bad") return stays(wellState);
  const since = state.is === "pending" ? state.since : now;
  if (now - since >= openMs) return { state: { is: "open", wellSince: null }, transition: { is: "opens" } };
  return stays({ is: "pending", since });
}
