// Finds webhooks that have failed for an hour, so that an event warns of each of them once.
import type { NewEvent } from "../event-journal.ts";
import type { Db } from "../../store/store.ts";
import type { WebhookRow } from "../../store/event-tables.ts";
import { warnAfterMs, warningEvent } from "./health.ts";

/** The enabled webhooks that have failed for an hour and have no warning yet. */
export function webhooksToWarn(db: Db, now: number): Promise<WebhookRow[]> {
  return db
    .selectFrom("webhooks")
    .selectAll()
    .where("failing_since", "<=", Math.trunc(now) - warnAfterMs)
    .where("warned_at", "is", null)
    .where("status", "=", "enabled")
    .execute();
}

/** Marks these webhooks as warned, in a transaction. @returns the warning events. */
export async function markWarned(db: Db, now: number): Promise<NewEvent[]> {
  const webhooks = await webhooksToWarn(db, now);
  for (const { id } of webhooks) {
    await db
      .updateTable("webhooks")
      .set({ warned_at: Math.trunc(now) })
      .where("id", "=", id)
      .execute();
  }
  return webhooks.map(warningEvent);
}
