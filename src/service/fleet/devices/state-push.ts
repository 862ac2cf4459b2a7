// Sends changed states together with their announcements, to the devices that take them: a request of each of ten thousand devices
// would cost more than everything else about a change.
import { reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { inChunks } from "../../store/chunks.ts";
import type { DesiredStates, StateDocument } from "../state/desired-states.ts";
import type { JournalEntry } from "./device-journal.ts";
import type { DeviceSession } from "./device-session.ts";

export class StatePush {
  readonly #desired: DesiredStates;
  readonly #sessions: ReadonlyMap<string, DeviceSession>;
  readonly #log: Log;
  /** The announcements of one change after those of the one before. */
  #announced: Promise<void> = Promise.resolve();

  /** @param sessions this node's, by player */
  constructor(desired: DesiredStates, sessions: ReadonlyMap<string, DeviceSession>, log: Log) {
    this.#desired = desired;
    this.#sessions = sessions;
    this.#log = log;
  }

  /** Resolves when what was pushed has been given to the sockets. Never rejects. */
  get allAnnounced(): Promise<void> {
    return this.#announced;
  }

  /** Sends committed journal entries to the players that are connected. */
  push(entries: readonly JournalEntry[]): void {
    const announcements: JournalEntry[] = [];
    for (const entry of entries) {
      const session = this.#sessions.get(entry.playerId);
      if (session?.takesStateOf(entry)) announcements.push(entry);
      else session?.push(entry);
    }
    if (announcements.length > 0) this.#announced = this.#announced.then(() => this.#announce(announcements));
  }

  async #announce(entries: readonly JournalEntry[]): Promise<void> {
    for (const chunk of inChunks(entries)) {
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
