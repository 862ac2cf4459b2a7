// Remembers on the disk that a command asked to end the pairing, from before its result is reported until it is done.
import { join } from "node:path";
import { z } from "zod";
import { unlessAborted } from "../../base/async/unless-aborted.ts";
import { Fault, isFault } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Listeners } from "../../base/async/listeners.ts";
import type { Clock } from "../../base/clock.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import { finalStatuses } from "../../protocol/device/commands.ts";
import type { OutboxMessage } from "../outbox/outbox-message.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { DiskHealth } from "../storage/disk-health.ts";

/** `unpair`: the pairing and its content go. `factory-reset`: everything that the player has stored goes. */
export type ResetKind = "unpair" | "factory-reset";

const StoredReset = z.object({
  is: z.enum(["unpair", "factory-reset"]),
  commandId: z.string(),
  /** `wiping`: the files may be removed in part, so that the next start has to finish it. */
  phase: z.enum(["asked", "wiping"]),
});
export type StoredReset = z.infer<typeof StoredReset>;

/** The name of the file in the data folder. */
export const resetFileName = "reset.json";

// The result goes first, but a service that is away must not keep a player paired.
const deliveryLimitMs = 30_000;

export class PendingReset {
  readonly #file: DurableFile<StoredReset>;
  readonly #asked: Observable<StoredReset | null>;

  private constructor(file: DurableFile<StoredReset>, stored: StoredReset | null) {
    this.#file = file;
    this.#asked = new Observable(stored);
  }

  /** For a player that does not read its disk. */
  static none(folder: string): PendingReset {
    return new PendingReset(fileIn(folder), null);
  }

  /**
   * Reads the reset that an earlier run did not finish. A damaged file counts as none: the player stays paired.
   * @throws the system's error when the disk fails to read it.
   */
  static async open(folder: string, disk: DiskHealth): Promise<PendingReset> {
    const file = fileIn(folder);
    try {
      const read = await file.read();
      return new PendingReset(file, read.is === "found" ? read.value : null);
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      disk.fileDamaged(resetFileName, "the screen stays paired", error);
      return new PendingReset(file, null);
    }
  }

  /** The pending reset; null: none. */
  get asked(): Watchable<StoredReset | null> {
    return this.#asked;
  }

  /** Asks for it. Durable once this resolves. @throws Fault `not-applied` if the disk cannot be written. */
  async ask(is: ResetKind, commandId: string): Promise<void> {
    await this.#set({ is, commandId, phase: "asked" });
  }

  /** From now on the player cannot continue as before, even if it is killed. */
  async beginWiping(): Promise<void> {
    const asked = this.#asked.value;
    if (asked !== null) await this.#set({ ...asked, phase: "wiping" });
  }

  /** It is done. */
  async clear(): Promise<void> {
    await this.#file.remove();
    this.#asked.set(null);
  }

  /**
   * Waits until something is asked for and its result is delivered, or cannot be for 30 s.
   * @throws Fault `unpaired` or `reset`; the reason of `signal`.
   */
  async endSession(outbox: Outbox, accepted: Listeners<OutboxMessage>, clock: Clock, signal: AbortSignal): Promise<never> {
    // The result of an earlier run's reset is delivered already if the outbox is empty.
    const isReported = this.#asked.value !== null && outbox.length === 0;
    const asked = await this.#whenAsked(signal);
    if (!isReported) await delivered(accepted, asked.commandId, clock, signal);
    throw asked.is === "unpair"
      ? new Fault("unpaired", "a command has ended the pairing")
      : new Fault("reset", "a command has asked for a factory reset");
  }

  #whenAsked(signal: AbortSignal): Promise<StoredReset> {
    const { promise, resolve } = Promise.withResolvers<StoredReset>();
    this.#asked.watch((asked) => (asked === null ? undefined : resolve(asked)), signal);
    return unlessAborted(promise, signal);
  }

  async #set(value: StoredReset): Promise<void> {
    try {
      await this.#file.write(value);
    } catch (error) {
      throw new Fault("not-applied", "the disk cannot be written, so the screen stays as it is", { cause: error });
    }
    this.#asked.set(value);
  }
}

function fileIn(folder: string): DurableFile<StoredReset> {
  return new DurableFile<StoredReset>(join(folder, resetFileName), (json) => StoredReset.parse(json));
}

/** Resolves once the service has the final status of the command, or after the limit. */
async function delivered(messages: Listeners<OutboxMessage>, commandId: string, clock: Clock, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  const accepted = new Promise<void>((resolve) => {
    messages.add((message) => {
      const isFinal = message.is === "command-status" && finalStatuses.includes(message.update.status);
      if (isFinal && message.commandId === commandId) resolve();
    }, end);
  });
  try {
    await Promise.race([accepted, clock.wait(deliveryLimitMs, end)]);
  } finally {
    over.abort();
  }
}
