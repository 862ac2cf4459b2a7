// Remembers which items failed or are shown with flaws, from the page's reports, until they play well or can no longer play.
import type { Stage } from "../../protocol/scene.ts";
import type { FromPage } from "../../protocol/page-messages.ts";
import { createProblem, type PlayerProblem, type ProblemCode } from "../../protocol/device/player-problems.ts";

/** An item that failed in a zone. `shown` is a play of it that has started since. */
interface Failure {
  zoneId: string;
  itemId: string;
  code: ProblemCode;
  detail: string;
  since: number;
  shown: { key: string; at: number; endsAt: number } | null;
}

/** An item that is shown, but not as intended. */
type Flaw = Omit<Failure, "shown">;

type Message<Type extends FromPage["type"]> = Extract<FromPage, { type: Type }>;

const maxFailures = 500;
// A page may crash a second after each start. It does not work again until it has run for this long.
const recoveredAfterMs = 10_000;
// An item may leave the screen this long before its end without having failed.
const earlyEndToleranceMs = 1_000;

/** All times are corrected wall time, ms. */
export class ItemFailures {
  readonly #failures = new Map<string, Failure>();
  /** By zone, item and code. The page reports its flaws again after a reload. */
  readonly #flaws = new Map<string, Flaw>();

  /** A reloaded page shows nothing at first, and reports failures again. */
  pageReloaded(now: number): void {
    this.#flaws.clear();
    for (const [name, failure] of this.#failures) {
      if (isOver(failure, now)) this.#failures.delete(name);
      else failure.shown = null;
    }
  }

  itemFailed({ zone_id: zoneId, item_id: itemId, code, detail }: Message<"failed">, now: number): void {
    const name = itemName(zoneId, itemId);
    const before = this.#failures.get(name);
    const since = before === undefined || isOver(before, now) ? now : before.since;
    setNewest(this.#failures, name, { zoneId, itemId, code: `item-${code}`, detail, since, shown: null });
  }

  itemFlawed({ zone_id: zoneId, item_id: itemId, code, detail }: Message<"flawed">, now: number): void {
    const name = `${itemName(zoneId, itemId)} ${code}`;
    const since = this.#flaws.get(name)?.since ?? now;
    this.#flaws.set(name, { zoneId, itemId, code: `item-${code}`, detail, since });
    dropOldest(this.#flaws);
  }

  itemPresented({ zone_id: zoneId, item_id: itemId, key, at }: Message<"presented">, stage: Stage | null): void {
    const failure = this.#failures.get(itemName(zoneId, itemId));
    if (failure !== undefined) failure.shown ??= { key, at, endsAt: endOf(stage, zoneId, key) ?? Number.POSITIVE_INFINITY };
  }

  /**
   * Handles that the current play of a zone leaves the screen for the play `key` (null: for nothing). The page reports each
   * cause of a failure only once, so an item that leaves before its end although its play is still due has failed again.
   */
  playEnded(zoneId: string, key: string | null, stage: Stage | null, at: number): void {
    for (const [name, failure] of this.#failures) {
      const { shown } = failure;
      if (failure.zoneId !== zoneId || shown === null || shown.key === key) continue;
      const endsAt = endOf(stage, zoneId, shown.key);
      if (endsAt !== null && at < endsAt - earlyEndToleranceMs) failure.shown = null;
      else this.#failures.delete(name);
    }
  }

  /** The current problems. Forgets items that are not among `playable`, a set of {@link itemName}. */
  problems(playable: ReadonlySet<string>, now: number): PlayerProblem[] {
    const problems: PlayerProblem[] = [];
    for (const [name, failure] of this.#failures) {
      if (!playable.has(name)) this.#failures.delete(name);
      else if (!isOver(failure, now)) problems.push(problemOf(failure));
    }
    for (const [name, flaw] of this.#flaws) {
      if (playable.has(itemName(flaw.zoneId, flaw.itemId))) problems.push(problemOf(flaw));
      else this.#flaws.delete(name);
    }
    return problems;
  }
}

export function itemName(zoneId: string, itemId: string): string {
  return `${zoneId} ${itemId}`;
}

function problemOf({ zoneId: zone_id, itemId: item_id, code, detail, since }: Flaw): PlayerProblem {
  return createProblem(code, since, { zone_id, item_id, detail });
}

/** A failure is over once a later play of the item has been on the screen for a while, or to its end. */
function isOver({ shown }: Failure, now: number): boolean {
  return shown !== null && now >= Math.min(shown.at + recoveredAfterMs, shown.endsAt);
}

/** When the play `key` ends; null if it is no longer due. */
function endOf(stage: Stage | null, zoneId: string, key: string): number | null {
  return stage?.zones.find(({ id }) => id === zoneId)?.slots.find((slot) => slot.key === key)?.ends_at ?? null;
}

function setNewest<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  dropOldest(map);
}

function dropOldest(map: Map<string, unknown>): void {
  if (map.size > maxFailures) map.delete(map.keys().next().value!);
}
