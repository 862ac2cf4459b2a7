// Goes through a long list without keeping the event loop from everything else.
import { setImmediate } from "node:timers/promises";

const entriesInTurn = 50;

/** The entries one by one. After every fifty of them whatever else waits gets its turn. */
export async function* inTurns<T>(entries: Iterable<T>): AsyncGenerator<T> {
  let count = 0;
  for (const entry of entries) {
    count += 1;
    if (count % entriesInTurn === 0) await setImmediate();
    yield entry;
  }
}
