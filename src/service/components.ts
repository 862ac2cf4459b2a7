// Creates the components of the service and connects them.
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { minuteMs } from "../base/time.ts";
import { openAlerts } from "./alerts/alerts.ts";
import type { ServiceConfig } from "./config.ts";
import { BlobSweeper } from "./content/blob-sweeper.ts";
import { BlobMarks } from "./content/blobs/blob-marks.ts";
import { claimPlace } from "./content/blobs/blobs-place.ts";
import { openBlobs } from "./content/blobs/open-blobs.ts";
import { Imports } from "./content/assets/imports.ts";
import { FeedCopies } from "./content/previews/feed-copies.ts";
import { TicketsInDatabase } from "./content/previews/tickets-in-database.ts";
import { TicketsInMemory } from "./content/previews/tickets-in-memory.ts";
import type { OutboundClients } from "./content/outbound-clients.ts";
import { Thumbnails } from "./content/assets/thumbnails.ts";
import { Uploads } from "./content/uploads/uploads.ts";
import { openUploadBytes } from "./content/uploads/open-upload-bytes.ts";
import { defaultDeadlines } from "./http/limits/deadlines.ts";
import { EventJournal } from "./events/event-journal.ts";
import { Subscribers } from "./events/subscribers.ts";
import { Deliveries } from "./events/webhooks/deliveries.ts";
import { WebhookSender } from "./events/webhooks/sender.ts";
import { BatchRunner } from "./fleet/batches/runner.ts";
import { Commands } from "./fleet/commands/commands.ts";
import { ConnectivityEvents } from "./fleet/presence/connectivity-events.ts";
import { DesiredStates } from "./fleet/state/desired-states.ts";
import { DeviceAccess } from "./fleet/devices/device-access.ts";
import { DeviceJournal } from "./fleet/devices/device-journal.ts";
import { RemoteHeartbeats } from "./fleet/heartbeats/remote.ts";
import { DeviceSockets } from "./fleet/devices/device-sockets.ts";
import { ReportingPlayers } from "./fleet/heartbeats/reporting-players.ts";
import { Enrolment } from "./fleet/enrolment/enrolment.ts";
import { Signer } from "./fleet/devices/signer.ts";
import { Pairing } from "./fleet/pairing/pairing.ts";
import { PlayerProblems } from "./fleet/problems/problems.ts";
import { RolloutRunner } from "./fleet/rollouts/runner.ts";
import { RolloutTracker } from "./fleet/rollouts/tracker.ts";
import { Presence } from "./fleet/presence/presence.ts";
import { limitsInDatabase } from "./http/limits/limits-in-database.ts";
import { limitsInMemory } from "./http/limits/limits-in-memory.ts";
import { LiveViews } from "./live/live-views.ts";
import { RecentReports } from "./proof/recent-reports.ts";
import { ReportLinks } from "./proof/report-links.ts";
import type { MediaProcessPool } from "./media/process-pool.ts";
import type { Nodes } from "./nodes/nodes.ts";
import { ReleaseMirror } from "./releases/mirror.ts";
import { defaultMirrorBytes } from "./releases/mirror-limits.ts";
import { cacheOperators } from "./people/authentication.ts";
import { ensureAdminToken } from "./people/admin-token.ts";
import { AuditLog } from "./people/audit.ts";
import { SecretKeys } from "./people/one-time/secret-keys.ts";
import { Tickets } from "./people/tickets.ts";
import { BrowserCookies } from "./people/sessions/browser-cookies.ts";
import { Passkeys } from "./people/passkeys/passkeys.ts";
import { PeopleMails } from "./people/mails/people-mails.ts";
import { PasswordHashing } from "./people/passwords/hashing.ts";
import { Passwords } from "./people/passwords/passwords.ts";
import { SingleSignOn } from "./people/sso/single-sign-on.ts";
import { FailedSignIns } from "./people/sessions/failed-sign-ins.ts";
import { Versions } from "./publishing/versions/versions.ts";
import { TokenExpiry } from "./people/token-expiry.ts";
import { createIds } from "./store/ids.ts";
import type { Store } from "./store/store.ts";

const defaultMaxAssetBytes = 2 * 1_024 ** 3;
const defaultHeartbeatMs = 30_000;
const refreshBatchSize = 500;

/** The resources that the service opens before its components. */
interface Resources {
  store: Store;
  nodes: Nodes;
  outbound: OutboundClients;
  media: MediaProcessPool;
  log: Log;
  clock: Clock;
}

export type Components = Awaited<ReturnType<typeof createComponents>>;

/** Creates all components. @param closing aborts when the service stops */
export async function createComponents(
  config: ServiceConfig,
  { store, nodes, outbound, media, log, clock }: Resources,
  closing: AbortSignal,
) {
  const makeId = createIds(clock);
  // Another node may revoke a token at any time, so several nodes look each up.
  if (!nodes.isShared) cacheOperators(store);
  await ensureAdminToken({ store, nodes, makeId, clock, log }, config.data);
  const signer = nodes.isShared ? await Signer.openShared(store.db, config.data) : await Signer.open(config.data);
  const secretKeys = await SecretKeys.open(store.db, nodes, clock);
  const access = new DeviceAccess({ db: store.db, clock, makeId, secretKeys, signer });
  const journal = await DeviceJournal.open(store.db, makeId, clock, nodes);
  const presence = await Presence.open(store.telemetry, clock, nodes);
  const events = new EventJournal(journal.epoch, clock, makeId, nodes);
  const core = { store, nodes, clock, log, events, makeId };
  const versions = new Versions(clock, makeId);
  // Writes of operators are recorded with their names by then; the rest are writes of the service itself, such as at the end of a show.
  store.beforeCommit(async (db) => void (await versions.record(db, null)));
  const deliveries = new Deliveries(clock, makeId);
  events.onAppended((db, teamId, appended) => deliveries.addForEvents(db, teamId, appended));
  const webhooks = new WebhookSender({ store, nodes, clock, log, http: outbound.webhooks, events, deliveries });
  const commands = new Commands({ store, clock, makeId, nodes, signer, journal, events });
  const problems = new PlayerProblems(presence, clock);
  const links = await ConnectivityEvents.open({ store, nodes, clock, events, presence, problems });
  const { publicUrl, smtp = null } = config;
  const alerting = await openAlerts({ ...core, presence, problems, publicUrl, smtp });
  const tokens = new TokenExpiry(clock, nodes);
  const tickets = new Tickets(secretKeys);
  const deadlines = { ...defaultDeadlines, ...config.deadlines };
  const subscribers = new Subscribers({ ...core, deadlines, presence, tickets, tokens });
  const rollouts = await RolloutTracker.open(store, clock, nodes);
  const heartbeatMs = config.heartbeatMs ?? defaultHeartbeatMs;
  const reporting = new ReportingPlayers(store.db, clock);
  const desired = new DesiredStates(store.db);
  const sockets = new DeviceSockets({
    ...core,
    desired,
    access,
    alerts: alerting.alerts,
    deadlines,
    journal,
    presence,
    commands,
    links,
    problems,
    reporting,
    rollouts,
    subscribers,
    heartbeatMs,
  });
  const maxAssetBytes = config.maxAssetBytes ?? defaultMaxAssetBytes;
  const marks = new BlobMarks(store, clock, config.blobGraceMs);
  if (nodes.isShared) await claimPlace(store.db, config.s3 ?? null);
  if (nodes.liveNodeIds.size > 1 && !config.s3)
    log.warn("each node keeps files in its own data folder: what is uploaded at one is missing at the others. Give all of them --blobs");
  const blobs = await openBlobs(config.data, config.s3 ?? null, { marks, clock });
  const thumbnails = new Thumbnails({ blobs, events, media, nodes, store, clock, log });
  const files = { ...core, blobs, media, thumbnails, maxAssetBytes };
  const releases = config.releases ?? { from: null, rootFile: null, maxBytes: defaultMirrorBytes };
  await updateAllRevisions(store, desired);
  const audit = new AuditLog(clock, makeId);
  const makeLimit = nodes.isShared ? limitsInDatabase(store.db, clock) : limitsInMemory(clock);
  const failedSignIns = new FailedSignIns({ audit, log, makeId, makeLimit, store });
  const pairing = new Pairing({ store, clock, makeId, makeLimit, access, publicUrl });
  const recentReports = new RecentReports(clock, closing);
  const live = new LiveViews({ audit, clock, commands, log, makeId, nodes, store });
  return {
    ...files,
    ...alerting,
    access,
    audit,
    batchRunner: new BatchRunner({ store, desired, events, journal, sockets, clock, commands, log }),
    closing,
    codeGuesses: makeLimit("email-code", 10, 15 * minuteMs),
    cookies: new BrowserCookies(signer.publicKey),
    deadlines,
    failedSignIns,
    feedCopies: new FeedCopies({ http: outbound.imports, clock, closing }),
    passkeys: new Passkeys({ clock, failures: failedSignIns, log, makeLimit, secretKeys, store }),
    passwords: new Passwords({ clock, failures: failedSignIns, hashing: new PasswordHashing(config.passwordWork), makeLimit, store }),
    peopleMails: new PeopleMails({ clock, makeId, makeLimit, hasServer: smtp !== null, publicUrl }),
    sso: config.sso == null ? null : new SingleSignOn(config.sso, { clock, log, closing, secretKeys }),
    commands,
    deliveries,
    desired,
    imports: new Imports({ ...files, http: outbound.imports }),
    journal,
    live,
    links,
    nodes,
    enrolment: new Enrolment({ access, audit, clock, commands, journal, log, makeLimit, pairing, presence, problems, sockets, store }),
    pairing,
    presence,
    previews: nodes.isShared
      ? new TicketsInDatabase({ store, clock, makeId, secretKeys })
      : new TicketsInMemory(clock, makeId, tokens, closing),
    problems,
    publicUrl,
    recentReports,
    remoteHeartbeats: nodes.isShared
      ? new RemoteHeartbeats({ store, clock, links, nodes, presence, alerts: alerting.alerts, problems, subscribers })
      : null,
    reportLinks: new ReportLinks({ clock, desired, makeLimit, presence, recentReports, store }),
    reporting,
    releases: new ReleaseMirror(config.data, releases, { clock, log, closing }),
    rolloutRunner: new RolloutRunner({ store, desired, events, journal, sockets, clock, log, nodes, presence, rollouts }),
    rollouts,
    sockets,
    subscribers,
    sweeper: new BlobSweeper({ blobs, marks, store, clock, log }),
    tickets,
    tokens,
    webhookHttp: outbound.webhooks,
    versions,
    uploads: new Uploads(await openUploadBytes(config.data, files), files),
    webhooks,
  };
}

/**
 * Updates the revision of every player, since a new version of the service may compute states differently. In batches: reading all
 * rows at once would grow the process's memory for good.
 */
async function updateAllRevisions(store: Store, desired: DesiredStates): Promise<void> {
  for (let after = ""; ;) {
    const last = await store.write(async (db) => {
      const rows = await db
        .selectFrom("players")
        .selectAll()
        .where("removed_at", "is", null)
        .where("id", ">", after)
        .orderBy("id")
        .limit(refreshBatchSize)
        .execute();
      await desired.updateRevisions(db, rows);
      return rows.at(-1)?.id;
    });
    if (last === undefined) return;
    after = last;
  }
}
