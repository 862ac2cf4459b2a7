// Watches how the newest content does on the screen: returns to the content before it while it fails, and tries it again.
import { Signal } from "../base/async/signal.ts";
import type { Clock } from "../base/clock.ts";
import { hourMs } from "../base/time.ts";
import type { FromPage } from "../protocol/page-messages.ts";
import { overridesAt } from "../schedule/interventions.ts";
import type { ContentCache } from "./content/content-cache.ts";
import { failed, longestRetryMs, playingState, retried, survived, zoneShown, type GenerationFault } from "./content/generations.ts";
import type { CurrentPlan } from "./playback-loop.ts";
import type { InterventionStore } from "./playback/intervention-store.ts";
import type { Recovery, RevertibleContent } from "./surface/recovery.ts";
import { ZoneWatch } from "./zone-watch.ts";

export interface GenerationLoopDependencies {
  cache: ContentCache;
  interventions: InterventionStore;
  /** The plan that the page shows now. */
  plan: () => CurrentPlan;
  recovery: Pick<Recovery, "display" | "release">;
  clock: Clock;
}

// After a crash, the content is on trial for this long.
const trialMs = hourMs;

export class GenerationLoop implements RevertibleContent {
  readonly #dependencies: GenerationLoopDependencies;
  readonly #changed = new Signal();
  /** The zones of the newest state. */
  readonly #zones: ZoneWatch;
  /** The override for which the newest state was tried. */
  #triedOverride: string | null = null;
  /** The fault for which content is withheld, until it is handled. */
  #crash: string | null = null;
  #revision: string | null = null;
  /** Since when the state plays in this run of the player, monotonic ms. */
  #playsSince: number;
  /** When the newest state is tried again: as it is stored, and in monotonic ms. */
  #retry = { at: 0, monotonic: 0 };

  constructor(dependencies: GenerationLoopDependencies) {
    this.#dependencies = dependencies;
    const { cache, plan, clock } = dependencies;
    this.#zones = new ZoneWatch({
      plan,
      isWatched: () => this.#isNewestPlanned(),
      isProven: (zoneId) => cache.content.generations.provenZones.includes(zoneId),
      isOverridden: () => this.#overrides().length > 0,
      clock,
      onChange: () => this.update(),
    });
    this.#playsSince = clock.monotonic();
  }

  get canRevert(): boolean {
    const { cache, clock } = this.#dependencies;
    const { generations } = cache.content;
    return generations.plays === "newest" && failed(generations, { is: "crash", detail: "" }, clock.now()).plays === "previous";
  }

  async revert(fault: string): Promise<void> {
    await this.#fail({ is: "crash", detail: fault });
  }

  /** Checks again, soon: the stage on the screen has changed. */
  update(): void {
    this.#changed.notify();
  }

  /** Handles a report of the page. */
  handleMessage(message: FromPage): void {
    this.#zones.handleMessage(message);
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const { cache, recovery, interventions, clock } = this.#dependencies;
    cache.ready.watch((ready) => this.#onPlaying(ready?.desired.revision ?? null), signal);
    recovery.display.watch((state) => {
      this.#crash = state.is === "withholding" ? state.fault : null;
      this.update();
    }, signal);
    interventions.interventions.watch(() => this.update(), signal);
    for (;;) {
      await this.#check();
      await this.#changed.wait(clock, this.#nextCheckAt() - clock.monotonic(), signal);
    }
  }

  #onPlaying(revision: string | null): void {
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#playsSince = this.#dependencies.clock.monotonic();
      this.#zones.clear();
    }
    this.update();
  }

  async #check(): Promise<void> {
    const { cache, clock, recovery } = this.#dependencies;
    const proven = this.#zones.takeProven();
    // All in one write, because the file has both states.
    if (proven.length > 0) await cache.content.change((before) => proven.reduce(zoneShown, before));
    const crash = this.#crash;
    this.#crash = null;
    if (crash !== null) {
      if (await this.#fail({ is: "crash", detail: crash })) recovery.release();
      return;
    }
    for (const failure of this.#zones.takeFailed()) {
      if (await this.#fail({ is: "zone", ...failure })) return;
    }
    const now = clock.monotonic();
    if (now >= this.#retryAt() || this.#needsNewest()) return this.#tryNewest();
    if (now >= this.#survivedAt()) await cache.content.change(survived);
  }

  #nextCheckAt(): number {
    return Math.min(this.#retryAt(), this.#survivedAt(), this.#zones.nextChangeAt());
  }

  /** Resolves with whether the state before the newest plays from now on. */
  async #fail(fault: GenerationFault): Promise<boolean> {
    const { cache, clock } = this.#dependencies;
    const { plays } = cache.content.generations;
    await cache.content.change((before) => failed(before, fault, clock.now()));
    return plays === "newest" && cache.content.generations.plays === "previous";
  }

  async #tryNewest(): Promise<void> {
    const { cache, clock } = this.#dependencies;
    this.#retry.monotonic = clock.monotonic() + longestRetryMs;
    // A state that lost a file meanwhile is tried once the file is here again.
    if (!(await cache.content.change(retried))) cache.prepareAgain();
  }

  /** When the newest state is tried again, monotonic ms. A step of the wall clock does not change it. */
  #retryAt(): number {
    const { plays, failure } = this.#dependencies.cache.content.generations;
    if (plays === "newest" || failure === null) return Number.POSITIVE_INFINITY;
    if (failure.retryAt !== this.#retry.at) {
      const { clock } = this.#dependencies;
      const waitMs = Math.min(longestRetryMs, Math.max(0, failure.retryAt - clock.now()));
      this.#retry = { at: failure.retryAt, monotonic: clock.monotonic() + waitMs };
    }
    return this.#retry.monotonic;
  }

  #survivedAt(): number {
    const { plays, failure } = this.#dependencies.cache.content.generations;
    return plays === "newest" && failure?.fault.is === "crash" ? this.#playsSince + trialMs : Number.POSITIVE_INFINITY;
  }

  /** True, once for each override, if one is in force whose layout only the newest state has. */
  #needsNewest(): boolean {
    const { newest, previous, plays } = this.#dependencies.cache.content.generations;
    const [override] = this.#overrides();
    if (plays === "newest" || override === undefined || override.id === this.#triedOverride) return false;
    const { id: overrideId, show } = override;
    if (!("layoutId" in show)) return false;
    const has = (state: typeof newest): boolean => state?.layouts.some(({ id }) => id === show.layoutId) ?? false;
    if (!has(newest) || has(previous)) return false;
    this.#triedOverride = overrideId;
    return true;
  }

  #overrides() {
    const { interventions, clock } = this.#dependencies;
    return overridesAt(interventions.interventions.value, clock.now());
  }

  #isNewestPlanned(): boolean {
    const { cache, plan } = this.#dependencies;
    const { generations } = cache.content;
    const { revision } = plan();
    return generations.plays === "newest" && revision !== null && playingState(generations)?.revision === revision;
  }
}
