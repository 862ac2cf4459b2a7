// Sends changed states together with the hints that they have changed, to the devices that take them: a request of each of ten thousand
// devices would cost more than everything else about a change.
import { reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { inChunks } from "../../store/chunks.ts";
import type { DesiredStates, StateDocument } from "../state/desired-states.ts";
import type { JournalEntry } from "./device-journal.ts";
import type { DeviceSession } from "./device-session.ts";

/** Sends committed journal entries to this node's sockets, and reads the states that belong to them. */
export class StatePush {
  readonly #desired: DesiredStates;
  readonly #sessions: ReadonlyMap<string, DeviceSession>;
  readonly #log: Log;
  /** The hints of one change are sent after those of the one before. */
  #pushed: Promise<void> = Promise.resolve();

  /** @param sessions this node's, by player */
  constructor(desired: DesiredStates, sessions: ReadonlyMap<string, DeviceSession>, log: Log) {
    this.#desired = desired;
    this.#sessions = sessions;
    this.#log = log;
  }

  /** Resolves when all pushed entries have been given to the sockets. Never rejects. */
  get allPushed(): Promise<void> {
    return this.#pushed;
  }

  /** Sends committed journal entries to the players that are connected. */
  push(entries: readonly JournalEntry[]): void {
    const hints: JournalEntry[] = [];
    for (const entry of entries) {
      const session = this.#sessions.get(entry.playerId);
      if (session?.takesStateOf(entry)) hints.push(entry);
      else session?.push(entry);
    }
    if (hints.length > 0) this.#pushed = this.#pushed.then(() => this.#pushWithStates(hints));
  }

  async #pushWithStates(hints: readonly JournalEntry[]): Promise<void> {
    for (const chunk of inChunks(hints)) {
      const documents = await this.#read(chunk.map(({ playerId }) => playerId));
      for (const entry of chunk) this.#sessions.get(entry.playerId)?.push({ ...entry, document: documents.get(entry.playerId) });
    }
  }

  /** Without a document a device fetches its state. */
  async #read(playerIds: readonly string[]): Promise<ReadonlyMap<string, StateDocument>> {
    try {
      return await this.#desired.documents(playerIds);
    } catch (error) {
      this.#log.warn({ reason: reasonOf(error), players: playerIds.length }, "changed states could not be sent: the players fetch them");
      return new Map();
    }
  }
}
