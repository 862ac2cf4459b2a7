// Runs the player: opens its parts, runs them side by side, and disposes them in reverse order.
import { runAll, type Task } from "../base/async/run-all.ts";
import { Signal } from "../base/async/signal.ts";
import { type Clock, CorrectedClock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import { isReadFailure } from "../base/files/system-error.ts";
import type { Network } from "../base/http/network.ts";
import { OutboundHttp } from "../base/http/outbound-http.ts";
import type { Log } from "../base/log.ts";
import { deviceModules } from "./commands/device-modules.ts";
import { maintenanceModules } from "./commands/maintenance-modules.ts";
import { serveTriggers } from "./commands/triggers.ts";
import { applySettings } from "./control/apply-settings.ts";
import { AskedSettingsStore } from "./control/asked-settings.ts";
import { DeclaredDevices } from "./control/declared-devices.ts";
import { DiskWait } from "./disk-wait.ts";
import { finishFactoryReset } from "./factory-reset.ts";
import type { Host } from "./host.ts";
import { isUnreadable, type KeyFiles, readKeyFiles, type UnreadableDisk, withoutKeyFiles } from "./key-files.ts";
import { readKnownTime, storeKnownTime } from "./link/known-time.ts";
import { followNtp } from "./link/ntp.ts";
import { ServiceApi } from "./link/service-api.ts";
import type { Machine } from "./machine.ts";
import { logPageMessage } from "./page-message-log.ts";
import { NoServer, type NoServerOptions } from "./pairing/no-server.ts";
import { type OpenSession, PairingLifecycle } from "./pairing-lifecycle.ts";
import type { PlayerConfig, PlayerSettings } from "./player-config.ts";
import type { BasicParts, Browser, PlayerParts } from "./player-parts.ts";
import { Status } from "./proof/status.ts";
import { SceneLoop } from "./scene-loop.ts";
import { Session } from "./session.ts";
import { saveRepeatedly } from "./storage/save-loop.ts";
import { Recovery } from "./surface/recovery.ts";
import { Restarts } from "./surface/restarts.ts";
import { Surface } from "./surface/surface.ts";
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
  let keyFiles: KeyFiles | UnreadableDisk;
  try {
    if (isUnreadable(server)) throw server.error;
    // The program has read its settings already, so it has to start again.
    if (await finishReset()) return "restart";
    keyFiles = await readKeyFiles(folder, log);
  } catch (error) {
    if (!isReadFailure(error)) throw error;
    const read = async (): Promise<void> => {
      if (isUnreadable(server)) await server.read();
      await readKeyFiles(folder, log);
    };
    keyFiles = { is: "unreadable", error, read };
  }
  const end = await runParts(config, environment, keyFiles, signal);
  if (!isUnreadable(keyFiles)) await finishReset();
  return end;
}

async function runParts(
  config: PlayerConfig,
  environment: PlayerEnvironment,
  keyFiles: KeyFiles | UnreadableDisk,
  signal: AbortSignal,
): Promise<PlayerEnd> {
  const { folder, launcher, ntp, triggers } = config;
  const { server, host, settings, supervise, log } = environment;
  await using cleanup = new AsyncDisposableStack();
  const end = new AbortController();
  const running = AbortSignal.any([signal, end.signal]);
  let reason: PlayerEnd = "restart";
  const endWith = (why: PlayerEnd): void => {
    reason = why;
    end.abort();
  };
  const restart = (): void => endWith("restart");
  const sceneChanged = new Signal();
  const onChange = (): void => sceneChanged.notify();

  const files = isUnreadable(keyFiles) ? withoutKeyFiles(folder, log) : keyFiles;
  const basic = await openBasicParts(config, environment, files, cleanup);
  const { device, clock } = basic;
  const { machine, asked, declared } = device;
  const lifecycle = new PairingLifecycle(basic, { settings, restart, onChange });
  const session = (): Session | null => lifecycle.session;
  const browser = await openBrowser(basic, host, session, () => endWith("display-failed"), cleanup);
  const underLauncher = launcher === null ? null : await openUnderLauncher(launcher, { ...basic, browser }, session);
  const parts: PlayerParts = { ...basic, browser, updates: underLauncher?.updates ?? null };
  const status = new Status(parts, session, running);
  const diskWait = isUnreadable(keyFiles) ? new DiskWait({ ...keyFiles, restart, onChange, clock, log }) : null;
  const noServer = typeof server === "function" || isUnreadable(server) ? null : new NoServer(server, onChange);
  const standIn = diskWait ?? noServer;
  const scenes = new SceneLoop(parts, { lifecycle, standIn, status, changed: sceneChanged });
  const modules = [...programCommands(parts, scenes, restart), ...maintenanceModules(parts, session, (ms) => scenes.showTestCard(ms))];
  const openSession: OpenSession = (pairing, onServiceKey) =>
    Session.open(parts, { pairing, onServiceKey, status, deviceModules: modules, onChange });
  browser.surface.onMessage((message) => logPageMessage(message, log), running);

  const { disk, identity } = files;
  const onFound = (): void => session()?.displayPower.reapply();
  const stores = [{ save: () => disk.probe(folder) }, { save: () => disk.retryReads() }, identity, browser.restarts, asked];
  const tasks: Task[] = [
    (shared) => browser.recovery.run(shared),
    (shared) => scenes.run(shared),
    (shared) => standIn?.run(shared) ?? lifecycle.run({ describeDevice: () => status.describeDevice(), openSession }, shared),
    (shared) => saveRepeatedly(stores, clock, shared),
    (shared) => applySettings({ controls: machine.controls, asked: () => asked.settings.value, onFound, clock, log }, shared),
    (shared) => clock.watchForSteps(shared),
    (shared) => declared.run(clock, shared),
    (shared) => storeKnownTime(folder, clock, log, shared),
    ...(underLauncher?.tasks ?? []),
  ];
  if (supervise !== null) tasks.push((shared) => supervise(() => browser.recovery.isHopeful, shared));
  if (triggers) tasks.push((shared) => serveTriggers({ folder, player: () => session()?.stores.follower ?? null, clock, log }, shared));
  if (ntp.length > 0) tasks.push((shared) => followNtp(ntp, clock, log, shared));
  try {
    return await runAll(tasks, running);
  } catch (error) {
    if (end.signal.aborted && !signal.aborted) return reason;
    throw error;
  }
}

/** Opens the parts that are there before the browser. */
async function openBasicParts(
  config: PlayerConfig,
  { server, machine, network, clock: machineClock, log }: PlayerEnvironment,
  files: KeyFiles,
  cleanup: AsyncDisposableStack,
): Promise<BasicParts> {
  const { folder, rendererFolder, mayReachLocal } = config;
  const clock = new CorrectedClock(machineClock, await readKnownTime(folder, rendererFolder, log));
  const asked = await AskedSettingsStore.open(folder, files.disk);
  const declared = await DeclaredDevices.open(config.declared, log);
  const api = cleanup.use(new ServiceApi(typeof server === "function" ? server : refuseRequest, network));
  const policy = contentPolicy(mayReachLocal);
  const outboundHttp = cleanup.use(new OutboundHttp({ policy, network: contentNetwork(network, mayReachLocal) }));
  return { config, files, device: { machine, asked, declared }, http: { api, outboundHttp }, clock, log };
}

/** Opens the page's server and all that keeps the page in the browser. @param fail ends the player when the display cannot be brought back */
async function openBrowser(
  { config, files, device, http, clock, log }: BasicParts,
  host: Host,
  session: () => Session | null,
  fail: () => void,
  cleanup: AsyncDisposableStack,
): Promise<Browser & { restarts: Restarts }> {
  const { folder, rendererFolder } = config;
  const { machine } = device;
  const { outboundHttp } = http;
  const media = (sha256: string) => session()?.stores.cache.findFile(sha256) ?? null;
  const stream = (key: string) => session()?.stores.follower.streamOf(key) ?? null;
  const owner = files.identity.thumbprint;
  const surface = cleanup.use(await Surface.open({ owner, port: host.pagePort, rendererFolder, media, stream, outboundHttp, clock, log }));
  const webItems = cleanup.use(await WebItems.open({ host, surface, media, log }));
  cleanup.defer(() => host.close());
  const restarts = await Restarts.open({ folder, machine, clock, disk: files.disk, restartPlayer: fail });
  const isOffOnPurpose = (): boolean => session()?.displayPower.isOffOnPurpose ?? false;
  const content = () => session()?.content ?? null;
  const recovery = new Recovery({ host, surface, content, machine, isOffOnPurpose, restarts, clock, log });
  return { host, surface, webItems, recovery, restarts };
}

/** The commands that act on the program and the machine. */
function programCommands({ device, browser, updates, clock, log }: PlayerParts, scenes: SceneLoop, restart: () => void) {
  return deviceModules({
    program: {
      identify: (durationMs) => scenes.identify(durationMs),
      reload: (signal) => browser.recovery.reload(signal),
      restart,
      update: () => updates?.installNow() ?? Promise.reject(new Fault("unsupported", noLauncher)),
      updateIsMissing: () => (updates === null ? noLauncher : null),
    },
    machine: device.machine,
    asked: device.asked,
    isInstalling: () => updates?.update?.is === "installing",
    clock,
    log,
  });
}

/** A player without a service has nothing to ask it. */
function refuseRequest(): never {
  throw new Fault("refused", "no service is set");
}

const noLauncher = "no launcher started the screen's program: update it in the way in which it was installed";
