// Moves many screens to the bin, and brings them back.
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { texts } from "../../i18n/texts.ts";
import { reasonOf } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { largestRequest, outcomesInParts } from "./change-act.ts";
import { chunksOf, sendWithoutFailing, type BulkAct, type Failure } from "./outcomes.ts";

const text = texts("bulk");

type Deletion = Schemas["BulkPlayerDeletionResult"];

/** @param onForecast called with how many schedules go with the screens */
export function deleteAct(onForecast: (schedules: number) => void): BulkAct {
  const send = async (player_ids: string[], isDryRun: boolean, signal?: AbortSignal): Promise<Deletion> => {
    const query = isDryRun ? { dry_run: "true" as const } : {};
    const body = { target: { player_ids } };
    return (await client.post("/api/v1/players/bulk/delete", { params: { query }, body, ...(signal === undefined ? {} : { signal }) }))
      .data;
  };
  return {
    async forecast(ids, signal) {
      const failures: Failure[] = [];
      let [affectedCount, schedules] = [0, 0];
      for (const chunk of chunksOf(ids, largestRequest)) {
        const result = await sendWithoutFailing(chunk, (remaining) => send(remaining, true, signal));
        failures.push(...result.failures);
        affectedCount += result.accepted.length;
        schedules += result.result?.schedules ?? 0;
      }
      onForecast(schedules);
      return { affectedCount, same: 0, failures };
    },
    run: (ids, options) => outcomesInParts(ids, (remaining) => send(remaining, false), options),
  };
}

/** Brings screens back from the bin, and tells how many came. @returns those that came */
export async function restoreScreens(ids: readonly string[]): Promise<readonly string[]> {
  const back: string[] = [];
  for (const chunk of chunksOf(ids, largestRequest)) {
    try {
      await client.post("/api/v1/players/bulk/restore", { body: { player_ids: chunk } });
      back.push(...chunk);
    } catch (error) {
      showToast({ kind: "failed", message: text("restoreFailed", { count: chunk.length, reason: reasonOf(error) }) });
    }
  }
  if (back.length > 0) showToast({ message: text("restored", { count: back.length }) });
  return back;
}
