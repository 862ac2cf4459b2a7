// Sums the figures of a report's rows by the keys that it is grouped by.
import { invalidField } from "../http/problem.ts";
import type { ReportedPlayer } from "./reported-players.ts";

const maxRows = 100_000;

type Keys = Readonly<Record<string, string | null>>;

/** Sums of figures `F` by their keys. */
export class ReportGroups<F extends Readonly<Record<string, number>>> {
  readonly #sums = new Map<string, { keys: Keys; figures: Record<string, number> }>();

  /** @throws ProblemError 422 when there are more than 100,000 rows. */
  add(keys: Keys, figures: F): void {
    const name = JSON.stringify(Object.values(keys));
    const sum = this.#sums.get(name);
    if (sum === undefined) {
      if (this.#sums.size === maxRows) throw invalidField("?group_by", `more than ${maxRows} rows: use fewer groups or a shorter time`);
      this.#sums.set(name, { keys, figures: { ...figures } });
    } else for (const [figure, value] of Object.entries(figures)) sum.figures[figure] = sum.figures[figure]! + value;
  }

  /** The sums, by their keys in order. */
  rows(): { keys: Keys; figures: F }[] {
    return [...this.#sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, { keys, figures }]) => ({ keys, figures: figures as F }));
  }
}

/** The keys of a player for each row that it counts in: one, or with `tag` one for each of its tags. */
export function keysOfPlayer(
  groups: readonly string[],
  { id, tags }: Pick<ReportedPlayer, "id" | "tags">,
): Record<string, string | null>[] {
  const player = groups.includes("player") ? { player_id: id } : {};
  if (!groups.includes("tag")) return [player];
  return (tags.length === 0 ? [null] : tags).map((tag) => ({ ...player, tag }));
}

const collator = new Intl.Collator("en", { numeric: true });

/** The rows in the order of their labels: days and names, numbers by their value, those without a name last. */
export function inOrder<R extends object>(rows: readonly R[], groups: readonly string[]): R[] {
  const nameOf = (row: R, group: string): string | null => {
    const fields = row as Readonly<Record<string, string | null | undefined>>;
    return fields[`${group}_name`] ?? fields[group] ?? null;
  };
  return rows.toSorted((a, b) => {
    for (const group of groups) {
      const [one, other] = [nameOf(a, group), nameOf(b, group)];
      if (one === other) continue;
      if (one === null || other === null) return one === null ? 1 : -1;
      const order = collator.compare(one, other);
      if (order !== 0) return order;
    }
    return 0;
  });
}
