// The effect of an action on many screens for each of them, before or after it.
import { ProblemError } from "../../../../sdk/typescript/client.ts";

/** The state of one screen in an action. */
export type OutcomeState = "waiting" | "queued" | "delivered" | "running" | "done" | "skipped" | "failed";

export interface Outcome {
  id: string;
  state: OutcomeState;
  /** Why it failed or was skipped. */
  reason: string | null;
}

export interface Failure {
  id: string;
  reason: string;
}

/** The effect that the action would have, by the service's dry run. */
export interface Forecast {
  /** How many screens the action would change or reach. */
  affectedCount: number;
  /** How many are already as wanted. */
  same: number;
  failures: readonly Failure[];
}

export interface RunOptions {
  signal: AbortSignal;
  /** Called with the results so far. */
  onOutcomes: (outcomes: readonly Outcome[]) => void;
}

/** An action on many screens. */
export interface BulkAct {
  /** @throws when it is about none of the screens in particular, such as a layout that does not exist. */
  forecast: (ids: readonly string[], signal: AbortSignal) => Promise<Forecast>;
  run: (ids: readonly string[], options: RunOptions) => Promise<void>;
}

/**
 * The screens that a refused request for many names as the reason: by their place in the list of ids, or by their id in the text.
 * None: the refusal is about something else.
 */
function failuresIn(error: unknown, ids: readonly string[]): Failure[] {
  if (!(error instanceof ProblemError)) return [];
  return (error.problem.errors ?? []).flatMap(({ pointer, detail }) => {
    const place = /^\/target\/player_ids\/([0-9]+)$/.exec(pointer)?.[1];
    const screenId = place === undefined ? /plr_[0-9a-z]{26}/.exec(detail)?.[0] : ids[Number(place)];
    return screenId !== undefined && ids.includes(screenId) ? [{ id: screenId, reason: detail }] : [];
  });
}

/**
 * Sends a request for many screens that the service fulfils for all or for none. Those that it names as the reason of a refusal are
 * left out, and the rest is sent again.
 * @throws the refusal, if it names none.
 */
export async function sendWithoutFailing<T>(
  ids: readonly string[],
  send: (ids: string[]) => Promise<T>,
): Promise<{ result: T | null; accepted: readonly string[]; failures: readonly Failure[] }> {
  const failures: Failure[] = [];
  let remaining = [...ids];
  while (remaining.length > 0) {
    try {
      return { result: await send(remaining), accepted: remaining, failures };
    } catch (error) {
      const newFailures = failuresIn(error, remaining);
      if (newFailures.length === 0) throw error;
      failures.push(...newFailures);
      const without = new Set(newFailures.map(({ id }) => id));
      remaining = remaining.filter((id) => !without.has(id));
    }
  }
  return { result: null, accepted: [], failures };
}

/** Parts of a list with at most `size` entries each. */
export function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));
}
