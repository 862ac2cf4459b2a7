// Heartbeats that carry only what has changed: the real player's connection, a real service, and messages that get lost between them.
import { expect, test } from "vitest";
import { CorrectedClock } from "../../../../src/base/clock.ts";
import { silentLog } from "../../../../src/base/log.ts";
import { AccessTokens } from "../../../../src/player/link/access.ts";
import { Connection } from "../../../../src/player/link/connection.ts";
import { heartbeatChanges } from "../../../../src/player/link/heartbeat-sequence.ts";
import { ServiceApi } from "../../../../src/player/link/service-api.ts";
import type { Identity } from "../../../../src/player/pairing/identity.ts";
import { Heartbeat } from "../../../../src/protocol/device/heartbeat.ts";
import { DeviceMessage, parseMessage, type ServiceMessage } from "../../../../src/protocol/device/messages.ts";
import { mergeHeartbeat } from "../../../../src/service/fleet/heartbeats/merge.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { startSocketProxy } from "../../../support/network/socket-proxy.ts";
import { eventually } from "../../../support/polling.ts";
import { nextHeartbeat } from "../../../support/random-heartbeats.ts";
import { seededRandom } from "../../../support/random.ts";
import { EventSubscriber } from "../../events/event-subscriber.ts";
import { heartbeat, TestService, type Device, type DeviceSocket } from "../../harness.ts";
import { useService } from "../../shared-service.ts";

const shared = useService();

/** Sends a heartbeat message and returns the type of the answer. */
async function exchange(socket: DeviceSocket, message: object): Promise<ServiceMessage["type"]> {
  socket.send(message);
  return (await socket.nextOf(["heartbeat.answer", "heartbeat.wanted"])).type;
}

/** The real connection of a device at `url`, which sends the heartbeats that `create` returns. */
function connect(device: Device, url: string, create: () => Heartbeat) {
  const base = new FakeClock();
  const clock = new CorrectedClock(base);
  const api = new ServiceApi(() => url);
  const { player_id: playerId, service_key: serviceKey } = device.access;
  const pairing = { server: url, playerId, playerName: "Screen", serviceKey };
  const connection = new Connection({
    api,
    accessTokens: new AccessTokens(api, { keys: device.keys } as Identity, pairing, clock),
    clock,
    log: silentLog,
    createHeartbeat: async () => create(),
    onRevision: () => undefined,
    onCommand: async () => undefined,
    onRevocation: async () => undefined,
  });
  const stop = new AbortController();
  const running = connection.run(stop.signal).catch(() => undefined);
  return {
    connection,
    base,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await api[Symbol.asyncDispose]();
    },
  };
}

/** Subscribes to a device's heartbeats, as the service has them. */
async function follow(api: TestService, device: Device): Promise<EventSubscriber> {
  const subscriber = new EventSubscriber(api.service.url, api.token);
  await subscriber.subscribe(["heartbeat"], { players: [device.playerId] });
  return subscriber;
}

/** The heartbeats that a subscriber has received. */
function heldBy({ received }: EventSubscriber): Heartbeat[] {
  return received.flatMap((message) => (message.type === "heartbeat" ? [message.data.heartbeat] : []));
}

test("[TEL1] what has changed between two heartbeats, merged into the first, is exactly the second", () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = seededRandom(seed);
    let before = nextHeartbeat(random, null);
    for (let count = 0; count < 20; count += 1) {
      const now = nextHeartbeat(random, before);
      const kept = structuredClone(before);
      // As it arrives over the wire.
      const data = JSON.parse(JSON.stringify({ base: "1", ...heartbeatChanges(before, now) })) as object;
      const parsed = parseMessage(DeviceMessage, JSON.stringify({ id: "2", ts: 0, type: "heartbeat.delta", data }));
      if (parsed.is !== "known" || parsed.message.type !== "heartbeat.delta") throw new Error(JSON.stringify(parsed));
      expect(mergeHeartbeat(before, parsed.message.data), `seed ${seed}`).toEqual(now);
      expect(before).toEqual(kept);
      before = now;
    }
  }
});

test("[TEL2] under random losses and reconnects the service holds, at each moment, a heartbeat exactly as the player sent it", async () => {
  for (let seed = 1; seed <= 6; seed += 1) {
    await using folder = await temporaryFolder();
    await using api = await TestService.start(folder.path);
    const device = await api.pairDevice();
    using subscriber = await follow(api, device);
    const random = seededRandom(seed);
    const sent = new Map<number, Heartbeat>();
    const types: string[] = [];
    let isLossy = true;
    await using proxy = await startSocketProxy(api.service.url, (text) => {
      const { type } = JSON.parse(text) as DeviceMessage;
      const isLost = isLossy && type.startsWith("heartbeat") && random() < 0.2;
      types.push(isLost ? "lost" : type);
      return isLost ? null : text;
    });
    let last: Heartbeat | null = null;
    await using player = connect(device, proxy.url, () => {
      last = nextHeartbeat(random, last);
      sent.set(last.sent_at_ms, last);
      return last;
    });
    const { connection, base } = player;
    for (let count = 0; count < 60; count += 1) {
      await eventually(() => {
        base.advance(1_000);
        return connection.link.value.is === "online";
      });
      const before = types.length;
      connection.sendHeartbeatNow();
      await eventually(() => types.length > before);
      if (random() < 0.08) {
        proxy.hangUp();
        await eventually(() => connection.link.value.is !== "online");
      }
      // Afterwards the service has the last heartbeat as stored JSON.
      if (random() < 0.1) await api.call("GET", `players/${device.playerId}/heartbeats`);
    }
    isLossy = false;
    await eventually(() => {
      base.advance(1_000);
      return connection.link.value.is === "online";
    });
    const newest = (): Heartbeat | undefined => heldBy(subscriber).at(-1);
    // The first one after a loss may only make the service ask for a whole one.
    connection.sendHeartbeatNow();
    await eventually(() => newest()?.sent_at_ms === last?.sent_at_ms);
    for (const each of heldBy(subscriber)) expect(each, `seed ${seed}`).toEqual(sent.get(each.sent_at_ms));
    expect(heldBy(subscriber).length).toBeGreaterThan(20);
    expect(types.filter((type) => type === "heartbeat.delta").length).toBeGreaterThan(20);
    expect(types).toContain("heartbeat");
  }
});

test("[TEL3] a service that does not announce heartbeat-delta in its welcome gets whole heartbeats", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const types: string[] = [];
  // As an older service welcomes a player.
  const withoutFeatures = (text: string): string => {
    const message = JSON.parse(text) as { type: string; data: { features?: string[] } };
    if (message.type === "welcome") delete message.data.features;
    return JSON.stringify(message);
  };
  const note = (text: string): string => {
    types.push((JSON.parse(text) as DeviceMessage).type);
    return text;
  };
  await using proxy = await startSocketProxy(api.service.url, note, withoutFeatures);
  await using player = connect(device, proxy.url, () => heartbeat());
  await eventually(() => player.connection.link.value.is === "online");
  player.connection.sendHeartbeatNow();
  await eventually(() => types.filter((type) => type.startsWith("heartbeat")).length > 0);
  expect(types.filter((type) => type.startsWith("heartbeat"))).toEqual(["heartbeat"]);
});

test("[TEL4] a delta that does not add to the connection's last heartbeat, or makes it invalid, changes nothing: a whole one is asked for", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  using subscriber = await follow(api, device);
  const newest = (): Heartbeat | undefined => heldBy(subscriber).at(-1);
  const socket = device.socket();
  const first = heartbeat({ sent_at_ms: 1, telemetry: { model: "A" } });
  socket.send({ id: "h1", type: "hello", data: { epoch: null, last_seq: 0, revision: null, heartbeat: first } });
  expect((await socket.next("welcome")).data.features).toEqual(["heartbeat-delta"]);
  const delta = (base: string, set: object, unset: string[] = []) => ({ id: "d", type: "heartbeat.delta", data: { base, set, unset } });
  const refused = [
    delta("h0", { sent_at_ms: 2 }),
    delta("h1", {}, ["boot_id"]),
    delta("h1", {}, ["content.is"]),
    delta("h1", {}, ["boot_id.length"]),
    delta("h1", {}, ["telemetry.model.deep"]),
    delta("h1", {}, ["__proto__.polluted"]),
    delta("h1", {}, ["telemetry", "telemetry.model"]),
    // There is no entry before them that they could add to.
    delta("h1", { now_playing: [{}] }),
    delta("h1", { why: [{ layer: "item" }] }),
  ];
  for (const message of refused) expect(await exchange(socket, message), JSON.stringify(message)).toBe("heartbeat.wanted");
  // The schema refuses these: they are ignored like every malformed message.
  socket.send(delta("h1", { uptime_ms: -1 }));
  socket.send(delta("h1", { telemetry: { memory: { player: "much" } } }));
  socket.send(delta("h1", [] as never));
  socket.send(`{"id":"d","ts":0,"type":"heartbeat.delta","data":{"base":"h1","set":{"__proto__":{"boot_id":"evil"}}}}`);
  // Of the last one nothing is left, so that it changes nothing.
  expect((await socket.next("heartbeat.answer")).data.sent_at_ms).toBe(1);
  await eventually(() => heldBy(subscriber).length === 2);
  for (const each of heldBy(subscriber)) expect(each).toEqual(first);
  expect(({} as { boot_id?: string }).boot_id).toBeUndefined();
  expect(await exchange(socket, { ...delta("d", { sent_at_ms: 5, telemetry: { serial: "7" } }), id: "d2" })).toBe("heartbeat.answer");
  await eventually(() => newest()?.sent_at_ms === 5);
  expect(newest()).toEqual({ ...first, sent_at_ms: 5, telemetry: { model: "A", serial: "7" } });
  expect(await exchange(socket, { id: "f", type: "heartbeat", data: heartbeat({ sent_at_ms: 9 }) })).toBe("heartbeat.answer");
  await eventually(() => newest()?.sent_at_ms === 9);
  expect(newest()).toEqual(heartbeat({ sent_at_ms: 9 }));
});

test("[TEL4] thousands of damaged deltas leave every stored heartbeat valid, and the service answers the next one", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  using subscriber = await follow(api, device);
  const newest = (): Heartbeat | undefined => heldBy(subscriber).at(-1);
  const socket = device.socket();
  const random = seededRandom(7);
  let last = nextHeartbeat(random, null);
  socket.send({ id: "0", type: "hello", data: { epoch: null, last_seq: 0, revision: null, heartbeat: last } });
  await socket.next("welcome");
  for (let count = 1; count <= 2_000; count += 1) {
    const now = nextHeartbeat(random, last);
    const data = { base: String(count - 1), ...heartbeatChanges(last, now) };
    socket.send(damage(JSON.stringify({ id: String(count), ts: 0, type: "heartbeat.delta", data }), random));
    last = now;
  }
  socket.send({ id: "whole", type: "heartbeat", data: last });
  await eventually(() => newest()?.sent_at_ms === last.sent_at_ms);
  expect(newest()).toEqual(last);
  for (const each of heldBy(subscriber)) expect(Heartbeat.safeParse(each).success).toBe(true);
  const next = nextHeartbeat(random, last);
  const data = { base: "whole", ...heartbeatChanges(last, next) };
  socket.send({ id: "after", type: "heartbeat.delta", data });
  await eventually(() => newest()?.sent_at_ms === next.sent_at_ms);
  expect(newest()).toEqual(next);
});

test("[TEL5] a subscriber gets whole heartbeats, also of a player that sends deltas", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const socket = device.socket();
  const first = heartbeat({ sent_at_ms: 1, telemetry: { model: "A" } });
  socket.send({ id: "h1", type: "hello", data: { epoch: null, last_seq: 0, revision: null, heartbeat: first } });
  await socket.next("welcome");
  using subscriber = await follow(api, device);
  await eventually(() => heldBy(subscriber).length === 1);
  const data = { base: "h1", set: { sent_at_ms: 2, telemetry: { serial: "7" } }, unset: [] };
  expect(await exchange(socket, { id: "h2", type: "heartbeat.delta", data })).toBe("heartbeat.answer");
  await eventually(() => heldBy(subscriber).at(-1)?.sent_at_ms === 2);
  expect(heldBy(subscriber)).toEqual([first, { ...first, sent_at_ms: 2, telemetry: { model: "A", serial: "7" } }]);
});

/** A text with a few random bytes replaced, removed or repeated. */
function damage(text: string, random: () => number): string {
  let damaged = text;
  for (let count = 0; count <= random() * 3; count += 1) {
    const at = Math.floor(random() * damaged.length);
    const length = Math.floor(random() * 12);
    const part = ["", "null", "{}", "[]", "-1", "1e999", '"__proto__"', damaged.slice(at, at + length)][Math.floor(random() * 8)]!;
    damaged = damaged.slice(0, at) + part + damaged.slice(at + (random() < 0.5 ? length : 0));
  }
  return damaged;
}
