// Runs the player: opens its parts, runs them side by side, and disposes them in reverse order.
import { runAll } from "../base/async/run-all.ts";
import { type Clock, CorrectedClock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import { isReadFailure } from "../base/files/system-error.ts";
import type { Log } from "../base/log.ts";
import { maintenanceModules } from "./commands/maintenance-modules.ts";
import { deviceModules } from "./commands/device-modules.ts";
import { applySettings } from "./control/apply-settings.ts";
import { serveTriggers } from "./commands/triggers.ts";
import { AskedSettingsStore } from "./control/asked-settings.ts";
import { DeclaredDevices } from "./control/declared-devices.ts";
import { finishFactoryReset } from "./factory-reset.ts";
import { DiskWait } from "./disk-wait.ts";
import type { Host } from "./host.ts";
import { isUnreadable, type KeyFiles, readKeyFiles, type UnreadableDisk, withoutKeyFiles } from "./key-files.ts";
import { readKnownTime, storeKnownTime } from "./link/known-time.ts";
import { followNtp } from "./link/ntp.ts";
import { ServiceApi } from "./link/service-api.ts";
import type { Machine } from "./machine.ts";
import { logPageMessage } from "./page-message-log.ts";
import { NoServer, type NoServerOptions } from "./pairing/no-server.ts";
import { PairingLifecycle } from "./pairing-lifecycle.ts";
import type { PlayerConfig } from "./player-config.ts";
import type { PlayerSettings } from "./player-settings.ts";
import { readableHeartbeat } from "./proof/readable-heartbeat.ts";
import { Status } from "./proof/status.ts";
import { saveRepeatedly } from "./storage/save-loop.ts";
import { SceneLoop } from "./scene-loop.ts";
import { Session } from "./session.ts";
import { Recovery } from "./surface/recovery.ts";
import { Restarts } from "./surface/restarts.ts";
import { Surface } from "./surface/surface.ts";
import type { Network } from "../base/http/network.ts";
import { OutboundHttp } from "../base/http/outbound-http.ts";
import { openUnderLauncher } from "./update/under-launcher.ts";
import { contentNetwork, contentPolicy } from "./web-items/outbound-policy.ts";
import { WebItems } from "./web-items/web-items.ts";

/** Runs beside the player until `signal` aborts. @param isHopeful false once no step of the recovery has helped for ten minutes. */
export type Supervise = (isHopeful: () => boolean, signal: AbortSignal) => Promise<never>;

/** The program and the machine that a player runs in. */
export interface PlayerEnvironment {
  /**
   * Returns the service's address. Called for each request, because an embedded service may change its port. Options for its screen
   * if no service is known; or why the disk could not say which one is used.
   */
  server: (() => string) | NoServerOptions | UnreadableDisk;
  host: Host;
  machine: Machine;
  settings: PlayerSettings;
  /** How the player's own connections reach the service, feeds and streams. */
  network: Network;
  /** Reports to the program that supervises this one; null if there is none. */
  supervise: Supervise | null;
  clock: Clock;
  log: Log;
}

/** Why a player ended without being aborted: an operator sent the command `restart`, or no milder step brought the display back. */
export type PlayerEnd = "restart" | "display-failed";

/**
 * Runs a player until `signal` aborts (rejects with AbortError) or it has to be started again.
 * @throws Fault `browser-missing` when there is no browser to start.
 */
export async function runPlayer(config: PlayerConfig, environment: PlayerEnvironment, signal: AbortSignal): Promise<PlayerEnd> {
  const { server, host, log } = environment;
  const { folder } = config;
  const finishReset = () => finishFactoryReset({ ...config, host, log });
  let files: KeyFiles | UnreadableDisk;
  try {
    if (isUnreadable(server)) throw server.error;
    // The program has read its settings already, so it has to start again.
    if (await finishReset()) return "restart";
    files = await readKeyFiles(folder, log);
  } catch (error) {
    if (!isReadFailure(error)) throw error;
    files = { is: "unreadable", error, read: () => readAgain(server, folder, log) };
  }
  const end = await runParts(config, environment, files, signal);
  if (files.is === "read") await finishReset();
  return end;
}

async function readAgain(server: PlayerEnvironment["server"], folder: string, log: Log): Promise<void> {
  if (isUnreadable(server)) await server.read();
  await readKeyFiles(folder, log);
}

async function runParts(
  config: PlayerConfig,
  environment: PlayerEnvironment,
  files: KeyFiles | UnreadableDisk,
  signal: AbortSignal,
): Promise<PlayerEnd> {
  const { folder, rendererFolder, version, deviceZone, notice, ntp, triggers, mayReachLocal, launcher } = config;
  const { server, host, machine, settings, network, supervise, log } = environment;
  await using cleanup = new AsyncDisposableStack();
  const end = new AbortController();
  let reason: PlayerEnd = "restart";
  const restartPlayer = (why: PlayerEnd): void => {
    reason = why;
    end.abort();
  };
  const running = AbortSignal.any([signal, end.signal]);

  const clock = new CorrectedClock(environment.clock, await readKnownTime(folder, rendererFolder, log));
  const { disk, identity, reset } = files.is === "read" ? files : withoutKeyFiles(folder, log);
  const asked = await AskedSettingsStore.open(folder, disk);
  const declared = await DeclaredDevices.open(config.declared, log);
  const api = cleanup.use(new ServiceApi(typeof server === "function" ? server : refuseRequest, network));
  const outboundHttp = cleanup.use(
    new OutboundHttp({ policy: contentPolicy(mayReachLocal), network: contentNetwork(network, mayReachLocal) }),
  );
  const session = (): Session | null => lifecycle.session;
  const media = (sha256: string) => session()?.stores.cache.findFile(sha256) ?? null;
  const stream = (key: string) => session()?.stores.follower.streamOf(key) ?? null;
  const owner = identity.thumbprint;
  const surface = cleanup.use(await Surface.open({ owner, port: host.pagePort, rendererFolder, media, stream, outboundHttp, clock, log }));
  const webItems = cleanup.use(await WebItems.open({ host, surface, media, log }));
  cleanup.defer(() => host.close());

  const restarts = await Restarts.open({ folder, machine, clock, disk, restartPlayer: () => restartPlayer("display-failed") });
  const isOffOnPurpose = (): boolean => session()?.displayPower.isOffOnPurpose ?? false;
  const recovery = new Recovery({
    host,
    surface,
    content: () => session()?.content ?? null,
    machine,
    isOffOnPurpose,
    restarts,
    clock,
    log,
  });
  const { instanceId } = api;
  const engine = () => recovery.engine;
  const launched = { version, instanceId, host, machine, surface, engine, session, clock, log, disk, deviceZone };
  const underLauncher = launcher === null ? null : await openUnderLauncher(launcher, launched);
  const updates = underLauncher?.updates ?? null;
  const status = new Status(
    { program: { folder, version, instanceId }, machine, browser: { host, surface, recovery }, disk, updates, session, clock, log },
    running,
  );
  const modules = deviceModules({
    program: {
      identify: (durationMs) => scenes.identify(durationMs),
      reload: (reloadSignal) => recovery.reload(reloadSignal),
      restart: () => restartPlayer("restart"),
      update: () => updates?.installNow() ?? Promise.reject(new Fault("unsupported", noLauncher)),
      updateIsMissing: () => (updates === null ? noLauncher : null),
    },
    machine,
    asked,
    isInstalling: () => updates?.update?.is === "installing",
    clock,
    log,
  });
  const showTestCard = (durationMs: number): void => scenes.showTestCard(durationMs);
  const maintenance = maintenanceModules({ api, clock, log, declared, folder, ntp, reset, session, surface, showTestCard });
  const lifecycle = new PairingLifecycle({
    folder,
    api,
    identity,
    clock,
    log,
    settings,
    disk,
    notice,
    reset,
    restart: () => restartPlayer("restart"),
    describeDevice: () => status.describeDevice(),
    machineIdentity: () => machine.identity(),
    openSession: (pairing, onServiceKey) =>
      Session.open({
        config,
        pairing,
        api,
        identity,
        clock,
        log,
        surface,
        display: recovery.display,
        releaseContent: () => recovery.release(),
        bootId: machine.bootId,
        outboundHttp,
        webItems,
        controls: machine.controls,
        declared,
        asked,
        disk,
        updates,
        createHeartbeat: async () => readableHeartbeat(await status.heartbeat(), disk),
        listProblems: () => status.listProblems(),
        onChange: () => scenes.update(),
        pictureSource: {
          capture: (captureSignal, captureOptions) => host.capture(captureSignal, captureOptions),
          displayPower: async () => (isOffOnPurpose() ? "off" : await machine.displayPower()),
          fault: () => recovery.fault,
        },
        deviceModules: [...modules, ...maintenance],
        reset,
        onServiceKey,
      }),
    onChange: () => scenes.update(),
  });
  const waiting = { restart: () => restartPlayer("restart"), onChange: () => scenes.update(), clock, log };
  const diskWait = files.is === "read" ? null : new DiskWait({ ...files, ...waiting });
  const noServer = typeof server === "function" || isUnreadable(server) ? null : new NoServer(server, () => scenes.update());
  const standIn = diskWait ?? noServer;
  const scenes = new SceneLoop({
    lifecycle,
    surface,
    recovery,
    machine,
    version,
    clock,
    phase: () => (standIn ?? lifecycle).phase,
    serviceOrigin: () => (standIn === null ? api.shownOrigin : ""),
    problems: () => status.problems,
  });
  surface.onMessage((message) => logPageMessage(message, log), running);

  try {
    return await runAll(
      [
        (shared) => recovery.run(shared),
        (shared) => scenes.run(shared),
        (shared) => (standIn ?? lifecycle).run(shared),
        (shared) =>
          saveRepeatedly([{ save: () => disk.probe(folder) }, { save: () => disk.retryReads() }, identity, restarts, asked], clock, shared),
        (shared) =>
          applySettings(
            { controls: machine.controls, asked: () => asked.settings.value, onFound: () => session()?.displayPower.reapply(), clock, log },
            shared,
          ),
        (shared) => clock.watchForSteps(shared),
        (shared) => declared.run(clock, shared),
        (shared) => storeKnownTime(folder, clock, log, shared),
        ...(underLauncher?.tasks ?? []),
        ...(supervise === null ? [] : [(shared: AbortSignal) => supervise(() => recovery.isHopeful, shared)]),
        ...(triggers
          ? [(shared: AbortSignal) => serveTriggers({ folder, player: () => session()?.stores.follower ?? null, clock, log }, shared)]
          : []),
        ...(ntp.length === 0 ? [] : [(shared: AbortSignal) => followNtp(ntp, clock, log, shared)]),
      ],
      running,
    );
  } catch (error) {
    if (end.signal.aborted && !signal.aborted) return reason;
    throw error;
  }
}

/** A player without a service has nothing to ask it. */
function refuseRequest(): never {
  throw new Fault("refused", "no service is set");
}

const noLauncher = "no launcher started the screen's program: update it in the way in which it was installed";
