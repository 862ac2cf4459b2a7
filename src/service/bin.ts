// Empties the bin: what has lain in it for 30 days is gone, and so are its bytes.
import type { Parts } from "./operations/operation.ts";

const keptMs = 30 * 86_400_000;
const everyMs = 3_600_000;

/** Looks now and once an hour until `signal` aborts. */
export async function emptyBin({ clock, log, store, sweeper }: Parts, signal: AbortSignal): Promise<never> {
  for (;;) {
    const gone = await store.write((db) =>
      db
        .deleteFrom("assets")
        .where("deleted_at", "<=", Math.trunc(clock.now()) - keptMs)
        .returning(["sha256", "thumbnail_sha256"])
        .execute(),
    );
    sweeper.mark(gone.flatMap((row) => [row, { sha256: row.thumbnail_sha256 }]));
    if (gone.length > 0) log.info({ assets: gone.length }, "emptied the bin");
    await clock.wait(everyMs, signal);
  }
}
