// Opens a node that shares a PostgreSQL database with others, and connects its parts.
import { hostname } from "node:os";
import pg from "pg";
import { createSystemClock, type Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { openEpoch } from "../store/epoch.ts";
import type { MakeId } from "../store/ids.ts";
import { preciseNowSql } from "../store/database-time.ts";
import { connectionTo, hearLostConnections, limitStatements, queryPool } from "../store/postgres/pools.ts";
import type { Store } from "../store/store.ts";
import { AnnouncementLog } from "./announcements/log.ts";
import { AnnouncementReader } from "./announcements/reader.ts";
import { DatabaseClock } from "./database-clock.ts";
import { Duties } from "./leases/duties.ts";
import { Leases } from "./leases/leases.ts";
import { Membership } from "./leases/membership.ts";
import { MessageServer, type MessagesConfig } from "./messages/server.ts";
import { NodeListeners } from "./messages/listeners.ts";
import { SharedNodes } from "./shared-nodes.ts";

const pollMs = 1_000;
// While messages arrive, polling only finds those that were lost.
const pollWithMessagesMs = 5_000;
// A lease that cannot be renewed in time is lost, so these queries may not take long.
const connections = {
  max: 3,
  connectionTimeoutMillis: 2_000,
  query_timeout: 2_000,
  onConnect: async (client: pg.ClientBase) => void (await client.query(limitStatements(1_500))),
};

/**
 * @param config `leaseMs`: how long its leases last; default ten seconds
 * @param clock this machine's @param sharedClock that of all nodes; default: the database's
 * @throws Fault `unsupported` when the message server is too old; `store-unavailable`.
 */
export async function openSharedNodes(
  config: { database: string; messages: MessagesConfig | null; leaseMs?: number | undefined },
  store: Store,
  makeId: MakeId,
  { log, clock: machine, sharedClock }: { log: Log; clock: Clock; sharedClock?: Clock | undefined },
): Promise<SharedNodes> {
  await using opened = new AsyncDisposableStack();
  // Leases last by the database's clock, so their waits are real time whatever the service's clock is.
  const clock = createSystemClock();
  const pool = new pg.Pool({ ...connectionTo(config.database), ...connections });
  opened.defer(() => pool.end());
  pool.on("error", (error) => log.debug({ err: error }, "an idle connection to the database ended"));
  hearLostConnections(pool);
  const id = makeId("nod");
  const readTime = async () => (await queryPool<{ now: number }>(pool, `SELECT ${preciseNowSql} AS now`, []))[0]!.now;
  const databaseClock = sharedClock === undefined ? await DatabaseClock.open(machine, readTime, log) : null;
  const epoch = await openEpoch(store.db, makeId);
  const leases = new Leases(pool, id, config.leaseMs);
  const announcements = new AnnouncementLog(pool, id);
  const listeners = new NodeListeners();
  let messages: MessageServer | null = null;
  const pollEvery = (): number => (messages?.isConnected === true ? pollWithMessagesMs : pollMs);
  const reader = await AnnouncementReader.open({ announcements, listeners, clock, log, pollMs: pollEvery });
  const membership = new Membership({ leases, host: hostname(), readId: () => reader.readId, clock, log });
  const duties = new Duties({ clock, log, leases });
  await membership.renew();
  if (config.messages !== null) {
    messages = new MessageServer({
      config: config.messages,
      subject: `signage.${epoch}`,
      nodeId: id,
      clock,
      log,
      onMessage: (text) => nodes.hear(text),
      onChange: () => reader.wake(),
    });
  }
  const nodes = new SharedNodes({
    id,
    epoch,
    store,
    pool,
    leases,
    membership,
    duties,
    announcements,
    listeners,
    reader,
    messages,
    clock,
    times: { machine, shared: sharedClock ?? databaseClock! },
    databaseClock,
    log,
  });
  await messages?.open();
  opened.move();
  log.info({ node: id, nodes: membership.live.size, has_messages: messages !== null }, "this node shares its database");
  return nodes;
}
