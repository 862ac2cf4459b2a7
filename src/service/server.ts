// Starts the service: opens its store and components, listens for requests, and stops everything again.
import { readFile } from "node:fs/promises";
import Fastify, { type FastifyInstance } from "fastify";
import type { Clock } from "../base/clock.ts";
import { isAbort } from "../base/fault.ts";
import { lockFolder } from "../base/files/folder-lock.ts";
import type { Log } from "../base/log.ts";
import { createComponents, type Components } from "./components.ts";
import type { ServiceConfig } from "./config.ts";
import { createOutboundClients } from "./content/outbound-clients.ts";
import { Admission } from "./http/gateway/admission.ts";
import { Gateway } from "./http/gateway/gateway.ts";
import { addConsole } from "./http/pages/console.ts";
import { addHttpDefaults, fastifyOptions } from "./http/http-defaults.ts";
import { addPages } from "./http/pages/pages.ts";
import { addPreview } from "./http/pages/preview.ts";
import { stripPublicPath } from "./http/public-url.ts";
import { defaultLimits } from "./http/limits/rate-limit.ts";
import { addOperations } from "./http/rest.ts";
import { addUpgrades } from "./http/upgrades.ts";
import { runLoops } from "./loops.ts";
import { addMcp } from "./mcp/endpoint.ts";
import { MediaProcessPool } from "./media/process-pool.ts";
import { openNodes } from "./nodes/open-nodes.ts";
import { Metrics } from "./monitoring/metrics.ts";
import { addProbes } from "./monitoring/probes.ts";
import { addDocumentation } from "./openapi/documentation.ts";
import { openStore, type Store } from "./store/store.ts";

/** A running service. Disposing it ends its sockets and requests and stops all its work. */
export interface Service extends AsyncDisposable {
  /** With the actual port. */
  url: string;
  port: number;
}

/** The resources that a program gives its service. */
interface ServiceSurroundings {
  log: Log;
  /** This machine's clock. */
  clock: Clock;
  /** The clock by which all nodes of the service go; default: that of their database. */
  sharedClock?: Clock | undefined;
}

const closeGraceMs = 2_000;

/**
 * Starts a service.
 * @throws Fault `data-in-use` when another service uses the data folder; `file-corrupt` when its key cannot be read;
 * `store-unavailable` when its PostgreSQL database cannot be reached.
 */
export async function startService(config: ServiceConfig, { log, clock: machine, sharedClock }: ServiceSurroundings): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  opened.use(lockFolder(config.data));
  const store = opened.use(await openConfiguredStore(config, log));
  const nodes = opened.use(await openNodes(config, store, { log, clock: machine, sharedClock }));
  const { clock } = nodes;
  const closing = new AbortController();
  const draining = new AbortController();
  const outbound = createOutboundClients(config.allowAddresses);
  opened.use(outbound.imports);
  opened.use(outbound.webhooks);
  const media = opened.use(new MediaProcessPool({ log, start: config.startMediaProcess, limits: config.mediaLimits }));
  const components = await createComponents(config, { store, nodes, outbound, media, log, clock }, closing.signal);
  opened.use(components.blobs);
  const tls = config.tls && { cert: await readFile(config.tls.cert), key: await readFile(config.tls.key) };
  const app = Fastify(fastifyOptions(components, tls, config.trustedProxies ?? [])) as unknown as FastifyInstance;
  const requestDeadlines = addHttpDefaults(app, components);
  addDocumentation(app, config.version, config.publicUrl);
  addPages(app);
  if (config.consoleFolder !== null) await addConsole(app, config.consoleFolder, config.publicUrl, components.blobs);
  if (config.pageFolder != null) await addPreview(app, config.pageFolder, components);
  addProbes(app, { ...components, closing: draining.signal }, opened.use(new Metrics(components)), config.metricsPublic ?? false);
  const admission = new Admission(components, { ...defaultLimits, ...config.limits });
  const gateway = new Gateway(components);
  addOperations(app, { ...components, admission, gateway, operationDependencies: components, publicUrl: config.publicUrl });
  addMcp(app, { ...components, admission, gateway }, config);
  stripPublicPath(app.server, config.publicUrl);
  addUpgrades(app.server, [components.sockets, components.subscribers], components);
  opened.use(runLoops({ ...components, quotas: admission.quotas, requestDeadlines }, config, closing.signal));
  // Disposed first, since the stack disposes in reverse: it aborts `closing`, which ends the loops.
  opened.defer(() => close(app, components, closing));
  opened.defer(() => drain(components, config.drainMs ?? 0, draining));
  await app.listen({ port: config.port, host: config.host });
  const port = portOf(app);
  const owned = opened.move();
  return {
    url: `${tls === null ? "http" : "https"}://${hostInUrl(config.host)}:${port}`,
    port,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function openConfiguredStore({ data, database }: ServiceConfig, log: Log): Promise<Store> {
  if (database == null) return openStore(data);
  const { openPostgresStore } = await import("./store/postgres/postgres-store.ts");
  return openPostgresStore(database, log);
}

/** Tells proxies that this node takes no more, then asks its players over `drainMs` to connect elsewhere. Requests are served meanwhile. */
async function drain({ clock, log, sockets }: Components, drainMs: number, draining: AbortController): Promise<void> {
  draining.abort();
  if (drainMs === 0) return;
  const startedAt = clock.monotonic();
  const count = sockets.size;
  await sockets.drain(drainMs);
  log.info({ players: count, took_ms: Math.round(clock.monotonic() - startedAt) }, "drained");
}

/** Ends long polls, closes sockets, gives running requests a moment, then cuts all connections. */
async function close(
  app: FastifyInstance,
  { sockets, subscribers, live, media, clock }: Components,
  closing: AbortController,
): Promise<void> {
  closing.abort();
  await Promise.all([sockets.close(), subscribers.close(), live.close(), media.close()]);
  const closed = new AbortController();
  const cuttingConnections = clock.wait(closeGraceMs, closed.signal).then(
    () => app.server.closeAllConnections(),
    (error: unknown) => {
      if (!isAbort(error)) throw error;
    },
  );
  await app.close();
  closed.abort();
  await cuttingConnections;
}

function portOf(app: FastifyInstance): number {
  const address = app.addresses()[0];
  if (address === undefined || typeof address === "string") throw new TypeError("the service listens on no port");
  return address.port;
}

function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
