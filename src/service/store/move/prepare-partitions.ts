// Makes the partitions that the rows of a data folder need, so that the service does not have to move them again.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Client } from "pg";
import { growingTables } from "../partitions/growing-tables.ts";
import { daysWithRows, makePartitions, type Query } from "../partitions/partition-statements.ts";
import { dayOf, endOfAhead } from "../partitions/ranges.ts";

// The default of the service. Older rows lie in the default partition until the service deletes them.
const keptDays = 400;

/** Makes them in the transaction of `client`. */
export async function preparePartitions(folder: string, client: Client): Promise<void> {
  const now = Date.now();
  const kept = { from: dayOf(now) - keptDays, to: endOfAhead(now) };
  const there: Query = async (text) => (await client.query(text)).rows as unknown[];
  for (const table of Object.values(growingTables)) {
    using file = new DatabaseSync(join(folder, `${table.schema}.db`), { readOnly: true, timeout: 5_000 });
    const days = await daysWithRows(async (text) => file.prepare(text).all(), table, table.name, kept);
    await makePartitions(there, table, days, table.daysPerPartition(keptDays));
  }
}
