// Opens this process's place among the nodes of its service.
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ServiceConfig } from "../config.ts";
import { createIds } from "../store/ids.ts";
import type { Store } from "../store/store.ts";
import { LoneNode } from "./lone-node.ts";
import type { Nodes } from "./nodes.ts";

/**
 * The node of a service. Only one with a PostgreSQL database has others.
 * @param clock this machine's @param sharedClock that of all nodes; default: the database's
 * @throws Fault `unsupported` when the message server is too old; `store-unavailable`.
 */
export async function openNodes(
  { database, messages }: ServiceConfig,
  store: Store,
  { log, clock, sharedClock }: { log: Log; clock: Clock; sharedClock?: Clock | undefined },
): Promise<Nodes> {
  const makeId = createIds(clock);
  if (database == null) return new LoneNode(makeId("nod"), { clock, log });
  const { openSharedNodes } = await import("./open-shared-nodes.ts");
  return openSharedNodes({ database, messages: messages ?? null }, store, makeId, { log, clock, sharedClock });
}
