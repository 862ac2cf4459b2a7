// The keys of new zones. None is used twice while the page is open, so that undoing never takes one zone for another.

let next = 1;

export function newKey(): string {
  return `new-${next++}`;
}

/** Keys for the copies of some zones, by the keys of the originals. */
export function copiesOf(keys: readonly string[]): ReadonlyMap<string, string> {
  return new Map(keys.map((key) => [key, newKey()]));
}
