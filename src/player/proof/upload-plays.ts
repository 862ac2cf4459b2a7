// Uploads play events to the service in batches, also to older services that do not know the newest fields.
import type { Log } from "../../base/log.ts";
import { maxEventsInBatch, type PlayEvent, type PlayEventReceipt } from "../../protocol/device/play-events.ts";
import { HttpFault } from "../link/service-http.ts";

/** Uploads one batch. Rejects with {@link HttpFault} if the service rejects the whole batch. */
export type DeliverPlays = (events: PlayEvent[], signal: AbortSignal) => Promise<PlayEventReceipt>;

// Optional fields that older services reject.
const newerFields = ["layer", "override_id"] as const;

/** Rejects if a batch should be tried again. Events that the service rejects permanently are logged and dropped. */
export async function uploadPlays(events: readonly PlayEvent[], deliver: DeliverPlays, log: Log, signal: AbortSignal): Promise<void> {
  for (let first = 0; first < events.length; first += maxEventsInBatch) {
    try {
      const batch = events.slice(first, first + maxEventsInBatch);
      const { accepted, duplicates, rejected } = await deliverBatch(batch, deliver, signal);
      if (rejected.length > 0) log.error({ rejected: rejected.slice(0, 10), count: rejected.length }, "the service rejected play events");
      log.debug({ accepted, duplicates }, "play events delivered");
    } catch (error) {
      if (!(error instanceof HttpFault) || ![400, 413, 422].includes(error.status)) throw error;
      log.error({ reason: error.message, events: events.length }, "the service rejected a batch of play events: it is dropped");
    }
  }
}

/** Sends a batch. Events that were rejected only because of newer fields are sent again without them. */
async function deliverBatch(batch: readonly PlayEvent[], deliver: DeliverPlays, signal: AbortSignal): Promise<PlayEventReceipt> {
  const receipt = await deliver([...batch], signal);
  const reduced = receipt.rejected.flatMap(({ index, errors }) => {
    const event = batch[index];
    const isForNewerFields = errors.length > 0 && errors.every(({ pointer }) => newerFields.some((field) => pointer === `/${field}`));
    return event !== undefined && isForNewerFields ? [{ index, event: withoutNewerFields(event) }] : [];
  });
  if (reduced.length === 0) return receipt;
  const second = await deliver(
    reduced.map(({ event }) => event),
    signal,
  );
  const reducedIndexes = new Set(reduced.map(({ index }) => index));
  const stillRejected = second.rejected.map((fault) => ({ ...fault, index: reduced[fault.index]?.index ?? fault.index }));
  return {
    accepted: receipt.accepted + second.accepted,
    duplicates: receipt.duplicates + second.duplicates,
    rejected: [...receipt.rejected.filter(({ index }) => !reducedIndexes.has(index)), ...stillRejected],
  };
}

function withoutNewerFields({ layer: _layer, override_id: _override, ...event }: PlayEvent): PlayEvent {
  return event;
}
