// The service's metrics in the Prometheus format. Knows nothing about HTTP.
import type { ServiceCore } from "../core.ts";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Event } from "../../protocol/operator/events.ts";
import type { Subscribers } from "../events/subscribers.ts";
import type { WebhookSender } from "../events/webhooks/sender.ts";
import type { DeviceAccess } from "../fleet/devices/device-access.ts";
import type { DeviceSockets } from "../fleet/devices/device-sockets.ts";
import type { DesiredStates } from "../fleet/state/desired-states.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import type { LiveViews } from "../live/live-views.ts";
import { addNodeMetrics } from "./node-metrics.ts";
import type { Db } from "../store/store.ts";

export interface MetricsDependencies extends ServiceCore {
  access: DeviceAccess;
  desired: DesiredStates;
  live: LiveViews;
  sockets: DeviceSockets;
  subscribers: Subscribers;
  webhooks: WebhookSender;
  presence: Presence;
}

const durationsS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const lagResolutionMs = 10;

/**
 * The service's metrics. Labels have few values (an operation or `other`, a status, an outcome), never an id.
 * Disposing stops the measurement of the event loop.
 */
export class Metrics implements Disposable {
  readonly contentType: string;
  readonly #registry = new Registry();
  readonly #requests: Counter<"operation" | "status">;
  readonly #durations: Histogram<"operation">;
  readonly #commands: Counter<"status">;
  readonly #lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  // Counted when the transaction that appends their events has committed.
  readonly #uncommitted = new WeakMap<Db, string[]>();

  constructor(dependencies: MetricsDependencies) {
    const registers = [this.#registry];
    this.contentType = this.#registry.contentType;
    this.#requests = new Counter({
      name: "signage_requests_total",
      help: "Handled requests, by operation and HTTP status",
      labelNames: ["operation", "status"],
      registers,
    });
    this.#durations = new Histogram({
      name: "signage_request_duration_seconds",
      help: "Time from a request's headers to the end of its response",
      labelNames: ["operation"],
      buckets: durationsS,
      registers,
    });
    this.#commands = new Counter({
      name: "signage_commands_total",
      help: "Commands that reached a status",
      labelNames: ["status"],
      registers,
    });
    this.#readComponents(dependencies);
    if (dependencies.nodes.isShared) {
      // Each series then names its node.
      this.#registry.setDefaultLabels({ node: dependencies.nodes.id });
      addNodeMetrics(this.#registry, dependencies.nodes);
    }
    this.#readProcess();
    dependencies.events.onAppended(async (db, _teamId, events) => this.#rememberStatuses(db, events));
    dependencies.store.onCommit((db) => this.#countCommands(db));
    this.#lag.enable();
  }

  /** Counts a handled request; `operation` is null for a route that is no operation. */
  countRequest(operation: string | null, status: number, durationMs: number): void {
    const name = operation ?? "other";
    this.#requests.inc({ operation: name, status });
    this.#durations.observe({ operation: name }, durationMs / 1_000);
  }

  /** All metrics in the Prometheus text format. The event loop lag covers the time since the previous call. */
  async text(): Promise<string> {
    const text = await this.#registry.metrics();
    this.#lag.reset();
    return text;
  }

  [Symbol.dispose](): void {
    this.#lag.disable();
  }

  #readComponents({ access, desired, live, sockets, subscribers, webhooks, presence }: MetricsDependencies): void {
    this.#gauge("signage_players_connected", "Players with an open socket", () => sockets.size);
    this.#gauge("signage_subscribers_connected", "Open sockets of event subscribers", () => subscribers.size);
    this.#gauge("signage_live_viewers", "People who watch a screen now", () => live.viewerCount);
    this.#counter("signage_live_streams_total", "Live views that players were asked for", () => live.counts.streams);
    this.#counter("signage_live_frames_total", "Pictures of live views that players have sent", () => live.counts.frames);
    this.#counter("signage_live_bytes_total", "Bytes of live views that players have sent", () => live.counts.bytes);
    this.#counter("signage_player_handshakes_total", "Sockets that players have opened", () => sockets.openedCount);
    this.#counter(
      "signage_token_queries_total",
      "Queries for tokens of players; requests that come together share one",
      () => access.queryCount,
    );
    this.#counter(
      "signage_state_renderings_total",
      "Content of desired states that was rendered; players share it",
      () => desired.renderingCount,
    );
    this.#gauge(
      "signage_players_throttled",
      "Online players whose processor is slowed down; each counts at the node that receives its heartbeats",
      () => presence.figures.throttled,
    );
    this.#counter("signage_frames_dropped_total", "Video frames that players have dropped", () => presence.figures.framesDropped);
    this.#counter("signage_frames_late_total", "Frames that players have drawn late", () => presence.figures.framesLate);
    new Gauge({
      name: "signage_players_by_display",
      help: "Online players by the state of their display, as it was read back; each counts at the node that receives its heartbeats",
      labelNames: ["state"],
      registers: [this.#registry],
      collect(this: Gauge<"state">) {
        for (const [state, count] of Object.entries(presence.figures.displays)) this.set({ state }, count);
      },
    });
    new Counter({
      name: "signage_webhook_attempts_total",
      help: "Delivery attempts to webhooks, by outcome: delivered, rejected by the response, or unreachable",
      labelNames: ["outcome"],
      registers: [this.#registry],
      collect(this: Counter<"outcome">) {
        this.reset();
        for (const [outcome, count] of Object.entries(webhooks.attempts)) this.inc({ outcome }, count);
      },
    });
  }

  #readProcess(): void {
    const lag = this.#lag;
    // An empty histogram returns NaN.
    const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) && lag.count > 0 ? nanoseconds / 1e9 : 0);
    this.#gauge("nodejs_eventloop_lag_p50_seconds", "Median delay of the event loop", () => seconds(lag.percentile(50)));
    this.#gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of the delay of the event loop", () => seconds(lag.percentile(99)));
    this.#gauge("nodejs_eventloop_lag_max_seconds", "Longest delay of the event loop", () => seconds(lag.max));
    this.#gauge("nodejs_heap_size_used_bytes", "Heap in use", () => process.memoryUsage().heapUsed);
    this.#gauge("process_resident_memory_bytes", "Resident memory", () => process.memoryUsage.rss());
    this.#gauge("process_start_time_seconds", "Start time of the process since the Unix epoch", () => performance.timeOrigin / 1_000);
    this.#counter("process_cpu_user_seconds_total", "CPU time in user mode", () => process.cpuUsage().user / 1e6);
    this.#counter("process_cpu_system_seconds_total", "CPU time in kernel mode", () => process.cpuUsage().system / 1e6);
  }

  #gauge(name: string, help: string, read: () => number): void {
    const registers = [this.#registry];
    new Gauge({
      name,
      help,
      registers,
      collect(this: Gauge) {
        this.set(read());
      },
    });
  }

  #counter(name: string, help: string, read: () => number): void {
    const registers = [this.#registry];
    new Counter({
      name,
      help,
      registers,
      collect(this: Counter) {
        this.reset();
        this.inc(read());
      },
    });
  }

  #rememberStatuses(db: Db, events: readonly Event[]): void {
    const statuses = events.flatMap(({ type }) => (type.startsWith("command.") ? [type.slice("command.".length)] : []));
    if (statuses.length > 0) this.#uncommitted.set(db, [...(this.#uncommitted.get(db) ?? []), ...statuses]);
  }

  #countCommands(db: Db): void {
    for (const status of this.#uncommitted.get(db) ?? []) this.#commands.inc({ status });
  }
}
