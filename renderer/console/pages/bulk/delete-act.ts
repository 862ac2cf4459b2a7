// Moves many screens to the bin, and brings them back.
import { client } from "../../data/client.ts";
import { bulk } from "../../i18n/en/bulk.ts";
import { texts } from "../../i18n/texts.ts";
import { reasonOf } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { changeAct } from "./change-act.ts";
import type { BulkAct, Outcome } from "./outcomes.ts";

const text = texts(bulk);
// Deletions are single requests: a few at a time, so that the service has room for others.
const atOnce = 6;

export const deleteAct: BulkAct = {
  async forecast(ids, signal) {
    // The dry run of an empty change tells which of any number of screens are there.
    const { affected, same, failed } = await changeAct({}).forecast(ids, signal);
    return { affected: affected + same, same: 0, failed };
  },
  run: (ids, { signal, onOutcomes }) =>
    forEachScreen(ids, async (id) => {
      onOutcomes([
        signal.aborted
          ? { id, state: "failed", reason: text("stopped") }
          : await outcomeOf(id, () => client.delete("/api/v1/players/{id}", { params: { path: { id } } })),
      ]);
    }),
};

/** Brings screens back from the bin, and tells how many came. */
export async function restoreScreens(ids: readonly string[]): Promise<void> {
  const outcomes: Outcome[] = [];
  await forEachScreen(ids, async (id) => {
    outcomes.push(await outcomeOf(id, () => client.post("/api/v1/players/{id}/restore", { params: { path: { id } } })));
  });
  const failed = outcomes.filter(({ state }) => state === "failed");
  const count = outcomes.length - failed.length;
  if (count > 0) showToast({ message: text("restored", { count }) });
  if (failed.length > 0) {
    showToast({ kind: "failed", message: text("restoreFailed", { count: failed.length, reason: failed[0]!.reason }) });
  }
}

async function outcomeOf(id: string, send: () => Promise<unknown>): Promise<Outcome> {
  try {
    await send();
    return { id, state: "done", reason: null };
  } catch (error) {
    return { id, state: "failed", reason: reasonOf(error) };
  }
}

/** Calls `act` for each, a few at a time. */
async function forEachScreen(ids: readonly string[], act: (id: string) => Promise<void>): Promise<void> {
  const left = ids.values();
  const work = async (): Promise<void> => {
    for (const id of left) await act(id);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, work));
}
