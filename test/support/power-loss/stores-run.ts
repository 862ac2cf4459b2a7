// Runs the player's stores through a life of two starts, and records what they promise to keep: what they had resolved as durable.
import { join } from "node:path";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { createKeyPair } from "../../../src/base/jws.ts";
import { silentLog } from "../../../src/base/log.ts";
import { CommandJournal } from "../../../src/player/commands/command-journal.ts";
import { CommandRunner } from "../../../src/player/commands/command-runner.ts";
import { ContentCache } from "../../../src/player/content/content-cache.ts";
import { DesiredStateStore } from "../../../src/player/content/desired-state-store.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import type { AccessTokens } from "../../../src/player/link/access.ts";
import type { ServiceApi } from "../../../src/player/link/service-api.ts";
import { Identity, type Pairing } from "../../../src/player/pairing/identity.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import type { OutboxMessage } from "../../../src/player/outbox/outbox-message.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import type { DesiredAsset, DesiredState } from "../../../src/protocol/device/desired-state.ts";
import type { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import { FakeClock } from "../clock.ts";
import { commandSet, signedCommand, type CommandExecutor } from "../commands.ts";
import { eventually } from "../polling.ts";
import { assetOf, desiredOf, imageItem, newId, playEvent } from "../states.ts";

/** What the stores have promised at one moment. */
export interface Promises {
  thumbprint: string | null;
  pairing: Pairing | null;
  /** The newest stored state. */
  state: DesiredState | null;
  /** The newest state with all its files. */
  complete: DesiredState | null;
  interventions: string[];
  /** Messages that the service does not have yet. */
  messages: string[];
  /** Play events that the service does not have yet, in order. */
  events: string[];
  /** Whether a play has begun and not ended. */
  isPlaying: boolean;
  /** Signed commands that have begun to run. */
  begun: string[];
}

/** The promises after each change: those of the entry with the largest `from` that is not after the power loss hold. */
export type History = { from: number; promises: Promises }[];

export const nothing: Promises = {
  thumbprint: null,
  pairing: null,
  state: null,
  complete: null,
  interventions: [],
  messages: [],
  events: [],
  isPlaying: false,
  begun: [],
};

/** The keys of the service that the player is paired with. */
const serviceKeys = createKeyPair();
const playerId = newId("plr");
export const pairing: Pairing = { server: "http://192.0.2.1/", playerId, playerName: "Lobby", serviceKey: serviceKeys.publicKey };
/** The play that is on the screen all the time. */
const openPlay = {
  id: newId("evt"),
  key: "k",
  stage: "s",
  startsAt: 0,
  endsAt: 1,
  of: {
    layoutId: newId("lay"),
    layer: "default" as const,
    scheduleId: null,
    overrideId: null,
    zoneId: newId("zon"),
    itemId: newId("itm"),
    assetId: null,
    sha256: null,
    revision: "r",
  },
  started: { at: 0, mono: 0 },
  trouble: null,
};
const snapshot = { bootId: "b", clockOffsetMs: 0, clockErrorMs: null, open: [openPlay] };
const aDayMs = 86_400_000;

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** Opens all stores of a paired player in `folder`, as a start of the player does. */
export async function openStores(folder: string, identity: Identity, clock: FakeClock, execute: CommandExecutor, disk: DiskHealth) {
  const corrected = new CorrectedClock(clock);
  const at = corrected.raw();
  corrected.learn({ t0: at, t1: at, t2: at, t3: at });
  const desired = await DesiredStateStore.open(folder, playerId, silentLog, disk);
  const cache = await ContentCache.open(join(folder, "content"), corrected, silentLog, disk);
  await cache.content.restore(desired.received, playerId);
  const outbox = await Outbox.open(join(folder, "outbox"), clock, silentLog, disk);
  const interventions = await InterventionStore.open(folder, silentLog, disk);
  const { playLog, previousRun } = await PlayLog.open(join(folder, "plays"), clock, silentLog, disk);
  const about = { thumbprint: identity.thumbprint, serviceKey: pairing.serviceKey, log: silentLog, disk };
  const openCommands = () => CommandRunner.open({ folder, ...about, clock: corrected, outbox, commands: commandSet(execute) });
  return { desired, cache, outbox, interventions, playLog, previousRun, openCommands };
}

/** @param position how many changes the disk has had. */
export async function runStores(folder: string, position: () => number): Promise<History> {
  const history: History = [];
  let now = nothing;
  const promise = (change: Partial<Promises>): void => {
    now = { ...now, ...change };
    history.push({ from: position(), promises: now });
  };
  const clock = new FakeClock();
  const disk = new DiskHealth(silentLog);
  const first = await Identity.open(folder, silentLog, disk);
  promise({ thumbprint: first.thumbprint });
  const { serviceKey } = pairing;
  await CommandJournal.create({ folder, serviceKey, clock: new CorrectedClock(clock), log: silentLog, disk });
  await first.pair(pairing);
  promise({ pairing });

  for (const round of [1, 2]) {
    const identity = await Identity.open(folder, silentLog, disk);
    const execute: CommandExecutor = async ({ id }) => {
      promise({ begun: [...now.begun, jwsOf.get(id)!] });
      return { is: "done", result: null };
    };
    const jwsOf = new Map<string, string>();
    const stores = await openStores(folder, identity, clock, execute, disk);
    const commands = await stores.openCommands();

    let last = "";
    for (const part of [1, 2]) {
      const picture = Buffer.from(`picture ${round}.${part} `.repeat(50));
      const asset = assetOf(picture);
      const state = desiredOf([imageItem(asset, 5_000)], [asset], `r${round}.${part}`);
      await receiveState(stores.desired, { ...state, player: { ...state.player, id: playerId } }, clock);
      const stored = stores.desired.current.value!;
      promise({ state: stored });
      const openFile = async (_: DesiredAsset, offset: number) => ({ body: bytesOf(picture.subarray(offset)), resumed: offset > 0 });
      await stores.cache.prepare(stored, openFile, new AbortController().signal);
      promise({ complete: stored });

      await stores.interventions.add([{ is: "pause", id: newId("cmd"), at: clock.now(), until: clock.now() + aDayMs }], clock.now());
      promise({ interventions: stores.interventions.interventions.value.map(({ id }) => id) });

      const id = newId("cmd");
      const jws = signedCommand(clock, { id, sub: identity.thumbprint }, serviceKeys);
      jwsOf.set(id, jws);
      // A start sends the result of the last run's last command again.
      const resent = stores.outbox.length;
      await commands.receive(jws, new AbortController().signal);
      // Acknowledged, running, succeeded.
      await eventually(() => stores.outbox.length === resent + 3);

      const message: OutboxMessage = { is: "screenshot", screenshotId: newId("shot"), headers: {}, base64: "A".repeat(2_000) };
      await stores.outbox.put(message);
      promise({ messages: [...now.messages, message.screenshotId] });
      last = await playSome(stores.playLog, clock, (events) => promise({ events: [...now.events, ...events], isPlaying: true }));
      if (round === 1 && part === 1)
        await uploadAll(stores.playLog, clock, (ids) => promise({ events: now.events.filter((id) => !ids.includes(id)) }));
      const isEnd = round === 2 && part === 2;
      if (!isEnd) await deliverAll(stores.outbox, clock, (each) => promise({ messages: now.messages.filter((id) => id !== each) }));
    }
    await stores.playLog.close();
    promise({ events: [...now.events, last] });
  }
  return history;
}

/** Hands a state to the store, as the service does. */
async function receiveState(store: DesiredStateStore, desired: DesiredState, clock: FakeClock): Promise<void> {
  const api = { state: async () => ({ is: "changed", desired }) } as unknown as ServiceApi;
  const tokens = { withToken: (_: AbortSignal, call: (token: string) => unknown) => call("token") } as unknown as AccessTokens;
  const stop = new AbortController();
  store.current.watch(() => stop.abort(), stop.signal);
  await store.run(api, tokens, clock, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
}

/** Appends plays until a later one has synced them, and another one. @returns the id of that, which is durable once the log is closed. */
async function playSome(playLog: PlayLog, clock: FakeClock, onDurable: (ids: string[]) => void): Promise<string> {
  const events = Array.from({ length: 4 }, playEvent);
  for (const event of events.slice(0, 3)) await playLog.append([event], snapshot);
  clock.advance(60_000);
  await playLog.append([events[3]!], snapshot);
  onDurable(events.map(({ id }) => id));
  const last = playEvent();
  await playLog.append([last], snapshot);
  return last.id;
}

/** Delivers every message. @param onDelivery called before the outbox may remove the screenshot with this id. */
export async function deliverAll(outbox: Outbox, clock: FakeClock, onDelivery: (screenshotId: string) => void): Promise<void> {
  if (outbox.length === 0) return;
  const stop = new AbortController();
  const running = outbox.run(async (message) => {
    if (message.is === "screenshot") onDelivery(message.screenshotId);
    if (outbox.length === 1) stop.abort();
    return null;
  }, stop.signal);
  await untilAborted(running, stop, clock);
}

/** Uploads the events of all files. @param onUpload called before the log may remove the events with these ids. */
export async function uploadAll(playLog: PlayLog, clock: FakeClock, onUpload: (ids: string[]) => void): Promise<void> {
  const stop = new AbortController();
  const running = playLog.run(async (events: PlayEvent[]) => {
    onUpload(events.map(({ id }) => id));
    return { accepted: events.length, duplicates: 0, rejected: [] };
  }, stop.signal);
  // It waits for events only after it has uploaded those of all finished files. A minute later it uploads the current file.
  for (const _ of ["finished files", "current file"]) {
    await eventually(() => clock.pendingWaits > 0);
    clock.advance(60_000);
  }
  await eventually(() => clock.pendingWaits > 0);
  stop.abort();
  await running.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
}

async function untilAborted(running: Promise<never>, stop: AbortController, clock: FakeClock): Promise<void> {
  const ended = running.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  await eventually(() => stop.signal.aborted || (clock.advance(100), false));
  await ended;
}

async function* bytesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
