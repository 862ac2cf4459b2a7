// Ends commands that were not started in time, and commands whose device stopped reporting.
import { hourMs } from "../../../base/time.ts";
import type { Db } from "../../store/store.ts";
import type { CommandRow } from "../../store/tables/fleet.ts";
import { historyLine, withLine } from "./history.ts";
import { noAnswerError, openStatuses, startedStatuses } from "./status.ts";

// A started command fails when its time has passed and its device has reported nothing for this time.
const silenceMs = hourMs;

/** True if {@link expireCommands} would end a command. Checked first, since an empty transaction would delay other writes. */
export async function hasExpiredCommands(db: Db, now: number): Promise<boolean> {
  const ids = db.selectFrom("commands").select("id").limit(1);
  const unstarted = ids.where("status", "in", openStatuses).where("expires_at", "<=", now);
  if ((await unstarted.executeTakeFirst()) !== undefined) return true;
  const silent = ids
    .where("status", "in", startedStatuses)
    .where("expires_at", "<=", now - silenceMs)
    .where("updated_at", "<=", now - silenceMs);
  return (await silent.executeTakeFirst()) !== undefined;
}

/** @returns the commands that it ended. */
export async function expireCommands(db: Db, now: number): Promise<CommandRow[]> {
  const unstarted = await db
    .updateTable("commands")
    .set({ status: "expired", updated_at: now, history: withLine(historyLine("expired", now, "The screen did not receive it in time")) })
    .where("status", "in", openStatuses)
    .where("expires_at", "<=", now)
    .returningAll()
    .execute();
  const noAnswer = historyLine("failed", now, "The screen began it but did not report its end");
  const silent = await db
    .updateTable("commands")
    .set({ status: "failed", error: noAnswerError, updated_at: now, history: withLine(noAnswer) })
    .where("status", "in", startedStatuses)
    .where("expires_at", "<=", now - silenceMs)
    .where("updated_at", "<=", now - silenceMs)
    .returningAll()
    .execute();
  return [...unstarted, ...silent];
}
