// Keeps the ids of items and zones when their list is replaced, so that screens recognize unchanged ones.
import type { FieldError } from "../http/problem.ts";

interface Part {
  id?: string | undefined;
}

/** The errors in the ids that were sent: duplicates, and ids that did not exist `before`. */
export function idErrors(
  sent: readonly Part[],
  before: readonly { id: string }[],
  { field, part, whole }: { field: string; part: string; whole: string },
): FieldError[] {
  const known = new Set(before.map(({ id }) => id));
  const seen = new Set<string>();
  return sent.flatMap(({ id }, index) => {
    if (id === undefined) return [];
    const pointer = `/${field}/${index}/id`;
    if (seen.has(id)) return [{ pointer, detail: `another ${part} has the same id` }];
    seen.add(id);
    return known.has(id) ? [] : [{ pointer, detail: `this ${whole} has no such ${part}: omit the id to create a new one` }];
  });
}

/** Assigns ids: a sent id is kept, a part that is the `same` as an earlier one gets the earlier id, all others get new ids. */
export function keepIds<S extends Part, B extends { id: string }>(
  sent: readonly S[],
  before: readonly B[],
  same: (old: B, fresh: S) => boolean,
  makeId: () => string,
): (S & { id: string })[] {
  const taken = new Set(sent.flatMap(({ id }) => id ?? []));
  const free = before.filter(({ id }) => !taken.has(id));
  return sent.map((fresh) => {
    if (fresh.id !== undefined) return { ...fresh, id: fresh.id };
    const place = free.findIndex((old) => same(old, fresh));
    const kept = place === -1 ? undefined : free.splice(place, 1)[0];
    return { ...fresh, id: kept?.id ?? makeId() };
  });
}
