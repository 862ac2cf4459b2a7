// Changes the tags, the layout or the settings of many screens: `POST /players/bulk`, in parts that are fulfilled as a whole.
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { texts } from "../../i18n/texts.ts";
import { reasonOf } from "../../ui/problem-message.tsx";
import { chunksOf, sendWithoutFailing, type BulkAct, type Failure, type Outcome, type RunOptions } from "./outcomes.ts";

const text = texts("bulk");
/** How many screens the service changes in one request. */
export const largestRequest = 10_000;
// Small enough for a progress that moves.
const perRequest = 500;

export type Change = Omit<Schemas["BulkPlayerChange"]["change"], "tags_add" | "tags_remove"> & {
  tags_add?: string[];
  tags_remove?: string[];
};

/** An action that makes this change. */
export function changeAct(change: Change): BulkAct {
  const body = (player_ids: string[]) => ({ target: { player_ids }, change: { tags_add: [], tags_remove: [], ...change } });
  return {
    async forecast(ids, signal) {
      const failures: Failure[] = [];
      let [affectedCount, same] = [0, 0];
      for (const chunk of chunksOf(ids, largestRequest)) {
        const result = await sendWithoutFailing(chunk, async (remaining) => {
          return (await client.post("/api/v1/players/bulk", { params: { query: { dry_run: "true" } }, body: body(remaining), signal }))
            .data;
        });
        failures.push(...result.failures);
        affectedCount += result.result?.changed ?? 0;
        same += (result.result?.matched ?? 0) - (result.result?.changed ?? 0);
      }
      return { affectedCount, same, failures };
    },
    run: (ids, options) => outcomesInParts(ids, (remaining) => client.post("/api/v1/players/bulk", { body: body(remaining) }), options),
  };
}

/** Sends requests for parts of the screens, each of which the service fulfils for all or none, and reports the result for each screen. */
export async function outcomesInParts(
  ids: readonly string[],
  send: (ids: string[]) => Promise<unknown>,
  { signal, onOutcomes }: RunOptions,
): Promise<void> {
  for (const chunk of chunksOf(ids, perRequest)) {
    if (signal.aborted) onOutcomes(chunk.map((id) => ({ id, state: "failed", reason: text("stopped") })));
    else onOutcomes(await outcomesOf(chunk, send));
  }
}

async function outcomesOf(chunk: readonly string[], send: (ids: string[]) => Promise<unknown>): Promise<readonly Outcome[]> {
  try {
    const { accepted, failures } = await sendWithoutFailing(chunk, send);
    return [
      ...failures.map((failure): Outcome => ({ ...failure, state: "failed" })),
      ...accepted.map((id): Outcome => ({ id, state: "done", reason: null })),
    ];
  } catch (error) {
    return chunk.map((id) => ({ id, state: "failed", reason: reasonOf(error) }));
  }
}
