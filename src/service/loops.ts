// Runs the background loops of the components: those that each node needs, and those that only one node of a service runs.
import { runAll } from "../base/async/run-all.ts";
import { isAbort } from "../base/fault.ts";
import { dayMs } from "../base/time.ts";
import { runHourlyCleanup } from "./cleanup/hourly-cleanup.ts";
import type { Components } from "./components.ts";
import type { ServiceConfig } from "./config.ts";
import type { RemoteHeartbeats } from "./fleet/heartbeats/remote.ts";
import { QuotaExchange } from "./http/limits/quota-exchange.ts";
import type { RequestDeadlines } from "./http/limits/deadlines.ts";
import type { Quotas } from "./http/limits/rate-limit.ts";
import type { Loop } from "./nodes/nodes.ts";

const defaultPlayEventDays = 400;

/** The components, the quotas of the gateway, and the deadlines of requests. */
type LoopDependencies = Components & { quotas: Readonly<Record<string, Quotas>>; requestDeadlines: RequestDeadlines };

/** Runs the components' background loops until `signal` aborts. If one fails, the process ends, so that the failure is noticed. */
export function runLoops(components: LoopDependencies, config: ServiceConfig, signal: AbortSignal): AsyncDisposable {
  const { log, nodes, presence } = components;
  const each = Object.entries(loopsOfEachNode(components)).map(([name, loop]) => nodes.onEachNode(name, loop));
  const once = Object.entries(duties(components, config)).map(([name, loop]) => nodes.asDuty(name, loop));
  const ended = runAll([...nodes.loops, ...each, ...once], signal).catch((error: unknown) => {
    if (isAbort(error) && signal.aborted) return;
    log.fatal({ err: error }, "background loop failed");
    throw error;
  });
  return {
    async [Symbol.asyncDispose]() {
      await ended;
      await components.failedSignIns.settled();
      // Heartbeats that arrived while the sockets were closing.
      await presence.flush();
    },
  };
}

/** Loops over this node's own sockets, files or memory. */
function loopsOfEachNode(components: LoopDependencies): Record<string, Loop> {
  const { log, presence, releases, requestDeadlines, sockets, subscribers, webhooks } = components;
  return {
    deadlines: (each) => requestDeadlines.run(each),
    pings: (each) => sockets.run(each),
    subscribers: (each) => subscribers.run(each),
    webhooks: (each) => webhooks.run(each),
    mails: (each) => components.mailSender.run(each),
    "released files": (each) => components.sweeper.run(each),
    releases: (each) => releases.run(each),
    uploads: (each) => components.uploads.run(each),
    heartbeats: (each) => presence.run(log, each),
    ...(components.remoteHeartbeats === null ? {} : followOthers(components, components.remoteHeartbeats)),
  };
}

/** Loops that fetch other nodes' data: the heartbeats of their players, and the requests that they serve. */
function followOthers(components: LoopDependencies, remoteHeartbeats: RemoteHeartbeats): Record<string, Loop> {
  const { links } = components;
  const exchange = new QuotaExchange(components);
  return {
    "requests of others": (each) => exchange.run(each),
    "heartbeats of others": (each) => remoteHeartbeats.run(each),
    "connectivity of others": (each) => links.follow(each),
    "live views of others": (each) => components.live.followOthers(each),
  };
}

/** Loops that one node runs for all. */
function duties(components: Components, config: ServiceConfig): Record<string, Loop> {
  const { remoteHeartbeats } = components;
  const playEventRetentionMs = (config.playEventDays ?? defaultPlayEventDays) * dayMs;
  // To a node that was paused all players seem offline: before it decides, it reads the heartbeats that the others have stored meanwhile.
  const informed =
    (loop: Loop): Loop =>
    async (each) => {
      await remoteHeartbeats?.catchUp();
      return loop(each);
    };
  return {
    "command expiry": (each) => components.commands.run(each),
    connectivity: informed((each) => components.links.run(each)),
    rollouts: informed((each) => components.rolloutRunner.run(each)),
    batches: (each) => components.batchRunner.run(each),
    "event trimming": (each) => components.subscribers.trim(each),
    "webhook upkeep": (each) => components.webhooks.upkeep(each),
    alerts: informed((each) => components.alertLoops.run(each)),
    sweeper: (each) => components.sweeper.runSweeps(each),
    thumbnails: (each) => components.thumbnails.run(each),
    imports: (each) => components.imports.run(each),
    cleanup: (each) => runHourlyCleanup(components, playEventRetentionMs, each),
  };
}
