// Counts what clients got while faults happen, and records answers that must never be.
import type { SoakRun } from "../../soak/soak-run.ts";

/** What came of one request. */
export type Outcome =
  | { is: "answered"; status: number; headers: Record<string, string | string[] | undefined>; body: unknown }
  /** No node has got it. */
  | { is: "refused" }
  /** It may have been carried out, or may still be. */
  | { is: "unknown"; reason: string };

/** What clients got in a time. */
export interface Seen extends Record<string, number> {
  answered: number;
  unavailable: number;
  unknown: number;
  refused: number;
  worst_ms: number;
}

export class Tally {
  readonly #run: SoakRun;
  #seen = nothingSeen();

  constructor(run: SoakRun) {
    this.#run = run;
  }

  /** Counts an outcome. A server error other than 503 with Retry-After is a violation. */
  record(request: string, outcome: Outcome, tookMs: number): void {
    const seen = this.#seen;
    seen.worst_ms = Math.max(seen.worst_ms, Math.round(tookMs));
    if (outcome.is !== "answered") seen[outcome.is] += 1;
    else if (outcome.status < 500) seen.answered += 1;
    else if (outcome.status === 503 && outcome.headers["retry-after"] !== undefined) seen.unavailable += 1;
    else this.#run.violate(`${request}: ${outcome.status} ${JSON.stringify(outcome.body).slice(0, 500)}`);
  }

  /** What was seen since the last call. */
  take(): Seen {
    const seen = this.#seen;
    this.#seen = nothingSeen();
    return seen;
  }
}

function nothingSeen(): Seen {
  return { answered: 0, unavailable: 0, unknown: 0, refused: 0, worst_ms: 0 };
}
