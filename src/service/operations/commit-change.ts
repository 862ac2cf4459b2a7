// Commits a write together with everything that follows from it: player revisions, device messages and events.
import type { EventJournal } from "../events/event-journal.ts";
import type { DeviceJournal } from "../fleet/devices/device-journal.ts";
import type { DeviceSockets } from "../fleet/devices/device-sockets.ts";
import type { DesiredStates, RevisionChange } from "../fleet/state/desired-states.ts";
import type { Db, Store } from "../store/store.ts";
import type { Change } from "./unit-of-work.ts";

export interface ChangeDependencies {
  store: Store;
  desired: DesiredStates;
  events: EventJournal;
  journal: DeviceJournal;
  sockets: DeviceSockets;
}

/**
 * Runs a write as one transaction: the change, the revisions of affected players, device messages and events commit together or
 * not at all. Then sends the messages.
 * @param finish makes the response inside the transaction; gets the ids of the players that the change concerns, and the new revisions.
 */
export async function commitChange<T, R>(
  { store, desired, events, journal, sockets }: ChangeDependencies,
  change: (db: Db) => Promise<Change<T>>,
  finish: (db: Db, result: T, playerIds: readonly string[], revisions: readonly RevisionChange[]) => Promise<R>,
): Promise<R> {
  const { response, messages, committed } = await store.write(async (db) => {
    const { result, affected = [], entries = [], events: newEvents = [], afterDraft, committed } = await change(db);
    await afterDraft?.(db);
    const changedRevisions = await desired.updateRevisions(db, affected);
    const hints = await journal.appendAll(
      db,
      changedRevisions.map(({ playerId, revision }) => ({ playerId, message: { type: "state.changed", data: { revision } } })),
    );
    const affectedIds = affected.map(({ id }) => id);
    await events.append(
      db,
      newEvents.map((event) => ({ players: affectedIds, ...event })),
    );
    const messages = [...entries, ...hints];
    const eventPlayers = newEvents.flatMap(({ players }) => players ?? []);
    const concerned = [...new Set([...messages.map(({ playerId }) => playerId), ...eventPlayers])];
    const response = await finish(db, result, concerned, changedRevisions);
    return { response, messages, committed };
  });
  desired.clearCache();
  committed?.();
  sockets.push(messages);
  return response;
}
