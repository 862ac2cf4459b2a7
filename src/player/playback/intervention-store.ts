// Keeps interventions (overrides, skips, pauses, variables) on the disk, so that the same content is shown after a restart.
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../base/files/durable-file.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import { dayMs } from "../../base/time.ts";
import { DiskHealth } from "../storage/disk-health.ts";
import { StoredValue } from "../storage/stored-value.ts";
import { hasEnded, type LastingIntervention, overridesAt, pauseAt, Intervention } from "../../schedule/interventions.ts";

// Longer than any play: a skip counts until the next play has ended.
const keptMs = 3 * dayMs;
const maxInterventions = 1_000;

const StoredInterventions = z.array(Intervention);

export class InterventionStore {
  readonly #stored: StoredValue<Intervention[]>;
  readonly #interventions: Observable<readonly Intervention[]>;
  #changing: Promise<void> = Promise.resolve();

  private constructor(stored: StoredValue<Intervention[]>) {
    this.#stored = stored;
    this.#interventions = new Observable<readonly Intervention[]>(stored.value ?? []);
  }

  /** Reads the interventions in `folder`. A damaged file counts as empty: the screen then shows the scheduled content. */
  static async open(folder: string, log: Log, disk = new DiskHealth(log)): Promise<InterventionStore> {
    const file = new DurableFile<Intervention[]>(join(folder, "records.json"), (json) => StoredInterventions.parse(json));
    const merge = (stored: Intervention[], since: Intervention[]): Intervention[] => [
      ...stored.filter(({ id }) => !since.some((other) => other.id === id)),
      ...since,
    ];
    return new InterventionStore(await StoredValue.open(file, disk, "overrides, skips, pauses and variables are lost", { merge }));
  }

  get interventions(): Watchable<readonly Intervention[]> {
    return this.#interventions;
  }

  /** True if an emergency override is in force at this instant. */
  isEmergencyAt(instant: number): boolean {
    return overridesAt(this.#interventions.value, instant).some(({ level }) => level === "emergency");
  }

  /** Adds interventions. They take effect, and this resolves, once they are durable; at once if the disk cannot be written. */
  async add(interventions: readonly Intervention[], now: number): Promise<void> {
    await this.replace(() => false, interventions, now);
  }

  /** Ends the current interventions that match at `now`. Resolves with their number. */
  end(matches: (intervention: LastingIntervention) => boolean, now: number): Promise<number> {
    return this.replace(matches, [], now);
  }

  /** Ends the interventions that match and adds others in one write. Resolves with the number that ended. */
  async replace(matches: (intervention: LastingIntervention) => boolean, added: readonly Intervention[], now: number): Promise<number> {
    let ended = 0;
    await this.#change((before) => {
      const after = before.map((intervention) => {
        if (intervention.is === "skip" || hasEnded(intervention, now) || !matches(intervention)) return intervention;
        ended += 1;
        return { ...intervention, until: now };
      });
      return [...after, ...added];
    }, now);
    return ended;
  }

  /** Deletes all interventions after a revocation. */
  async purge(): Promise<void> {
    await this.#stored.set(null);
    this.#interventions.set([]);
  }

  /** Writes interventions that could not be written before or were deleted from the disk. */
  save(): Promise<void> {
    return this.#stored.save();
  }

  /** Applies one change at a time, each to the result of the one before. */
  #change(change: (before: readonly Intervention[]) => Intervention[], now: number): Promise<void> {
    const result = this.#changing.then(async () => {
      const kept = withoutOutdated(change(this.#interventions.value), now);
      await this.#stored.set(kept);
      this.#interventions.set(kept);
    });
    this.#changing = result.catch(() => undefined);
    return result;
  }
}

/** The interventions that can still affect the program. If there are too many, ended ones are dropped first, then the oldest. */
function withoutOutdated(interventions: readonly Intervention[], now: number): Intervention[] {
  const pausedAt = pauseAt(interventions, now)?.at ?? now;
  const kept = interventions.filter((intervention) => !isOutdated(intervention, now, pausedAt));
  if (kept.length <= maxInterventions) return kept;
  const isOver = (intervention: Intervention): boolean => intervention.is === "skip" || hasEnded(intervention, now);
  return [...kept.filter(isOver), ...kept.filter((intervention) => !isOver(intervention))].slice(-maxInterventions);
}

/** Triggers may set variables very often, so an ended variable is kept only if a pause still depends on it. */
function isOutdated(intervention: Intervention, now: number, pausedAt: number): boolean {
  const end = intervention.is === "skip" ? intervention.at : intervention.until;
  if (end === null) return false;
  if (intervention.is !== "variable") return end < now - keptMs;
  return end <= now && (end <= pausedAt || intervention.at > pausedAt);
}
