// Players, their messages and their commands on two nodes of one service, by polling alone and with a nats-server.
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { createSystemClock } from "../../../src/base/clock.ts";
import { verifyJws } from "../../../src/base/jws.ts";
import { revocationJwsType } from "../../../src/protocol/device/commands.ts";
import { ServiceMessage } from "../../../src/protocol/device/messages.ts";
import { waitUntil } from "../../support/polling.ts";
import type { DeviceSocket, Device, TestService } from "../harness.ts";
import { connectTo, describeBothWays } from "./two-services.ts";

const machine = createSystemClock();
let behindMs = 0;
// The second node's machine, whose clock tests set.
const secondClock = { ...machine, now: () => machine.now() - behindMs };

describeBothWays(
  (two) => {
    test("[NOD13] a socket gets what both nodes commit, in order, and nothing twice", async () => {
      const { a, b } = two;
      const device = await a.pairDevice();
      const link = await connectTo(b, device);
      const seqs = recordSeqs(link);
      const send = (node: TestService) => node.call("POST", `players/${device.playerId}/commands`, { type: "identify" });
      const ids: string[] = [];
      for (let round = 0; round < 8; round += 1) {
        const answers = await Promise.all([send(a), send(b), send(a), send(b)]);
        ids.push(...answers.map(({ status, body }) => (status === 202 || status === 201 ? body.id : `${status}`)));
        if (round === 4) await a.showPicture(device);
      }
      await waitUntil("all commands arrive", () => seqs.commands.length >= 32);
      await waitUntil("the state arrives", () => seqs.changes.length > 0);
      expect(new Set(ids).size).toBe(32);
      expect(seqs.commands).toHaveLength(32);
      expect(seqs.all).toEqual(seqs.all.toSorted((one, other) => one - other));
      expect(new Set(seqs.all).size).toBe(seqs.all.length);
      // The device has the newest revision, from the other node.
      const state = await onNode(b, device).call("GET", "state");
      expect(seqs.changes.at(-1)).toBe(state.body.revision);
      // And without other entries at the same time it gets the state itself.
      await a.call("PATCH", `players/${device.playerId}`, { name: "Renamed" });
      await waitUntil("the next state arrives", () => seqs.changes.length > 1);
      expect(seqs.states.at(-1)).toBe(seqs.changes.at(-1));
    });

    test("[NOD14] a player that is deleted on one node gets its signed notice from the other", async () => {
      const { a, b } = two;
      const device = await a.pairDevice();
      const link = await connectTo(b, device);
      expect((await a.call("DELETE", `players/${device.playerId}`)).status).toBe(204);
      const { revocation } = (await link.next("revoked")).data;
      expect(await verifyJws(revocationJwsType, revocation, device.access.service_key)).toMatchObject({ player_id: device.playerId });
      expect(await link.closed).toBe(4403);
    });

    test.for([-60_000, 0, 60_000])(
      "[NOD15] a player's older socket on another node, whose clock is ahead by %i ms, is closed",
      async (aheadMs) => {
        behindMs = aheadMs;
        const { a, b } = two;
        const device = await a.pairDevice();
        const older = await connectTo(a, device, "run-1");
        const newer = await connectTo(b, device, "run-1");
        expect(await older.closed).toBe(4409);
        expect(newer.socket.readyState).toBe(WebSocket.OPEN);
        behindMs = 0;
      },
    );

    test("[NOD15] of two clones on two nodes one stays, and the other is refused however often it comes", async () => {
      const clones = await two.a.pairDevice("Clone");
      const nodes = { first: two.a, second: two.b };
      const links = new Map<string, DeviceSocket>();
      // A player connects again whatever ended its socket, unless it is refused.
      const keep = async (name: "first" | "second"): Promise<"first" | "second"> => {
        const link = await connectTo(nodes[name], clones, name);
        links.set(name, link);
        return (await link.closed) === 4410 ? name : keep(name);
      };
      const refused = await Promise.race([keep("first"), keep("second")]);
      const other = refused === "first" ? "second" : "first";
      for (let time = 0; time < 3; time += 1) {
        const again = await connectTo(nodes[refused], clones, refused);
        expect(await again.closed).toBe(4410);
      }
      // Its socket may have been replaced before the service knew of two clones: then it is about to connect again.
      await waitUntil("the other clone is connected", () => links.get(other)?.socket.readyState === WebSocket.OPEN);
    });

    test("[NOD16] a batch that one node began goes on when another node hears of the end of its commands", async () => {
      const { a, b } = two;
      const device = await a.pairDevice();
      const other = await a.pairDevice();
      const body = { target: { player_ids: [device.playerId, other.playerId] }, type: "reload", waves: { percent: 50 } };
      const links = await Promise.all([device, other].map((each) => connectTo(b, each)));
      const sent = (await b.call("POST", "commands", body)).body as { batch_id: string };
      const ends = links.map(async (link, at) => {
        const { command } = (await link.next("command")).data;
        const { jti } = JSON.parse(Buffer.from(command.split(".")[1]!, "base64url").toString()) as { jti: string };
        const report = { status: "succeeded", error: null };
        return onNode(b, at === 0 ? device : other).call("POST", `commands/${jti}/status`, report);
      });
      await Promise.all(ends);
      await waitUntil(
        "the batch has finished",
        async () => (await a.call("GET", `command-batches/${sent.batch_id}`)).body.state === "finished",
      );
    });
  },
  { clock: machine, secondClock },
);

/** The device as it talks to this node. */
function onNode(node: TestService, device: Device): Device {
  return Object.assign(Object.create(device) as Device, { url: node.service.url });
}

function recordSeqs({ socket }: DeviceSocket) {
  const seen = { all: [] as number[], commands: [] as string[], changes: [] as string[], states: [] as string[] };
  socket.on("message", (raw: Buffer) => {
    const message = ServiceMessage.parse(JSON.parse(raw.toString()));
    if (message.type === "welcome" || message.seq === undefined) return;
    seen.all.push(message.seq);
    if (message.type === "command") seen.commands.push(message.data.command);
    if (message.type !== "state.changed") return;
    seen.changes.push(message.data.revision);
    if (message.data.state !== undefined) seen.states.push(message.data.state.revision);
  });
  return seen;
}
