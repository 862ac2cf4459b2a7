// Many claimants of one duty, as if each were a node: only one has it at a time, and each tenure has a higher token than those before.
import pg from "pg";
import { leaseMs, Leases } from "../../../src/service/nodes/leases/leases.ts";
import { connectionTo } from "../../../src/service/store/postgres/pools.ts";
import { newId } from "../../../test/support/states.ts";
import type { RoundPlace } from "./rounds.ts";

const claimants = 6;
const claimsEach = 10;

interface Tenure {
  token: number;
  from: number;
  to: number;
}

/** @returns how many claims there were. */
export async function leases({ run, cluster }: RoundPlace): Promise<number> {
  if (cluster.postgres === null) return 0;
  const name = newId("dut");
  const tenures: Tenure[] = [];
  const claimant = async (): Promise<void> => {
    const pool = new pg.Pool({ ...connectionTo(cluster.postgres!.url()), max: 1 });
    // The claim that uses the connection rejects.
    pool.on("error", () => undefined);
    try {
      const claims = new Leases(pool, newId("nod"));
      for (let count = 0; count < claimsEach; count += 1) {
        const lease = await claims.take(name);
        if (lease === null) await run.pause(run.random.integer(0, 10));
        else {
          const from = performance.now();
          await run.pause(run.random.integer(0, 5));
          const askedAt = Date.now();
          const asked = performance.now();
          const isRenewed = await claims.renew(lease);
          // A claimant whose answer came late must not believe it: the lease may have ended, by the database's clock.
          const isLate = Math.max(Date.now() - askedAt, performance.now() - asked) >= leaseMs;
          if (!isRenewed && performance.now() - from < leaseMs / 2 && !isLate) run.violate(`the lease ${name} was lost within its time`);
          if (isLate) run.print({ lease: name, late_ms: Math.round(performance.now() - asked), late_wall_ms: Date.now() - askedAt });
          tenures.push({ token: lease.token, from, to: isLate ? asked : performance.now() });
          await claims.release(lease);
        }
      }
    } finally {
      await pool.end();
    }
  };
  await Promise.all(Array.from({ length: claimants }, claimant));
  const sorted = tenures.toSorted((a, b) => a.from - b.from);
  sorted.forEach(({ token, from }, place) => {
    const before = sorted[place - 1];
    if (before !== undefined && (from < before.to || token <= before.token))
      run.violate(`two had the lease ${name} at once: tokens ${before.token} and ${token}`);
  });
  return claimants * claimsEach;
}
