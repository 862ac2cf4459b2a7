// Renews the epoch, keys and leases of a database that was restored to an earlier state: its clients may remember a later one.
import { Fault } from "../../../base/fault.ts";
import { connect } from "./migrate.ts";
import { nameOfDatabase } from "./pools.ts";
import { databaseFault } from "../database-errors.ts";
import { metaKeys } from "../meta.ts";
import { databaseNowSql as now } from "../database-time.ts";

const forgotten = [metaKeys.journalEpoch, metaKeys.secretsKey, metaKeys.announcementsTrimmed, metaKeys.announcementsTrimmedId];

/**
 * - The epoch of the journals, which players and subscribers name when they resume: with a new one they fetch everything once.
 * - The key of short-lived secrets: those that were used since the backup must not be valid again.
 * - Announcements and up to where they were trimmed: their readers are gone, and their transactions are those of another server.
 * - Leases, whose holders are gone, and counts and frames that are of no use any more.
 *
 * To be called for a migrated database, before a node is started on it.
 * @throws Fault `refused` when a node uses the database; `store-unavailable`.
 */
export async function renewAfterRestore(url: string): Promise<void> {
  await using client = await connect(url);
  try {
    await client.query("BEGIN");
    const { rows } = await client.query<{ host: string }>(`SELECT host FROM state.nodes WHERE lease_until > ${now}`);
    if (rows.length > 0) {
      const hosts = rows.map(({ host }) => host).join(", ");
      throw new Fault("refused", `nodes use ${nameOfDatabase(url)} (on ${hosts}): stop them, wait ten seconds, and run this again`);
    }
    await client.query("DELETE FROM state.meta WHERE key = ANY($1)", [forgotten]);
    await client.query("UPDATE state.leases SET held_until = 0");
    await client.query("TRUNCATE state.nodes, state.announcements, state.quota_use, state.live_viewers, state.live_frames");
    await client.query("COMMIT");
  } catch (error) {
    throw databaseFault(error);
  }
}
