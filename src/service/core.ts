// The parts that nearly every component of the service works with.
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { EventJournal } from "./events/event-journal.ts";
import type { Nodes } from "./nodes/nodes.ts";
import type { MakeId } from "./store/ids.ts";
import type { Store } from "./store/store.ts";

/** Storage, the other nodes, time, log, events and new ids. */
export interface ServiceCore {
  store: Store;
  nodes: Nodes;
  clock: Clock;
  log: Log;
  events: EventJournal;
  makeId: MakeId;
}
