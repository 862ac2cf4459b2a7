// The content that can be shown: which complete state plays, and which of its files are here.
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredAsset, DesiredState } from "../../protocol/device/desired-state.ts";
import type { DiskHealth } from "../storage/disk-health.ts";
import type { ReceivedStates } from "./desired-state-store.ts";
import { GenerationStore } from "./generation-store.ts";
import { completed, type Generations, playingState, withoutOther } from "./generations.ts";
import type { ProvenFiles } from "./proven-files.ts";

/** A desired state with those of its files that are here and proven: all of them, unless the disk has damaged some. */
export interface ReadyState {
  desired: DesiredState;
  /** Asset id to SHA-256 of the proven file. */
  files: ReadonlyMap<string, string>;
}

/** The assets of the state whose files are lost. */
export function lostAssets(state: ReadyState | null): DesiredAsset[] {
  return state?.desired.assets.filter(({ id }) => !state.files.has(id)) ?? [];
}

export class ReadyContent {
  readonly #files: ProvenFiles;
  readonly #store: GenerationStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #state = new Observable<ReadyState | null>(null);
  /** Media type by hash of the files that may be shown. */
  readonly #mediaTypes = new Map<string, string>();
  /**
   * Hashes of the files of the state that played before. They are kept: the item on screen may still be one of them. Null: the disk fails
   * to tell which they are.
   */
  #before: Set<string> | null = new Set();
  #changing: Promise<void> = Promise.resolve();

  private constructor(files: ProvenFiles, store: GenerationStore, clock: Clock, log: Log) {
    this.#files = files;
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  static async open(files: ProvenFiles, clock: Clock, log: Log, disk: DiskHealth): Promise<ReadyContent> {
    return new ReadyContent(files, await GenerationStore.open(files.folder, log, disk), clock, log);
  }

  /** The state that plays. */
  get state(): Watchable<ReadyState | null> {
    return this.#state;
  }

  get generations(): Generations {
    return this.#store.value;
  }

  /** Hashes of the files that may be shown. */
  hashes(): Iterable<string> {
    return this.#mediaTypes.keys();
  }

  mediaTypeOf(sha256: string): string | undefined {
    return this.#mediaTypes.get(sha256);
  }

  /** Hashes of the files that must not be removed; null if the disk fails to tell which are needed. */
  kept(): Set<string> | null {
    if (this.#store.isUnread || this.#before === null) return null;
    const { newest, previous } = this.generations;
    const assets = [newest, previous, this.#state.value?.desired].flatMap((each) => each?.assets ?? []);
    return new Set([...assets.map(({ sha256 }) => sha256), ...this.#before]);
  }

  /**
   * Plays the state that played before the start; without a complete state, as much as is here of the newest received one. Items with
   * damaged files are left out until these are fetched again. The files of the state before are kept, in case the newest is damaged at the
   * next start.
   */
  async restore({ newest, previous, isUnread }: ReceivedStates, playerId: string): Promise<void> {
    await this.#store.keepOnlyOf(playerId);
    this.#before = isUnread ? null : new Set(previous?.assets.map(({ sha256 }) => sha256));
    const desired = playingState(this.generations) ?? newest;
    if (desired === null) return;
    const files = await this.#files.presentOf(desired.assets);
    const missing = desired.assets.length - files.size;
    if (missing > 0) this.#log.error({ missing, revision: desired.revision }, "stored files are damaged or missing: playing without them");
    this.#show({ desired, files });
  }

  /** All files of the received state are here. @param isRepaired whether some of them had to be fetched. */
  complete(ready: ReadyState, isRepaired: boolean): Promise<void> {
    return this.#inOrder(async () => {
      await this.#store.set(completed(this.generations, ready.desired, isRepaired, this.#clock.now()));
      if (this.generations.plays === "newest") this.#show(ready);
    });
  }

  /** Changes which state plays, unless files of the other one are lost. Resolves with whether it plays. */
  async change(step: (before: Generations) => Generations): Promise<boolean> {
    let isWhole = true;
    await this.#inOrder(async () => {
      const before = this.generations;
      const next = step(before);
      const desired = playingState(next);
      if (next.plays === before.plays || desired === null) return this.#store.set(next);
      const files = await this.#files.presentOf(desired.assets);
      isWhole = files.size === desired.assets.length;
      if (!isWhole) return this.#store.set(next.plays === "newest" ? before : { ...next, plays: "newest", previous: null });
      await this.#store.set(next);
      const { failure, plays } = next;
      const about = { plays, revision: desired.revision, fault: failure?.fault, count: failure?.count };
      if (plays === "previous") this.#log.warn(about, "the newest state fails: the state before it plays");
      else this.#log.warn(about, "the newest state plays again");
      this.#show({ desired, files });
    });
    return isWhole;
  }

  /** Takes a damaged or missing file out of the state, so that its items are skipped. Returns whether the state had it. */
  lose(sha256: string, reason: string): boolean {
    const ready = this.#state.value;
    if (!this.#mediaTypes.delete(sha256) || ready === null) return false;
    const files = new Map([...ready.files].filter(([, hash]) => hash !== sha256));
    if (files.size === ready.files.size) return false;
    const assetIds = ready.desired.assets.filter((asset) => asset.sha256 === sha256).map(({ id }) => id);
    this.#log.error({ sha256, asset_ids: assetIds, reason }, "a stored file is damaged or missing: fetching it again");
    this.#state.set({ desired: ready.desired, files });
    return true;
  }

  /** Adds a file that was just fetched to the state, if that had lost it. */
  regain(sha256: string): void {
    const ready = this.#state.value;
    const lost = ready?.desired.assets.filter((asset) => asset.sha256 === sha256 && !ready.files.has(asset.id)) ?? [];
    if (ready === null || lost.length === 0) return;
    this.#log.info({ sha256, asset_ids: lost.map(({ id }) => id) }, "a lost file is here again");
    this.#setState({ desired: ready.desired, files: new Map([...ready.files, ...lost.map(({ id }) => [id, sha256] as const)]) });
  }

  /** Gives up the state that does not play, because its files need too much room, unless it is the one of `wantedRevision`. */
  keepOnlyPlaying(wantedRevision: string | null): Promise<void> {
    this.#before = new Set();
    return this.#inOrder(() => this.#store.set(withoutOther(this.generations, wantedRevision)));
  }

  /** The files of these names were removed. */
  forget(names: readonly string[]): void {
    for (const name of names) this.#mediaTypes.delete(name);
  }

  save(): Promise<void> {
    return this.#store.save();
  }

  async purge(): Promise<void> {
    this.#state.set(null);
    this.#mediaTypes.clear();
    await this.#inOrder(() => this.#store.purge());
  }

  #show(ready: ReadyState): void {
    const before = this.#state.value;
    // A state that is complete again after a loss does not displace the state before it.
    if (before !== null && before.desired.revision !== ready.desired.revision) this.#before = new Set(before.files.values());
    this.#setState(ready);
  }

  #setState(ready: ReadyState): void {
    for (const { id, sha256, mime_type } of ready.desired.assets) if (ready.files.has(id)) this.#mediaTypes.set(sha256, mime_type);
    this.#state.set(ready);
  }

  /** Runs changes one after the other. */
  #inOrder(change: () => Promise<void>): Promise<void> {
    const done = this.#changing.then(change);
    this.#changing = done.catch(() => undefined);
    return done;
  }
}
