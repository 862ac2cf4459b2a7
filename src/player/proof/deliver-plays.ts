// Delivers a batch of play events, also to older services that do not know the newest fields.
import type { PlayEvent, PlayEventReceipt } from "../../protocol/device/play-events.ts";

/** Uploads one batch. Rejects with `HttpFault` if the service rejects the whole batch. */
export type DeliverPlays = (events: PlayEvent[], signal: AbortSignal) => Promise<PlayEventReceipt>;

// Optional fields that older services reject.
const newerFields = ["layer", "override_id"] as const;

/** Sends a batch. Events that were rejected only because of newer fields or results are sent again in their older form. */
export async function deliverBatch(batch: readonly PlayEvent[], deliver: DeliverPlays, signal: AbortSignal): Promise<PlayEventReceipt> {
  const receipt = await deliver([...batch], signal);
  const reduced = receipt.rejected.flatMap(({ index, errors }) => {
    const event = batch[index];
    const isForNewerParts = event !== undefined && errors.length > 0 && errors.every(({ pointer }) => isNewer(event, pointer));
    return isForNewerParts
      ? [
          {
            index,
            event: olderForm(
              event,
              errors.map(({ pointer }) => pointer),
            ),
          },
        ]
      : [];
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

function isNewer({ result }: PlayEvent, pointer: string): boolean {
  return newerFields.some((field) => pointer === `/${field}`) || (result === "not_shown" && pointer === "/result");
}

/**
 * The event without its fields that were rejected. To a service of before display hours, a play for a display that was off is a play
 * without frames; the reason stays.
 */
function olderForm(event: PlayEvent, pointers: readonly string[]): PlayEvent {
  const { layer: _layer, override_id: _override, ...older } = event;
  const reduced = pointers.some((pointer) => pointer !== "/result") ? older : event;
  return pointers.includes("/result") ? { ...reduced, result: "skipped" } : reduced;
}
