// Fences the writes of a duty: a node that was paused and wakes late, after its lease has gone to another node, must change nothing.
import { AsyncLocalStorage } from "node:async_hooks";
import { sql } from "kysely";
import { Fault } from "../../../base/fault.ts";
import { databaseNow } from "../../store/database-time.ts";
import type { Db } from "../../store/store.ts";

/** The right to a duty of a single node. Each new holder has a higher token. */
export interface Lease {
  name: string;
  token: number;
}

const leases = new AsyncLocalStorage<Lease>();

/** Runs `work` under a lease: {@link checkLease} checks it in every write within. */
export function runUnder<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  return leases.run(lease, work);
}

/**
 * To be called at the beginning of every write transaction. Outside a duty it does nothing. FOR KEY SHARE keeps the next holder waiting
 * until the transaction has ended, because a new token changes a key (of the index leases_by_token), but lets the holder renew its lease.
 * @throws Fault `lease-lost` when the lease has ended or is another node's.
 */
export async function checkLease(db: Db): Promise<void> {
  const lease = leases.getStore();
  if (lease === undefined) return;
  const { rows } = await sql`
    select 1 from leases where name = ${lease.name} and token = ${lease.token} and held_until > ${databaseNow} for key share`.execute(db);
  if (rows.length === 0) throw new Fault("lease-lost", `another node may do "${lease.name}" now: this one was paused or cut off`);
}
