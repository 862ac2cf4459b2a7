// Nodes of one service for tests: parts of the service that share a real PostgreSQL database, without its HTTP.
import { sql } from "kysely";
import { runAll } from "../../../src/base/async/run-all.ts";
import { createSystemClock, type Clock } from "../../../src/base/clock.ts";
import { isAbort } from "../../../src/base/fault.ts";
import type { AnnouncementKind, Announcements } from "../../../src/service/nodes/messages/messages.ts";
import type { MessagesConfig } from "../../../src/service/nodes/messages/server.ts";
import type { Loop } from "../../../src/service/nodes/nodes.ts";
import { openSharedNodes } from "../../../src/service/nodes/open-shared-nodes.ts";
import { createIds } from "../../../src/service/store/ids.ts";
import { openPostgresStore } from "../../../src/service/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/service/store/store.ts";
import { createLog } from "../../support/recording-log.ts";

export const testClock = createSystemClock();

interface NodeOptions {
  messages?: MessagesConfig | null;
  /** Of its machine. */
  clock?: Clock;
  /** How long its leases last; default: as long as the product's. */
  leaseMs?: number;
  /** Loops of the test's own. */
  duties?: Record<string, (store: Store) => Loop>;
  each?: Record<string, (store: Store) => Loop>;
}

export async function startNode(
  database: string,
  { messages = null, clock = testClock, leaseMs, duties = {}, each = {} }: NodeOptions = {},
) {
  await using opened = new AsyncDisposableStack();
  const { log, lines } = createLog();
  const store = opened.use(await openPostgresStore(database, log));
  const nodes = opened.use(await openSharedNodes({ database, messages, leaseMs }, store, createIds(testClock), { log, clock }));
  const stopping = new AbortController();
  const ended = runAll(
    [
      ...nodes.loops,
      ...Object.entries(duties).map(([name, loop]) => nodes.asDuty(name, loop(store))),
      ...Object.entries(each).map(([name, loop]) => nodes.onEachNode(name, loop(store))),
    ],
    stopping.signal,
  ).catch((error: unknown) => {
    if (!isAbort(error)) return error;
    return null;
  });
  opened.defer(async () => {
    stopping.abort();
    await ended;
  });
  const heard: string[] = [];
  nodes.onAnnounced("players.changed", ({ playerIds }) => void heard.push(...playerIds));
  const owned = opened.move();
  return {
    store,
    nodes,
    lines,
    /** The ids of all players.changed of other nodes, in the order in which they were heard. */
    heard,
    /** Resolves with the error that would end the process. */
    ended,
    announce: <K extends AnnouncementKind>(kind: K, body: Announcements[K]) => store.write((db) => nodes.announce(db, kind, body)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export type TestNode = Awaited<ReturnType<typeof startNode>>;

/** A duty that counts in the row `counted-by-NAME` of meta every 100 ms. */
export function countAs(name: string) {
  return (store: Store): Loop =>
    async (signal) => {
      for (;;) {
        await store.write(async (db) => {
          await sql`insert into meta (key, value) values (${`counted-by-${name}`}, '1')
            on conflict (key) do update set value = (meta.value::int + 1)::text`.execute(db);
        });
        await testClock.wait(100, signal);
      }
    };
}
