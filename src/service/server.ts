// The service: opens its store and its doors, and closes them again.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Fastify, { type FastifyInstance } from "fastify";
import type { Clock } from "../base/clock.ts";
import { lockFolder } from "../base/files/folder-lock.ts";
import { isAbort } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { runAll } from "../base/async/run-all.ts";
import { clearOperatorCache } from "./people/authentication.ts";
import { ensureAdminToken } from "./people/admin-token.ts";
import { AuditLog } from "./people/audit.ts";
import { BlobSweeper } from "./content/blob-sweeper.ts";
import { Blobs } from "./content/blobs.ts";
import { Commands } from "./fleet/commands.ts";
import { DesiredStates } from "./fleet/state/desired-states.ts";
import { DeviceAccess } from "./fleet/devices/device-access.ts";
import { Gateway } from "./http/gateway.ts";
import { addDocumentation } from "./openapi/documentation.ts";
import { createOutboundClients, type AddressBlock, type OutboundClients } from "./content/outbound-clients.ts";
import { EventJournal } from "./events/event-journal.ts";
import { createIds } from "./store/ids.ts";
import { Imports } from "./content/imports.ts";
import { DeviceJournal } from "./fleet/devices/device-journal.ts";
import { ConnectivityEvents } from "./fleet/connectivity-events.ts";
import { PlayerProblems } from "./fleet/player-problems.ts";
import { TokenExpiry } from "./people/token-expiry.ts";
import { addHttpDefaults, frameworkOptions } from "./http/http-defaults.ts";
import { addMcp } from "./mcp/endpoint.ts";
import { Metrics } from "./monitoring/metrics.ts";
import type { Parts } from "./operations/operation.ts";
import { addClaimPage } from "./http/pages.ts";
import { Pairing } from "./fleet/pairing.ts";
import { Presence } from "./fleet/presence.ts";
import { defaultLimits, type RequestLimits } from "./http/rate-limit.ts";
import { addProbes } from "./monitoring/probes.ts";
import { addOperations } from "./http/rest.ts";
import { Signer } from "./fleet/devices/signer.ts";
import { DeviceSockets } from "./fleet/devices/device-sockets.ts";
import { openStore, type Store } from "./store/store.ts";
import { Subscribers } from "./events/subscribers.ts";
import { addUpgrades } from "./http/upgrades.ts";
import { Deliveries } from "./events/webhooks/deliveries.ts";
import { WebhookSender } from "./events/webhooks/sender.ts";
import type { LimitTable } from "./media/limits.ts";
import type { StartMediaProcess } from "./media/process.ts";
import { MediaProcessPool } from "./media/process-pool.ts";
import { Thumbnails } from "./content/thumbnails.ts";
import { Uploads } from "./content/uploads.ts";
import { runHourlyCleanup } from "./cleanup/hourly-cleanup.ts";

/** What a service is started with. */
export interface ServiceConfig {
  /** 0 picks a free one. */
  port: number;
  host: string;
  /** Where everything is kept. */
  data: string;
  /** Where people reach it, for the claim page; null when that is not known. */
  publicUrl: string | null;
  /** Paths of certificate and key, PEM; null for plain HTTP. */
  tls: { cert: string; key: string } | null;
  /** Folder of the claim page. */
  claimFolder: string;
  version: string;
  /** Largest asset, bytes. */
  maxAssetBytes?: number;
  heartbeatMs?: number;
  /** Blocks of addresses that webhooks and imports may call though they are not public. */
  allowAddresses?: readonly AddressBlock[];
  /** Requests a minute; what is not given is as in {@link defaultLimits}. */
  limits?: Partial<RequestLimits>;
  /** Proxies, as addresses or in CIDR notation, whose X-Forwarded-For is believed; none when not given. */
  trustedProxies?: readonly string[];
  /** Whether anybody may read the metrics; if not given, only this machine and tokens with `teams:read`. */
  metricsPublic?: boolean;
  /** How long play events are kept, days; 400 if not given. */
  playEventDays?: number;
  /** How much a file may cost to examine, by its kind; what is not given is usual. */
  mediaLimits?: Partial<LimitTable>;
  /** Starts a process that examines files; on Node where not given. */
  startMediaProcess?: StartMediaProcess | undefined;
}

/** A running service. Disposing ends its sockets and requests and leaves nothing behind. */
export interface Service extends AsyncDisposable {
  /** With the real port. */
  url: string;
  port: number;
}

const defaultMostAssetBytes = 2 * 1_024 ** 3;
const defaultPlayEventDays = 400;
const dayMs = 86_400_000;
const graceMs = 2_000;

/**
 * Starts a service.
 * @throws Fault `data-in-use` when another one lives in the folder; `file-corrupt` when its key cannot be read.
 */
export async function startService(config: ServiceConfig, { log, clock }: { log: Log; clock: Clock }): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  opened.use(lockFolder(config.data));
  const store = opened.use(await openStore(config.data));
  const closing = new AbortController();
  const outbound = createOutboundClients(config.allowAddresses);
  opened.use(outbound.imports);
  opened.use(outbound.webhooks);
  const media = opened.use(new MediaProcessPool({ log, start: config.startMediaProcess, limits: config.mediaLimits }));
  const parts = await openParts(config, { store, outbound, media, log, clock }, closing.signal);
  const tls = config.tls && { cert: await readFile(config.tls.cert), key: await readFile(config.tls.key) };
  const app = Fastify(frameworkOptions(parts, tls, config.trustedProxies ?? [])) as unknown as FastifyInstance;
  addHttpDefaults(app, parts);
  addDocumentation(app, config.version, config.publicUrl);
  await addClaimPage(app, config.claimFolder);
  addProbes(app, parts, opened.use(new Metrics(parts)), config.metricsPublic ?? false);
  const door = new Gateway(parts, { ...defaultLimits, ...config.limits });
  addOperations(app, parts, door, config.publicUrl);
  addMcp(app, parts, door, config);
  addUpgrades(app.server, [parts.sockets, parts.subscribers], parts.makeId, log);
  // Disposed in reverse: the closing first, which ends the loops too.
  opened.use(runLoops(parts, (config.playEventDays ?? defaultPlayEventDays) * dayMs, closing.signal));
  opened.defer(() => close(app, parts, closing));
  await app.listen({ port: config.port, host: config.host });
  const port = portOf(app);
  const owned = opened.move();
  return {
    url: `${tls === null ? "http" : "https"}://${hostInUrl(config.host)}:${port}`,
    port,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function openParts(
  config: ServiceConfig,
  { store, outbound, media, log, clock }: Pick<Parts, "store" | "media" | "log" | "clock"> & { outbound: OutboundClients },
  closing: AbortSignal,
): Promise<Parts> {
  const makeId = createIds(clock);
  store.onCommit(() => clearOperatorCache(store.db));
  await ensureAdminToken(store, config.data, makeId, clock, log);
  const signer = await Signer.open(config.data);
  const access = new DeviceAccess({ db: store.db, clock, makeId, signer });
  const journal = await DeviceJournal.open(store.db, makeId, clock);
  const presence = await Presence.open(store.telemetry, clock);
  const events = new EventJournal(journal.epoch, clock, makeId);
  const deliveries = new Deliveries(clock, makeId);
  events.onAppended((db, teamId, happened) => deliveries.addForEvents(db, teamId, happened));
  const webhooks = new WebhookSender({ store, clock, log, http: outbound.webhooks, events, deliveries });
  const commands = new Commands({ store, clock, makeId, signer, journal, events });
  const problems = new PlayerProblems(presence, clock);
  const links = await ConnectivityEvents.open({ store, clock, events, presence, problems });
  const tokens = new TokenExpiry(clock);
  const subscribers = new Subscribers({ store, clock, log, events, presence, tokens });
  const desired = new DesiredStates();
  const heartbeatMs = config.heartbeatMs ?? 30_000;
  const shared = {
    store,
    clock,
    log,
    makeId,
    access,
    journal,
    presence,
    commands,
    events,
    links,
    problems,
    subscribers,
    deliveries,
    webhookHttp: outbound.webhooks,
    webhooks,
  };
  // A newer version may shape the state differently: revisions are brought up to date before anyone asks.
  const maxAssetBytes = config.maxAssetBytes ?? defaultMostAssetBytes;
  const blobs = await Blobs.open(join(config.data, "blobs"));
  const thumbnails = new Thumbnails({ blobs, media, store, clock, log });
  const files = { store, clock, log, events, makeId, blobs, media, thumbnails, maxAssetBytes };
  await refreshAll(store, desired);
  return {
    ...shared,
    audit: new AuditLog(clock, makeId),
    tokens,
    desired,
    blobs,
    thumbnails,
    media,
    sweeper: new BlobSweeper({ blobs, store, clock }),
    imports: new Imports({ ...files, http: outbound.imports }),
    uploads: await Uploads.open(join(config.data, "uploads"), files),
    pairing: new Pairing({ store, clock, makeId, access, publicUrl: config.publicUrl }),
    sockets: new DeviceSockets({ ...shared, heartbeatMs }),
    maxAssetBytes,
    publicUrl: config.publicUrl,
    closing,
  };
}

/** Brings every player's revision up to date, some at a time: all rows at once would stay in the memory's size for good. */
async function refreshAll(store: Store, desired: DesiredStates): Promise<void> {
  for (let after = ""; ;) {
    const last = await store.write(async (db) => {
      const rows = await db
        .selectFrom("players")
        .selectAll()
        .where("removed_at", "is", null)
        .where("id", ">", after)
        .orderBy("id")
        .limit(500)
        .execute();
      await desired.updateRevisions(db, rows);
      return rows.at(-1)?.id;
    });
    if (last === undefined) return;
    after = last;
  }
}

/** The service's own loops; a failing one is told and ends the process, since nobody would notice it missing. */
function runLoops(parts: Parts, playsKeptMs: number, signal: AbortSignal): AsyncDisposable {
  const { log } = parts;
  const loops = [
    parts.commands,
    parts.sockets,
    parts.links,
    parts.subscribers,
    parts.webhooks,
    parts.sweeper,
    parts.thumbnails,
    parts.imports,
    parts.uploads,
    { run: (each: AbortSignal) => parts.presence.run(log, each) },
    { run: (each: AbortSignal) => runHourlyCleanup(parts, playsKeptMs, each) },
  ];
  const ended = runAll(
    loops.map((loop) => (each: AbortSignal) => loop.run(each)),
    signal,
  ).catch((error: unknown) => {
    if (isAbort(error) && signal.aborted) return;
    log.fatal({ err: error }, "a loop of the service failed");
    throw error;
  });
  return {
    async [Symbol.asyncDispose]() {
      await ended;
      // What came while the sockets were sent away.
      await parts.presence.flush();
    },
  };
}

/** Long polls end, sockets are sent away, requests under way get a moment, then every connection is cut. */
async function close(app: FastifyInstance, { sockets, subscribers, media, clock }: Parts, closing: AbortController): Promise<void> {
  closing.abort();
  await Promise.all([sockets.close(), subscribers.close(), media.close()]);
  const cut = new AbortController();
  const cutting = clock.wait(graceMs, cut.signal).then(
    () => app.server.closeAllConnections(),
    (error: unknown) => {
      if (!isAbort(error)) throw error;
    },
  );
  await app.close();
  cut.abort();
  await cutting;
}

function portOf(app: FastifyInstance): number {
  const address = app.addresses()[0];
  if (address === undefined || typeof address === "string") throw new TypeError("the service listens on no port");
  return address.port;
}

function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
