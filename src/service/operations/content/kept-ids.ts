// Parts of a resource that are replaced as a whole, yet keep their ids: screens tell them apart by them.
import type { FieldError } from "../../http/problem.ts";

interface Part {
  id?: string | undefined;
}

/** What is wrong with the ids sent along: one that stands twice, or that was not there `before`. */
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
    if (seen.has(id)) return [{ pointer, detail: `the same id stands at another ${part}` }];
    seen.add(id);
    return known.has(id) ? [] : [{ pointer, detail: `this ${whole} has no such ${part}: leave the id out for a new one` }];
  });
}

/** The parts with their ids: what was sent with one keeps it, what is the `same` as one that was there before takes over its own. */
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
