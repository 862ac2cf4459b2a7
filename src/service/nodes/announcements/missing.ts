// The numbers of announcements that a node has not seen although it has seen higher ones: their transactions may still commit.
import type { Writer } from "./log.ts";

export class MissingAnnouncements {
  /** The transactions that may still write each number; null: they are not known yet. */
  readonly #byId = new Map<number, ReadonlySet<string> | null>();

  get size(): number {
    return this.#byId.size;
  }

  get ids(): number[] {
    return [...this.#byId.keys()];
  }

  /** The lowest of them; null: none is missing. */
  get lowest(): number | null {
    let lowest: number | null = null;
    for (const id of this.#byId.keys()) lowest = Math.min(lowest ?? id, id);
    return lowest;
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  /** Adds the numbers between two visible ones. */
  add(after: number, before: number): void {
    for (let id = after + 1; id < before; id += 1) this.#byId.set(id, null);
  }

  /** A missing number was read: it is missing no more. */
  found(id: number): void {
    this.#byId.delete(id);
  }

  /** Forgets all missing numbers. */
  clear(): void {
    this.#byId.clear();
  }

  /**
   * Takes over who writes at an instant after the numbers were first missed.
   * @returns the numbers that nobody can write any more: unless the next read finds them, they are rolled back; and who may write others
   */
  narrow(writers: readonly Writer[]): { settled: number[]; awaited: ReadonlySet<string> } {
    const keys = new Set(writers.map(({ key }) => key));
    const settled: number[] = [];
    const awaited = new Set<string>();
    for (const [id, known] of this.#byId) {
      const left = known === null ? keys : known.intersection(keys);
      this.#byId.set(id, left);
      if (left.size === 0) settled.push(id);
      for (const key of left) awaited.add(key);
    }
    return { settled, awaited };
  }
}
