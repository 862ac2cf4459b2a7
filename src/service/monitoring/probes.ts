// The readiness check and the metrics endpoint.
import { setTimeout } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import { sql } from "kysely";
import type { Clock } from "../../base/clock.ts";
import type { BlobStore } from "../content/blobs/blob-store.ts";
import { ProblemError } from "../http/problem.ts";
import { authenticate, parseBearer } from "../people/authentication.ts";
import { requireScope } from "../people/operator.ts";
import { knownSkewMs } from "../nodes/database-clock.ts";
import type { NodeFigures, Nodes } from "../nodes/nodes.ts";
import type { Store } from "../store/store.ts";
import type { Metrics } from "./metrics.ts";

interface ProbeDependencies {
  blobs: BlobStore;
  store: Store;
  nodes: Nodes;
  clock: Clock;
  /** Aborts when the service begins to stop. */
  closing: AbortSignal;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The name of the route's operation; other routes have none. */
    operation?: string;
  }
}

// Health checkers time out after some seconds, so a database that takes longer counts as failed.
const storeLimitMs = 2_000;

/** Adds `/readyz` and `/metrics`, and counts every handled request. @param isPublic whether anyone may read the metrics */
export function addProbes(app: FastifyInstance, dependencies: ProbeDependencies, metrics: Metrics, isPublic: boolean): void {
  app.addHook("onResponse", async (request, reply) => {
    metrics.countRequest(request.routeOptions.config?.operation ?? null, reply.statusCode, reply.elapsedTime);
  });
  app.get("/readyz", async (request, reply) => {
    if (dependencies.closing.aborted) throw new ProblemError("closing", "The service is stopping");
    await checkStore(dependencies);
    // Its own error is a 503 that names the store of files.
    await dependencies.blobs.check(AbortSignal.timeout(storeLimitMs));
    const { figures } = dependencies.nodes;
    const detail = figures === null ? {} : detailOf(figures, isPublic || isFromHere(request));
    return reply
      .type("application/json")
      .header("Cache-Control", "no-store")
      .send(JSON.stringify({ status: "ready", ...detail }));
  });
  app.get("/metrics", async (request, reply) => {
    if (!isPublic && !isFromHere(request)) {
      requireScope(await authenticate(dependencies.store.db, dependencies.clock, parseBearer(request.headers.authorization)), "teams:read");
    }
    return reply
      .type(metrics.contentType)
      .header("Cache-Control", "no-store")
      .send(await metrics.text());
  });
}

/** The state of a ready node. @param isTrusted true if the reader may see the other programs that use the database */
function detailOf({ clockSkewSeconds, heldBackBy, isMessagingConnected }: NodeFigures, isTrusted: boolean) {
  const holders = heldBackBy.map(({ applicationName, database, pid, since, waitedMs }) => {
    const waited_seconds = Math.round(waitedMs / 1_000);
    return isTrusted ? { pid, application_name: applicationName, database, since, waited_seconds } : { waited_seconds };
  });
  return {
    ...(isMessagingConnected !== null && { messages: isMessagingConnected ? "connected" : "away" }),
    ...(Math.abs(clockSkewSeconds) * 1_000 > knownSkewMs && { clock_ahead_seconds: Math.round(clockSkewSeconds) }),
    ...(holders.length > 0 && { held_back_by: holders }),
  };
}

/** @throws ProblemError 503 when the databases do not respond in time. */
async function checkStore({ store }: ProbeDependencies): Promise<void> {
  const finished = new AbortController();
  const timeout = setTimeout(storeLimitMs, "timeout" as const, { signal: finished.signal, ref: false }).catch(() => "finished" as const);
  const queries = Promise.all([
    store.db.selectFrom("meta").select("key").limit(1).execute(),
    // Looking for a row would plan all its partitions.
    store.partitions === null ? store.plays.selectFrom("play_events").select("id").limit(1).execute() : sql`select 1`.execute(store.plays),
    store.telemetry.selectFrom("heartbeats").select("player_id").limit(1).execute(),
  ]);
  try {
    if ((await Promise.race([queries, timeout])) !== "timeout") return;
  } catch (cause) {
    throw new ProblemError("closing", "The database does not respond", { cause });
  } finally {
    finished.abort();
  }
  queries.catch(() => undefined); // the timeout is reported already
  throw new ProblemError("closing", `The database did not respond within ${storeLimitMs / 1_000} s`);
}

/** True if the request comes from this machine. A proxied request does not, even if the proxy runs here. */
function isFromHere({ ip, headers }: FastifyRequest): boolean {
  if (headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined || headers.via !== undefined) return false;
  return ipaddr.isValid(ip) && ipaddr.process(ip).range() === "loopback";
}
