// Sends the journal of one device to its socket: in order, each entry once, whichever node has written it.
import { reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import type { Store } from "../../store/store.ts";
import type { Commands } from "../commands/commands.ts";
import type { DeviceJournal, JournalEntry, MissedMessages } from "./device-journal.ts";
import type { PushedEntry } from "./state-hint.ts";

interface SenderDependencies {
  commands: Commands;
  journal: DeviceJournal;
  log: Log;
  store: Store;
}

interface Outlet {
  send: (entry: PushedEntry) => void;
  /** The entries that are missing are no longer stored. */
  giveUp: () => void;
}

export class JournalSender {
  readonly #playerId: string;
  readonly #dependencies: SenderDependencies;
  readonly #outlet: Outlet;
  // New: nothing may be sent. Reading: the journal is being read, and read again if entries were pushed meanwhile. Live: all were sent.
  #phase: "new" | "reading" | "live" = "new";
  #mustReadAgain = false;
  /** The number of the last entry that was sent. */
  #sentSeq = 0;

  constructor(playerId: string, dependencies: SenderDependencies, outlet: Outlet) {
    this.#playerId = playerId;
    this.#dependencies = dependencies;
    this.#outlet = outlet;
  }

  get hasBegun(): boolean {
    return this.#phase !== "new";
  }

  get isLive(): boolean {
    return this.#phase === "live";
  }

  /** True if this entry, or one after it, was sent. */
  hasSent({ seq }: JournalEntry): boolean {
    return seq <= this.#sentSeq;
  }

  /** To be called before the journal is read for the first time. */
  begin(): void {
    this.#phase = "reading";
  }

  /** Sends the missed messages, and goes on from there. */
  async goOn({ entries, lastSeq }: MissedMessages): Promise<void> {
    this.#sendRead(entries, lastSeq);
    this.#phase = "live";
    if (this.#mustReadAgain) await this.#read();
  }

  /** Sends a committed entry. If one before it, of another node, is not known here yet, reads both from the journal. */
  push(entry: PushedEntry): void {
    if (this.#phase === "new" || this.hasSent(entry)) return;
    if (this.#phase === "reading") this.#mustReadAgain = true;
    else if (entry.seq === this.#sentSeq + 1) this.#sendRead([entry], entry.seq);
    else void this.#read();
  }

  /** Never rejects: if the journal cannot be read, the next entry or the answer to a heartbeat makes up for it. */
  async #read(): Promise<void> {
    const { commands, journal, log, store } = this.#dependencies;
    this.#phase = "reading";
    try {
      do {
        this.#mustReadAgain = false;
        const missed = await journal.since(store.db, this.#playerId, journal.epoch, this.#sentSeq);
        if (!missed.resumed) return this.#outlet.giveUp();
        this.#sendRead(await commands.withoutCancelled(missed.entries), missed.lastSeq);
      } while (this.#mustReadAgain);
    } catch (error) {
      log.warn({ reason: reasonOf(error), player_id: this.#playerId }, "a device's journal could not be read");
    } finally {
      this.#phase = "live";
    }
  }

  #sendRead(entries: readonly PushedEntry[], lastSeq: number): void {
    for (const entry of entries) this.#outlet.send(entry);
    this.#sentSeq = lastSeq;
  }
}
