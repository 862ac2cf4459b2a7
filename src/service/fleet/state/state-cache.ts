// The data that desired states were made of before, of which most players share the same. Bounded: see each limit.
import type { CalendarDays } from "../../schedule/calendars/holiday-calendars.ts";
import type { TeamSchedules } from "../../schedule/schedules.ts";
import type { SharedState } from "./shared-state.ts";
import type { StateContent } from "./state-content.ts";

// One layout may be on ten thousand players, but few layouts are in use at the same time.
const maxEntries = 200;
// How many bytes of rendered content a process keeps.
const maxRenderedBytes = 67_108_864;

/** The content that a player shows by its assignments: layout, schedules, overrides, safe content and calendars. */
export interface Assigned {
  shared: SharedState;
  /** The image in place of withheld content: the player's own, else the team's. */
  safeAssetId: string | null;
}

export class StateCache {
  /** Of players without overrides and schedules of their own, by everything else that it follows from. */
  readonly assigned = new PromiseCache<Assigned>();
  readonly contents = new PromiseCache<StateContent>();
  readonly shared = new PromiseCache<SharedState>();
  /** By team, like the two caches below. */
  readonly schedules = new PromiseCache<TeamSchedules>();
  readonly calendars = new PromiseCache<ReadonlyMap<string, CalendarDays>>();
  /** The safe content of teams. */
  readonly safeAssets = new PromiseCache<string | null>();
  /** Those that are rendered, the one used last at the end. */
  readonly #rendered = new Map<SharedState, number>();
  #renderedBytes = 0;
  readonly #maxRenderedBytes: number;

  constructor(maxBytes = maxRenderedBytes) {
    this.#maxRenderedBytes = maxBytes;
  }

  /** Drops the renderings that were not used for longest if this one, which was just used, is one too many. */
  keepRendering(state: SharedState): void {
    const known = this.#rendered.get(state);
    this.#rendered.delete(state);
    this.#rendered.set(state, state.renderedBytes);
    this.#renderedBytes += state.renderedBytes - (known ?? 0);
    for (const [oldest, bytes] of this.#rendered) {
      if (this.#renderedBytes <= this.#maxRenderedBytes && this.#rendered.size <= maxEntries) return;
      this.#rendered.delete(oldest);
      this.#renderedBytes -= bytes;
      oldest.dropRendering();
    }
  }
}

/** The promises of the entries that were read last. */
class PromiseCache<T> {
  readonly #entries = new Map<string, Promise<T>>();

  /** The entry of `key`, which is read once. One that cannot be read is not kept. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const cached = this.#entries.get(key);
    if (cached !== undefined) return cached;
    const reading = read();
    this.#entries.set(key, reading);
    // The callers handle a failure. Remove it, so that the next caller reads again.
    reading.catch(() => this.#entries.delete(key));
    if (this.#entries.size > maxEntries) this.#entries.delete(this.#entries.keys().next().value!);
    return reading;
  }
}
