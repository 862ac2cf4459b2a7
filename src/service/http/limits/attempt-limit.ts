// Limits attempts per key, such as guesses of a password. Does not know if this process or all nodes count them.

/** The answer to an attempt. */
export interface Attempt {
  /** How long its key has to wait, ms. 0: the attempt was counted. */
  waitMs: number;
  /** Does not count the attempt after all: it was none. */
  takeBack: () => Promise<void>;
}

/** At most so many attempts per key in any window of time. */
export interface AttemptLimit {
  /** How long `key` has to wait for its next attempt, ms; 0 if it need not wait. */
  waitMs(key: string): Promise<number>;
  /** Counts an attempt, unless the limit is reached. Of concurrent ones, no more are counted than it allows. */
  take(key: string): Promise<Attempt>;
}

/** Makes a limit. @param name of the attempts; limits of one name count together on all nodes */
export type MakeLimit = (name: string, limit: number, windowMs: number) => AttemptLimit;

/** Counts an attempt by several limits, or by none of them if one is reached. */
export async function takeAll(limits: readonly (readonly [AttemptLimit, string])[]): Promise<Attempt> {
  const taken: Attempt[] = [];
  const takeBack = async (): Promise<void> => {
    for (const attempt of taken) await attempt.takeBack();
  };
  for (const [limit, key] of limits) {
    const attempt = await limit.take(key);
    if (attempt.waitMs === 0) {
      taken.push(attempt);
      continue;
    }
    await takeBack();
    const waits = [attempt.waitMs];
    for (const [other, otherKey] of limits) waits.push(await other.waitMs(otherKey));
    return { waitMs: Math.max(...waits), takeBack: async () => undefined };
  }
  return { waitMs: 0, takeBack };
}
