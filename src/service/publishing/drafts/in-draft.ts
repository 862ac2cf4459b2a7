// Runs work as if something were published: it is applied within a savepoint, and everything is rolled back afterwards.
import { sql } from "kysely";
import type { Db, Store } from "../../store/store.ts";
import type { DraftChangeRow } from "../../store/tables/content.ts";
import { takeWrites, type ContentWrite } from "../content-writes.ts";
import { contentKinds } from "../../../protocol/operator/publishing.ts";
import { writeImage } from "../images.ts";

/**
 * Runs `work` inside the open transaction `db`, on the content as it would be if the draft were published. Nothing that it writes
 * stays: its writes to content are returned.
 * @param kept the draft's changes, and the content of its bin
 */
export function inDraft<T>(
  db: Db,
  teamId: string,
  kept: readonly DraftChangeRow[],
  work: () => Promise<T>,
): Promise<{ result: T; writes: ContentWrite[] }> {
  return afterChange(db, () => applyDraft(db, teamId, kept), work);
}

/** The same after any change of content. */
export async function afterChange<T>(
  db: Db,
  change: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<{ result: T; writes: ContentWrite[] }> {
  await sql`savepoint draft`.execute(db);
  try {
    await change();
    // Earlier changes are no writes of the work.
    await db.deleteFrom("content_writes").execute();
    const result = await work();
    return { result, writes: await takeWrites(db) };
  } finally {
    await sql`rollback to savepoint draft`.execute(db);
    await sql`release savepoint draft`.execute(db);
  }
}

/** Gives content in the open transaction the state of the draft. */
export async function applyDraft(db: Db, teamId: string, kept: readonly DraftChangeRow[]): Promise<void> {
  for (const kind of contentKinds) {
    for (const { resource_id: id, after, binned, updated_at } of kept.filter((each) => each.kind === kind)) {
      if (binned !== null) await writeImage(db, teamId, { kind, id }, binned, updated_at);
      await writeImage(db, teamId, { kind, id }, after, updated_at);
    }
  }
}

/** Runs `work` in a transaction that is rolled back, so that nothing is written to the disk. */
export async function withoutCommit<T>(store: Store, work: (db: Db) => Promise<T>): Promise<T> {
  const done: T[] = [];
  const rollback = new Error("a read in a draft was rolled back");
  try {
    await store.write(async (db) => {
      done.push(await work(db));
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  return done[0]!;
}
