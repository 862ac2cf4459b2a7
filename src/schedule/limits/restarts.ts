// From when the limits of a loop count where its layout is on for less than a whole loop: never from what was played.

/** A time on end in which one layout is on, UTC ms, the end excluded. */
export interface Stretch {
  from: number;
  until: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The instant at which the loop of `loopMs` that is on in `own` begins anew, so that its limited items play in a stretch
 * too short for a whole loop. Null: it goes on counting from its epoch, as it does in every longer stretch and within an
 * hour of one.
 *
 * Stretches that follow each other within an hour share the hour's plays: only the first of them begins anew, and the next
 * one an hour after it at the earliest.
 * @param stretches all of the same layout around `own`, in order, `own` among them
 * @param reachesBack whether they go on before the first of them
 */
export function loopRestart(own: Stretch, stretches: readonly Stretch[], reachesBack: boolean, loopMs: number): number | null {
  const isLong = ({ from, until }: Stretch) => until - from >= loopMs;
  const chain = chainOf(own, stretches);
  if (isLong(own) || chain.some((next) => isLong(next) && next.from > own.from && next.from < own.until + hourMs)) return null;
  const firstDay = reachesBack && chain[0] === stretches[0] ? Math.floor(own.from / dayMs) : Number.NEGATIVE_INFINITY;
  let restart: number | null = null;
  let latest = Number.NEGATIVE_INFINITY;
  for (const each of chain) {
    const { from, until } = each;
    if (from > own.from) break;
    if (isLong(each)) {
      // Its loop counts from the epoch and may begin a limited item up to its end.
      [restart, latest] = [null, until];
      continue;
    }
    // Of short stretches that have gone on for days, the first of each day of UTC begins anew: no search has no end.
    if (restart === null && latest < from - hourMs && Math.floor(from / dayMs) < firstDay) continue;
    if (from - latest >= hourMs) restart = from;
    if (restart !== null) latest = restart + Math.floor((until - 1 - restart) / loopMs) * loopMs;
  }
  return restart;
}

/** Those that lie less than an hour apart, one after the other, `own` among them. */
function chainOf(own: Stretch, stretches: readonly Stretch[]): Stretch[] {
  let first = stretches.findIndex(({ from }) => from === own.from);
  let last = first;
  while (first > 0 && stretches[first]!.from - stretches[first - 1]!.until < hourMs) first -= 1;
  while (last < stretches.length - 1 && stretches[last + 1]!.from - stretches[last]!.until < hourMs) last += 1;
  return stretches.slice(first, last + 1);
}
