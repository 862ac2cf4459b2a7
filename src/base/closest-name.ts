// Finds the known name that an unknown name is probably a misspelling of.

// Limits the time for a suggestion.
const maxNames = 1_000;
const longestName = 100;

/** The one of `names` that was probably meant; undefined when none is close. */
export function closestName(typo: string, names: readonly string[]): string | undefined {
  if (typo.length > longestName) return undefined;
  const plain = normalize(typo);
  if (plain === "") return undefined;
  const candidates = names.slice(0, maxNames).filter((name) => name !== typo && name.length <= longestName);
  const same = candidates.find((name) => normalize(name) === plain);
  if (same !== undefined) return same;
  // `duration` for `duration_ms`, `layout` for `layout_id`. Of several candidates the shortest.
  const longer = candidates.filter((name) => isPart(plain, normalize(name))).toSorted((a, b) => a.length - b.length);
  if (longer[0] !== undefined) return longer[0];
  const maxEdits = Math.min(3, Math.trunc(plain.length / 3));
  const near = candidates
    .map((name) => ({ name, edits: distance(plain, normalize(name)), alike: sameStart(plain, normalize(name)) }))
    .filter(({ edits }) => edits <= maxEdits)
    // Misspellings are rarer at the beginning of a name.
    .toSorted((a, b) => a.edits - b.edits || b.alike - a.alike);
  return near[0]?.name;
}

/** The name in lower case, without underscores, hyphens and blanks. */
function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, "");
}

/** True if one begins with the other, and the shorter has at least three letters. */
function isPart(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));
}

function sameStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** The number of insertions, deletions, substitutions and swaps of neighbours between two names (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const transposition =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), transposition));
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
