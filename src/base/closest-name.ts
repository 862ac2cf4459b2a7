// Finds the name that was probably meant by one that is not known.

// Beyond this many names, and for longer ones, nobody is helped by a guess that costs time.
const maxNames = 1_000;
const longestName = 100;

/** The one of `names` that `given` is probably a slip of; undefined when none is near. */
export function closestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > longestName) return undefined;
  const plain = bare(given);
  if (plain === "") return undefined;
  const known = names.slice(0, maxNames).filter((name) => name !== given && name.length <= longestName);
  const same = known.find((name) => bare(name) === plain);
  if (same !== undefined) return same;
  // `duration` for `duration_ms`, `layout` for `layout_id`: of several the shortest.
  const longer = known.filter((name) => isPart(plain, bare(name))).toSorted((a, b) => a.length - b.length);
  if (longer[0] !== undefined) return longer[0];
  const most = Math.min(3, Math.trunc(plain.length / 3));
  const near = known
    .map((name) => ({ name, slips: distance(plain, bare(name)), alike: sameStart(plain, bare(name)) }))
    .filter(({ slips }) => slips <= most)
    // Slips are rarer at the beginning.
    .toSorted((a, b) => a.slips - b.slips || b.alike - a.alike);
  return near[0]?.name;
}

/** Without what people vary in names: case, underscores, hyphens, blanks. */
function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, "");
}

/** Whether one begins with the other, and that is not by a letter or two. */
function isPart(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));
}

function sameStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** How many letters have to be put in, left out, changed, or swapped with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), swapped));
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
