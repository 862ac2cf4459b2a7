// Plans the stage for the page, again at every boundary of an item and whenever its inputs change.
import { Signal } from "../base/async/signal.ts";
import type { CorrectedClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { ReadyState } from "./content/ready-content.ts";
import type { Feeds } from "./content/feeds/feeds.ts";
import { pagePlanAt, type PagePlan } from "../playback/page-plan.ts";
import { feedsOf } from "../protocol/content/items.ts";
import type { SessionStores } from "./session-stores.ts";
import type { WebItems } from "./web-items/web-items.ts";

export interface PlaybackLoopDependencies {
  clock: CorrectedClock;
  log: Log;
  stores: Pick<SessionStores, "cache" | "interventions" | "follower" | "proof">;
  feeds: Feeds;
  webItems: WebItems;
  deviceZone: string;
  /** Called when another state has been applied, before its first stage is planned. */
  onApplied: () => void;
  /** Called after each planning. */
  onChange: () => void;
}

/** The stages that the page shows and prepares. `revision` is that of the planned state, null before the first. */
export type CurrentPlan = PagePlan & { revision: string | null };

export class PlaybackLoop {
  readonly #dependencies: PlaybackLoopDependencies;
  readonly #replan = new Signal();
  #plan: CurrentPlan = { stage: null, upcoming: [], changesAt: Number.POSITIVE_INFINITY, revision: null };

  constructor(dependencies: PlaybackLoopDependencies) {
    this.#dependencies = dependencies;
  }

  get plan(): CurrentPlan {
    return this.#plan;
  }

  /** Plans again, soon. */
  replan(): void {
    this.#replan.notify();
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, stores, feeds, webItems, deviceZone, onChange } = this.#dependencies;
    const { cache, interventions, follower, proof } = stores;
    clock.onStep(() => this.replan(), signal);
    cache.ready.watch(() => this.replan(), signal);
    interventions.interventions.watch(() => this.replan(), signal);
    let plannedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      const now = clock.now();
      const before = follower.applied;
      const intervals = follower.follow(cache.ready.value, now);
      const { applied } = follower;
      if (applied !== null && applied !== before) await this.#apply(applied);
      const plan = pagePlanAt(intervals, now, deviceZone, feeds.contentOf, (stage) => webItems.withBundleUrls(stage));
      this.#plan = { ...plan, revision: applied?.desired.revision ?? null };
      // The new plan is due since the program changed, or since the last planning.
      void proof.setPlan(plan.stage, applied, Math.max(intervals[0]?.from ?? now, plannedAt));
      plannedAt = now;
      onChange();
      await this.#replan.wait(clock, plan.changesAt - clock.now(), signal);
    }
  }

  async #apply({ desired }: ReadyState): Promise<void> {
    const { feeds, webItems, log, onApplied } = this.#dependencies;
    await feeds.setFeeds(feedsOf(desired.playlists));
    webItems.declare(desired);
    log.info({ revision: desired.revision }, "state applied");
    onApplied();
  }
}
