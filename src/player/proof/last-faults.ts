// The newest problems of this run of the player, also those that have ended.
import type { PlayerProblem } from "../../protocol/device/player-problems.ts";
import type { Telemetry } from "../../protocol/device/telemetry.ts";

type Faults = NonNullable<Telemetry["last_faults"]>;

const maxFaults = 5;
const maxDetail = 200;

export class LastFaults {
  #known = new Set<string>();
  #faults: Faults = [];

  /** Adds the problems that have begun since the last call. @param problems the player's current ones */
  note(problems: readonly PlayerProblem[]): void {
    const names = new Map(problems.map((problem) => [nameOf(problem), problem]));
    const begun = [...names].flatMap(([name, { since, code, detail }]) =>
      this.#known.has(name) ? [] : [{ at: since, code, detail: detail.slice(0, maxDetail) }],
    );
    this.#known = new Set(names.keys());
    if (begun.length === 0) return;
    this.#faults = [...begun, ...this.#faults].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, maxFaults);
  }

  /** Newest first. */
  get list(): Faults {
    return this.#faults;
  }
}

function nameOf({ code, zone_id, item_id, since }: PlayerProblem): string {
  return [code, zone_id, item_id, since].join(" ");
}
