// Heartbeats that carry only what has changed: the real player's connection, a real service, and messages that get lost between them.
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { CorrectedClock, createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { heartbeatChanges } from "../../../src/player/link/heartbeat-sequence.ts";
import { deviceSubprotocol, parseMessage, DeviceMessage, type ServiceMessage } from "../../../src/protocol/device/messages.ts";
import { Heartbeat } from "../../../src/protocol/device/heartbeat.ts";
import { mergeHeartbeat } from "../../../src/service/fleet/devices/merge-heartbeat.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { nextHeartbeat } from "../../support/random-heartbeats.ts";
import { seededRandom } from "../../support/random.ts";
import { heartbeat, TestService, type DeviceSocket } from "../harness.ts";

const features = { features: ["heartbeat-delta"] };

/** Sends a heartbeat message and returns what the service answers. */
async function exchange(socket: DeviceSocket, message: object): Promise<ServiceMessage["type"]> {
  socket.send(message);
  return await Promise.race([
    socket.next("heartbeat.answer").then(({ type }) => type),
    socket.next("heartbeat.wanted").then(({ type }) => type),
  ]);
}

test("[TEL1] what has changed between two heartbeats, merged into the first, is exactly the second", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
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
