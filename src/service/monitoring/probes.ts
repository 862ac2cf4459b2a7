// What machines ask of the service: whether it can take work, and its metrics for those who may see them.
import { setTimeout } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import { authenticate } from "../people/authentication.ts";
import { requireScope } from "../people/operator.ts";
import type { Metrics } from "./metrics.ts";
import type { Parts } from "../operations/operation.ts";
import { ProblemError } from "../http/problem.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The operation behind a route; other routes have none. */
    operation?: string;
  }
}

// Whoever asks gives up after some seconds; a database that takes longer does not answer.
const storeLimitMs = 2_000;

/** Adds `/readyz` and `/metrics`, and counts every answered request. @param isPublic whether anybody may see the metrics. */
export function addProbes(app: FastifyInstance, parts: Parts, metrics: Metrics, isPublic: boolean): void {
  app.addHook("onResponse", async (request, reply) => {
    metrics.answered(request.routeOptions.config?.operation ?? null, reply.statusCode, reply.elapsedTime);
  });
  app.get("/readyz", async (_request, reply) => {
    if (parts.closing.aborted) throw new ProblemError("closing", "The service is stopping");
    await checkStore(parts);
    return reply
      .type("application/json")
      .header("Cache-Control", "no-store")
      .send(JSON.stringify({ status: "ready" }));
  });
  app.get("/metrics", async (request, reply) => {
    if (!isPublic && !isFromHere(request)) {
      requireScope(await authenticate(parts.store.db, parts.clock, request.headers.authorization), "teams:read");
    }
    return reply
      .type(metrics.contentType)
      .header("Cache-Control", "no-store")
      .send(await metrics.text());
  });
}

/** @throws Refusal 503 when the databases do not answer in time. */
async function checkStore({ store }: Parts): Promise<void> {
  const over = new AbortController();
  const late = setTimeout(storeLimitMs, "late" as const, { signal: over.signal, ref: false }).catch(() => "over" as const);
  const asking = Promise.all([
    store.db.selectFrom("meta").select("key").limit(1).execute(),
    store.plays.selectFrom("play_events").select("id").limit(1).execute(),
    store.telemetry.selectFrom("heartbeats").select("player_id").limit(1).execute(),
  ]);
  try {
    if ((await Promise.race([asking, late])) !== "late") return;
  } catch (cause) {
    throw new ProblemError("closing", "The database does not answer", { cause });
  } finally {
    over.abort();
  }
  asking.catch(() => undefined); // it was told already that no answer came in time
  throw new ProblemError("closing", `The database did not answer within ${storeLimitMs / 1_000} s`);
}

/** Whether it was asked on this machine. What a proxy passed on came from elsewhere, though the proxy may live here. */
function isFromHere({ ip, headers }: FastifyRequest): boolean {
  if (headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined || headers.via !== undefined) return false;
  return ipaddr.isValid(ip) && ipaddr.process(ip).range() === "loopback";
}
