// The write of an operation: its transaction and its effects on players, devices and subscribers.
import type { NewEvent } from "../events/event-journal.ts";
import type { JournalEntry } from "../fleet/devices/device-journal.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import type { Caller, Contexts } from "./context.ts";

/** An event of a write. Without `players` it concerns all players that the write affects. */
export type WriteEvent = Omit<NewEvent, "players"> & { players?: readonly string[] };

/** Why content is published, where it is more than a plain write. */
export interface Publishing {
  note?: string | null;
  draftId?: string;
  proposedBy?: string | null;
  /** The number of the version that is restored. */
  restoredFrom?: number;
}

/** The effects of a write. */
export interface Change<T> {
  result: T;
  /** Players whose desired state may have changed. */
  affected?: readonly PlayerRow[];
  /** Device messages that are already in the journal and still have to be sent. */
  entries?: readonly JournalEntry[];
  /** Events for subscribers and webhooks. */
  events?: readonly WriteEvent[];
  /** Fields of the version that the write creates, if it changes content. */
  publishing?: Publishing;
  /** The reason why it cannot be part of a draft: it also changes things that drafts do not hold. */
  beyondDrafts?: string;
  /** Writes, in the same transaction, rows that stay even if the change runs in a draft, whose other writes are rolled back before. */
  afterDraft?: (db: Db) => Promise<void>;
  /** Updates memory after the commit. Not called if the transaction rolls back. */
  committed?: () => void;
}

/** The one transaction in which an operation writes. The gateway adds authorization, audit and idempotency to it. */
export interface UnitOfWork<C extends Caller> {
  /**
   * Runs `change` in a transaction and commits it.
   * @param change gets the caller's context as it is now: the operator's role may have changed since the request arrived.
   * @param respond makes the operation's response inside the transaction; by default it is the change's result.
   */
  write<T, R = T>(change: (db: Db, context: Contexts[C]) => Promise<Change<T>>, respond?: (db: Db, result: T) => Promise<R>): Promise<R>;
}
