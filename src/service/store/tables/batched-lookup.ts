// Looks up rows by their keys: keys that many callers ask for at about the same time are read by one query.
import { AsyncLocalStorage } from "node:async_hooks";

interface Asked<V> {
  key: string;
  found: PromiseWithResolvers<V | undefined>;
}

/** Reads the entries of these keys; a key without an entry has nothing. */
type ReadKeys<V> = (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>;

// So that no single query takes long.
const maxKeys = 500;
// More than one, so that a connection that does not respond delays only those who asked through it.
const maxQueries = 4;

/**
 * How long keys are collected. `turn`: for one turn of the event loop, so that the requests that many sockets have received share a
 * query. `tick`: until callers that could go on have done so, for a look-up that follows another; then nobody waits for another turn, which
 * takes long on a busy service.
 */
type Collected = "turn" | "tick";

/** Collects the keys that are asked for at about the same time, or while {@link maxQueries} run. */
export class BatchedLookup<V> {
  readonly #read: ReadKeys<V>;
  readonly #defer: (run: () => void) => void;
  // A query is for several callers, so it runs in the context of none of them.
  readonly #runInOwnContext = AsyncLocalStorage.snapshot();
  readonly #asked: Asked<V>[] = [];
  #isScheduled = false;
  #running = 0;
  #queryCount = 0;

  constructor(read: ReadKeys<V>, collected: Collected = "turn") {
    this.#read = read;
    this.#defer = collected === "turn" ? (run) => setImmediate(run) : (run) => process.nextTick(run);
  }

  /** How many queries were run. */
  get queryCount(): number {
    return this.#queryCount;
  }

  /**
   * The entry of `key`, as a query finds it that begins after this call; undefined: nothing. Callers may get the same object.
   * Not for use inside a transaction.
   */
  get(key: string): Promise<V | undefined> {
    const found = Promise.withResolvers<V | undefined>();
    this.#asked.push({ key, found });
    this.#schedule();
    return found.promise;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#asked.length === 0 || this.#running >= maxQueries) return;
    this.#isScheduled = true;
    this.#runInOwnContext(() => this.#defer(() => void this.#run()));
  }

  /** Never rejects: the promises of `get` carry the outcome. */
  async #run(): Promise<void> {
    this.#isScheduled = false;
    this.#running += 1;
    this.#queryCount += 1;
    const asked = this.#asked.splice(0, maxKeys);
    this.#schedule();
    try {
      const rows = await this.#read([...new Set(asked.map(({ key }) => key))]);
      for (const { key, found } of asked) found.resolve(rows.get(key));
    } catch (error) {
      for (const { found } of asked) found.reject(error);
    } finally {
      this.#running -= 1;
      this.#schedule();
    }
  }
}
