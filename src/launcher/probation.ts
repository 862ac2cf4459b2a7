// Watches one trial by the player's health: adds up healthy time, and says when the version passed or failed.
import { hourMs, minuteMs } from "../base/time.ts";
import type { Health } from "../protocol/device/updates.ts";
import type { Trial } from "./state.ts";
import { probationMs } from "./transitions.ts";

/** Older health is from a player that hangs. */
const healthLimitMs = minuteMs;
/** A version that is not healthy for ten minutes within this time has failed, even if no fault lasted. */
const longestMs = hourMs;

export type Verdict = { is: "watching"; passedMs: number } | { is: "passed" } | { is: "failed"; detail: string };

export interface Observation {
  /** Null: missing or not readable. */
  health: Health | null;
  /** The version that the health has to be of. Null: of any, as for a browser's trial. */
  version: string | null;
  bootId: string;
  /** Milliseconds since boot. */
  uptimeMs: number;
  /** People stopped the player, which is no fault. */
  isStopped: boolean;
}

/**
 * A fault that lasts this long is a failure: a start, or one lost answer of the service, is shorter. A screen without frames is dark,
 * so that limit is the shortest.
 */
const faults = {
  silent: { limitMs: 2 * minuteMs, detail: "the player wrote no health for two minutes: it hangs or does not start" },
  frames: { limitMs: minuteMs, detail: "it presented no frame for a minute, as the version before did" },
  checked_in: { limitMs: 2 * minuteMs, detail: "the service did not answer it for two minutes, as it did the version before" },
  memory: { limitMs: 2 * minuteMs, detail: "it took more memory than its budget for two minutes" },
} as const;
type FaultName = keyof typeof faults;

/** Kept in memory: the launcher's restart begins the time of a fault again, but not the time that was passed. */
export class ProbationWatch {
  readonly #trial: Trial;
  readonly #faultySince = new Map<FaultName, number>();
  readonly #beganAt: number;
  #passedMs: number;
  #lastAt: number;
  #instance: string | null = null;

  constructor(trial: Trial, uptimeMs: number) {
    this.#trial = trial;
    this.#passedMs = trial.passedMs;
    this.#beganAt = uptimeMs;
    this.#lastAt = uptimeMs;
  }

  observe(observation: Observation): Verdict {
    const { uptimeMs, isStopped } = observation;
    const since = uptimeMs - this.#lastAt;
    this.#lastAt = uptimeMs;
    if (isStopped) {
      this.#faultySince.clear();
      return { is: "watching", passedMs: this.#passedMs };
    }
    const health = freshHealth(observation);
    const faultNames = this.#faultsIn(health);
    for (const name of Object.keys(faults) as FaultName[]) {
      if (!faultNames.includes(name)) this.#faultySince.delete(name);
      else if (!this.#faultySince.has(name)) this.#faultySince.set(name, uptimeMs);
      else if (uptimeMs - this.#faultySince.get(name)! >= faults[name].limitMs) return { is: "failed", detail: faults[name].detail };
    }
    // Ten minutes of one run: a version that crashes after five minutes never has them.
    if (health !== null && this.#instance !== null && health.instance_id !== this.#instance) this.#passedMs = 0;
    else if (health !== null && this.#instance !== null && faultNames.length === 0) this.#passedMs += since;
    this.#instance = health?.instance_id ?? this.#instance;
    if (this.#passedMs >= probationMs) return { is: "passed" };
    if (uptimeMs - this.#beganAt >= longestMs) return { is: "failed", detail: "it was not healthy for ten minutes within an hour" };
    return { is: "watching", passedMs: this.#passedMs };
  }

  #faultsIn(health: Health | null): FaultName[] {
    if (health === null) return ["silent"];
    const { baseline } = this.#trial;
    return (["frames", "checked_in", "memory"] as const).filter((name) => baseline[name] === true && health.checks[name] === false);
  }
}

/** Null for the health of another version, of an earlier boot, or of a player that hangs. */
function freshHealth({ health, version, bootId, uptimeMs }: Observation): Health | null {
  if (health === null || health.boot_id !== bootId || (version !== null && health.version !== version)) return null;
  return uptimeMs - health.monotonic_ms <= healthLimitMs ? health : null;
}
