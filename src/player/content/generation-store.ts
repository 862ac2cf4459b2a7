// Keeps on the disk which complete desired states there are and which of them plays.
import { join } from "node:path";
import { DurableFile } from "../../base/files/durable-file.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import { DiskHealth } from "../storage/disk-health.ts";
import { StoredValue } from "../storage/stored-value.ts";
import { Generations, noGenerations } from "./generations.ts";

export class GenerationStore {
  readonly #stored: StoredValue<Generations>;

  private constructor(stored: StoredValue<Generations>) {
    this.#stored = stored;
  }

  /** Reads the states in `folder`. If both copies are damaged, the newest received state plays. */
  static async open(folder: string, log: Log, disk = new DiskHealth(log)): Promise<GenerationStore> {
    const file = new DurableFile(join(folder, "generations.json"), (json) => Generations.parse(json));
    return new GenerationStore(await StoredValue.open(file, disk, "playing the newest received state"));
  }

  /** True while the disk fails to read the list of states. */
  get isUnread(): boolean {
    return this.#stored.isUnread;
  }

  get value(): Generations {
    return this.#stored.value ?? noGenerations;
  }

  /** Replaces the value. It is in use at once, and durable when this resolves unless the disk fails. */
  async set(generations: Generations): Promise<void> {
    if (generations !== this.value) await this.#stored.set(generations);
  }

  /** Forgets the states unless they are of this player. */
  async keepOnlyOf(playerId: string): Promise<void> {
    const { newest } = this.value;
    if (newest !== null && newest.player.id !== playerId) await this.purge();
  }

  /** Changes the player id of the states, so that a player that got a new id keeps its content. */
  async reassign(fromId: string, toId: string): Promise<void> {
    const { newest, previous } = this.value;
    if (fromId === toId || newest?.player.id !== fromId) return;
    const renamed = <T extends DesiredState | null>(state: T): T =>
      state === null ? state : { ...state, player: { ...state.player, id: toId } };
    await this.set({ ...this.value, newest: renamed(newest), previous: renamed(previous) });
  }

  save(): Promise<void> {
    return this.#stored.save();
  }

  purge(): Promise<void> {
    return this.#stored.set(null);
  }
}
