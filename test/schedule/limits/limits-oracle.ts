// A naive computation of the plays of an hour to compare the real one with. It shares no code with it and uses other methods.

export interface NaiveItem {
  id: string;
  ms: number;
  limit?: number;
}

export interface NaiveInterrupt {
  name: string;
  share: number;
  playMs: number;
  limit?: number;
}

/** Tries increasing numbers of rounds until they last `spanMs`, and checks for each round whether a play falls into it. */
export function naiveLoop(items: readonly NaiveItem[], spanMs: number, playsOf: (limit: number) => number): NaiveItem[] {
  const limited = items.filter(({ limit }) => limit !== undefined);
  if (limited.length === 0) return [...items];
  for (let rounds = 1; ; rounds += 1) {
    const loop: NaiveItem[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const item of items) {
        const plays = item.limit === undefined ? rounds : playsOf(item.limit);
        if (plays >= rounds || fallsInto(round, rounds, plays, limited.indexOf(item), limited.length)) loop.push(item);
      }
    }
    const lasts = loop.reduce((sum, { ms }) => sum + ms, 0);
    if (lasts >= spanMs) return limited.every(({ limit }) => playsOf(limit!) >= rounds) ? [...items] : loop;
  }
}

/** Whether one of `plays` evenly spaced points, shifted by a part of the spacing, lies in the given one of `rounds` equal parts. */
function fallsInto(round: number, rounds: number, plays: number, index: number, of: number): boolean {
  const whole = 2n * BigInt(of) * BigInt(rounds);
  const edge = (at: number) => BigInt(at) * BigInt(plays) * 2n * BigInt(of) - BigInt(2 * index + 1) * BigInt(rounds);
  for (let play = 0n; play < BigInt(plays); play += 1n) {
    if (play * whole >= edge(round) && play * whole < edge(round + 1)) return true;
  }
  return false;
}

/** The plays of an hour in ms from its start: the pauses are equal, with half a pause at either end. */
export function naiveHour(
  interrupts: readonly NaiveInterrupt[],
): { name: string; from: number; until: number; number: number; of: number }[] {
  const totalShare = interrupts.reduce((sum, { share }) => sum + share, 0);
  const plays = interrupts.flatMap(({ name, share, playMs, limit }) => {
    const fairMs = (36_000 * share * 100) / Math.max(100, totalShare);
    const whole = Math.max(1, Math.round(fairMs / playMs));
    const of = limit === undefined ? whole : Math.min(limit, whole);
    const ms = whole === 1 ? Math.min(playMs, fairMs) : playMs;
    return Array.from({ length: of }, (_, number) => ({ name, number, of, ms, place: (2 * number + 1) / of }));
  });
  const ordered = plays.toSorted((a, b) => a.place - b.place);
  const sum = ordered.reduce((ms, play) => ms + play.ms, 0);
  const squeeze = sum > 3_600_000 ? 3_600_000 / sum : 1;
  const pause = (3_600_000 - sum * squeeze) / ordered.length;
  let before = 0;
  return ordered.map(({ name, number, of, ms }, index) => {
    const from = before + (index + 0.5) * pause;
    before += ms * squeeze;
    return { name, number, of, from, until: from + ms * squeeze };
  });
}
