// What the service counts and measures of itself, in the words of Prometheus. Knows nothing of HTTP.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Event } from "../../protocol/operator/events.ts";
import type { EventJournal } from "../events/event-journal.ts";
import type { Subscribers } from "../events/subscribers.ts";
import type { WebhookSender } from "../events/webhooks/sender.ts";
import type { DeviceSockets } from "../fleet/devices/device-sockets.ts";
import type { Db, Store } from "../store/store.ts";

export interface MetricsParts {
  store: Store;
  events: EventJournal;
  sockets: DeviceSockets;
  subscribers: Subscribers;
  webhooks: WebhookSender;
}

const durationsS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const lagResolutionMs = 10;

/**
 * The service's metrics. Labels take few values: an operation of the table or `other`, a status, an outcome; never an id.
 * Disposing stops the watch on the event loop.
 */
export class Metrics implements Disposable {
  readonly contentType: string;
  readonly #registry = new Registry();
  readonly #requests: Counter<"operation" | "status">;
  readonly #durations: Histogram<"operation">;
  readonly #commands: Counter<"status">;
  readonly #lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  // Counted once the transaction that tells of them is committed.
  readonly #uncommitted = new WeakMap<Db, string[]>();

  constructor(parts: MetricsParts) {
    const registers = [this.#registry];
    this.contentType = this.#registry.contentType;
    this.#requests = new Counter({
      name: "signage_requests_total",
      help: "Requests answered, by operation and HTTP status",
      labelNames: ["operation", "status"],
      registers,
    });
    this.#durations = new Histogram({
      name: "signage_request_duration_seconds",
      help: "From a request's headers to the end of its answer",
      labelNames: ["operation"],
      buckets: durationsS,
      registers,
    });
    this.#commands = new Counter({
      name: "signage_commands_total",
      help: "Commands that came into a status",
      labelNames: ["status"],
      registers,
    });
    this.#readParts(parts);
    this.#readProcess();
    parts.events.onAppended(async (db, _teamId, events) => this.#note(db, events));
    parts.store.onCommit((db) => this.#countCommands(db));
    this.#lag.enable();
  }

  /** Counts an answered request; `operation` is null for what stands in no table. */
  answered(operation: string | null, status: number, durationMs: number): void {
    const name = operation ?? "other";
    this.#requests.inc({ operation: name, status });
    this.#durations.observe({ operation: name }, durationMs / 1_000);
  }

  /** All of them in the text format of Prometheus. The lag of the event loop is since the last time this was asked. */
  async text(): Promise<string> {
    const text = await this.#registry.metrics();
    this.#lag.reset();
    return text;
  }

  [Symbol.dispose](): void {
    this.#lag.disable();
  }

  #readParts({ sockets, subscribers, webhooks }: MetricsParts): void {
    this.#gauge("signage_players_connected", "Players whose socket is open", () => sockets.size);
    this.#gauge("signage_subscribers_connected", "Sockets that listen to events", () => subscribers.size);
    this.#counter("signage_player_handshakes_total", "Sockets that players opened", () => sockets.openedCount);
    new Counter({
      name: "signage_webhook_attempts_total",
      help: "Attempts to deliver to a webhook: delivered, refused by an answer, or unreachable",
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
    // A histogram that has seen nothing yet answers NaN.
    const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) && lag.count > 0 ? nanoseconds / 1e9 : 0);
    this.#gauge("nodejs_eventloop_lag_p50_seconds", "Median delay of the event loop", () => seconds(lag.percentile(50)));
    this.#gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of the delay of the event loop", () => seconds(lag.percentile(99)));
    this.#gauge("nodejs_eventloop_lag_max_seconds", "Longest delay of the event loop", () => seconds(lag.max));
    this.#gauge("nodejs_heap_size_used_bytes", "Heap in use", () => process.memoryUsage().heapUsed);
    this.#gauge("process_resident_memory_bytes", "Memory in use", () => process.memoryUsage.rss());
    this.#gauge("process_start_time_seconds", "Start of the process since the Unix epoch", () => performance.timeOrigin / 1_000);
    this.#counter("process_cpu_user_seconds_total", "Processor time in the program", () => process.cpuUsage().user / 1e6);
    this.#counter("process_cpu_system_seconds_total", "Processor time in the kernel", () => process.cpuUsage().system / 1e6);
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

  #note(db: Db, events: readonly Event[]): void {
    const statuses = events.flatMap(({ type }) => (type.startsWith("command.") ? [type.slice("command.".length)] : []));
    if (statuses.length > 0) this.#uncommitted.set(db, [...(this.#uncommitted.get(db) ?? []), ...statuses]);
  }

  #countCommands(db: Db): void {
    for (const status of this.#uncommitted.get(db) ?? []) this.#commands.inc({ status });
  }
}
