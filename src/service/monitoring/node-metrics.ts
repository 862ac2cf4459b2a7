// The metrics of one of several nodes: its lease, and how it hears of the others.
import { Counter, Gauge, type Registry } from "prom-client";
import type { NodeFigures, Nodes } from "../nodes/nodes.ts";

/** Adds the metrics of a node that shares its database. */
export function addNodeMetrics(registry: Registry, nodes: Nodes): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (figures: NodeFigures) => number | null): void => {
    new Gauge({
      name,
      help,
      registers,
      collect(this: Gauge) {
        const value = nodes.figures === null ? null : read(nodes.figures);
        if (value !== null) this.set(value);
      },
    });
  };
  gauge("signage_nodes_live", "Nodes with a lease, as this one knows them", ({ liveNodes }) => liveNodes);
  gauge("signage_node_lease_seconds", "For how long this node's lease still lasts; negative: it has ended", (node) => node.leaseSeconds);
  gauge("signage_node_has_duties", "1 on the node that runs what only one may run", ({ hasDuties }) => Number(hasDuties));
  gauge("signage_node_poll_lag_seconds", "Time since this node last read the announcements of the others", (node) => node.pollLagSeconds);
  gauge(
    "signage_node_clock_skew_seconds",
    "By how much this machine's clock is ahead of the database's, by which the service goes; negative: behind",
    (node) => node.clockSkewSeconds,
  );
  gauge("signage_messages_connected", "1 while the message server is connected", ({ isMessagingConnected }) =>
    isMessagingConnected === null ? null : Number(isMessagingConnected),
  );
  gauge("signage_announcements_missing", "Announcements that may still come below one that was read", (node) => node.missingAnnouncements);
  new Gauge({
    name: "signage_node_held_back_seconds",
    help: "For how long this node has waited for an open transaction of this database to tell what it has announced; none: it is not held back",
    labelNames: ["pid", "application", "database"],
    registers,
    collect(this: Gauge<"pid" | "application" | "database">) {
      this.reset();
      for (const { pid, applicationName, database, waitedMs } of nodes.figures?.heldBackBy ?? []) {
        this.set({ pid: String(pid), application: applicationName ?? "", database }, waitedMs / 1_000);
      }
    },
  });
  new Counter({
    name: "signage_node_resynchronized_total",
    help: "How often this node has read everything anew because it had missed announcements",
    registers,
    collect(this: Counter) {
      this.reset();
      this.inc(nodes.figures?.counts.resynchronized ?? 0);
    },
  });
  new Counter({
    name: "signage_announcements_total",
    help: "Announcements and messages between nodes: announced, heard by message, heard by polling, broadcast, or refused as malformed",
    labelNames: ["how"],
    registers,
    collect(this: Counter<"how">) {
      this.reset();
      const { announced, broadcast, heardByMessage, heardByPoll, refusedMessages } = nodes.figures?.counts ?? none;
      const counts = { announced, broadcast, heard_by_message: heardByMessage, heard_by_poll: heardByPoll, refused: refusedMessages };
      for (const [how, count] of Object.entries(counts)) this.inc({ how }, count);
    },
  });
}

const none: NodeFigures["counts"] = {
  announced: 0,
  broadcast: 0,
  heardByMessage: 0,
  heardByPoll: 0,
  refusedMessages: 0,
  resynchronized: 0,
};
