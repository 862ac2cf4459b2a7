// Finds the newest picture of each of many screens.
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";

export interface NewestScreenshot {
  id: string;
  /** ISO time. */
  captured_at: string;
}

/** The newest picture of each player that has one. Ids of screenshots sort by age. */
export async function newestScreenshots(db: Db, playerIds: readonly string[]): Promise<Map<string, NewestScreenshot>> {
  const newest = new Map<string, NewestScreenshot>();
  for (const ids of inChunks(playerIds)) {
    const last = db
      .selectFrom("screenshots")
      .select((row) => row.fn.max("id").as("id"))
      .where("player_id", "in", ids)
      .groupBy("player_id");
    const rows = await db.selectFrom("screenshots").select(["id", "player_id", "captured_at"]).where("id", "in", last).execute();
    for (const { id, player_id, captured_at } of rows) newest.set(player_id, { id, captured_at: new Date(captured_at).toISOString() });
  }
  return newest;
}
