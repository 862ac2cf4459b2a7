// Keys, one-time secrets and access on two nodes of one service.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WebSocket } from "ws";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { call, TestService } from "../harness.ts";
import { useTwoServices } from "./two-services.ts";
import { usePostgres } from "./use-postgres.ts";

const two = useTwoServices(usePostgres());

test("[NMS1] nodes of one service have one signing key; a nonce of one is valid at the other, once on all together", async () => {
  const { a, b } = two;
  const device = await a.pairDevice();
  const body = { grant_type: "urn:signage:device-key", player_id: device.playerId, proof: await device.proof(device.playerId) };
  const atB = await call(b.service.url, "POST", "device/token", body);
  expect([atB.status, atB.body.service_key]).toEqual([200, device.access.service_key]);
  for (const node of [a, b]) expect((await call(node.service.url, "POST", "device/token", body)).status).toBe(400);
  // Both at the same moment: only one gets a token.
  const proof = await device.proof(device.playerId);
  const answers = await Promise.all([a, b, a, b].map(({ service }) => call(service.url, "POST", "device/token", { ...body, proof })));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400, 400, 400]);
});

test("[NMS2] a ticket of one node is accepted by another, once", async () => {
  const { a, b } = two;
  const { ticket } = (await a.call("POST", "events/tickets")).body as { ticket: string };
  using opened = new EventSubscriber(b.service.url, null, `?ticket=${ticket}`);
  await opened.subscribe(["playlist_updates"]);
  expect(opened.socket.readyState).toBe(WebSocket.OPEN);
  for (const node of [a, b]) {
    using again = new EventSubscriber(node.service.url, null, `?ticket=${ticket}`);
    expect((await again.closed).code).toBe(4401);
  }
});

test("[NMS3] a token that one node revokes is invalid at the others at once, and its sockets there are closed", async () => {
  const { a, b } = two;
  const { id, secret } = (await a.call("POST", "tokens", { name: "T", scopes: ["players:read", "events:read"] })).body;
  const authorization = { authorization: `Bearer ${secret}` };
  using socket = new EventSubscriber(b.service.url, secret);
  await socket.subscribe(["playlist_updates"]);
  expect((await call(b.service.url, "GET", "players", undefined, authorization)).status).toBe(200);
  expect((await a.call("DELETE", `tokens/${id}`)).status).toBe(204);
  expect((await call(b.service.url, "GET", "players", undefined, authorization)).status).toBe(401);
  expect((await socket.closed).code).toBe(4403);
});

test("[NMS4] the ticket of a preview is open at both nodes, and ends at both with its token", async () => {
  const { a, b } = two;
  const { layout } = await a.createLayout();
  const { id, secret } = (await a.call("POST", "tokens", { name: "T", scopes: ["assets:read", "layouts:read"] })).body;
  const authorization = { authorization: `Bearer ${secret}` };
  const at = (node: typeof a, method: string, path: string, body?: object) => call(node.service.url, method, path, body, authorization);
  const ticket = (await at(a, "POST", "preview-tickets", { layout_id: layout.id })).body;
  const renewed = await at(b, "POST", `preview-tickets/${ticket.ticket}/renew`);
  const pathOf = ({ page_url }: { page_url: string }) => new URL(page_url).pathname;
  expect([renewed.status, pathOf(renewed.body)]).toEqual([200, pathOf(ticket)]);
  expect((await at(b, "GET", `preview-tickets/${ticket.ticket}/content`)).status).toBe(200);
  await a.call("DELETE", `tokens/${id}`);
  expect((await at(b, "GET", `preview-tickets/${ticket.ticket}/content`)).status).toBe(401);
});

test("[NMS5] a further node gets no token of its own unless its folder has an empty token file", async () => {
  const { a, b, database } = two;
  expect(b.token).toBe(a.token);
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "admin-token"), "");
  await using third = await TestService.start(folder.path, { database });
  expect(third.token).not.toBe(a.token);
  expect((await a.call("GET", "me", undefined, { authorization: `Bearer ${third.token}` })).status).toBe(200);
});

test("[NMS6] a node never sends a desired state that is older than what another has committed", async () => {
  const { a, b } = two;
  const device = await a.pairDevice();
  const { playlist } = await a.showPicture(device);
  const authorization = { authorization: `Bearer ${device.access.access_token}` };
  const stateAt = ({ service }: typeof a) => call(service.url, "GET", "device/state", undefined, authorization);
  for (let round = 0; round < 5; round += 1) {
    const [writer, reader] = round % 2 === 0 ? [a, b] : [b, a];
    await stateAt(reader);
    const url = `https://x.example/${round}`;
    const changed = await writer.call("PATCH", `playlists/${playlist.id}`, { items: [{ type: "web", url, duration_ms: 5_000 }] });
    expect(changed.status).toBe(200);
    expect(JSON.stringify((await stateAt(reader)).body.playlists)).toContain(url);
  }
});

test("[FAN5] while one node changes content, no player at the other gets a state that is older than what was committed before it asked", async () => {
  const { a, b } = two;
  const devices = await Promise.all([a.pairDevice(), a.pairDevice(), a.pairDevice()]);
  const { layout } = await a.createLayout();
  for (const { playerId } of devices) await a.call("PATCH", `players/${playerId}`, { layout_id: layout.id });
  const lastChange = 8;
  let committed = 0;
  const reading = devices.map(async ({ access, playerId }) => {
    while (committed < lastChange) {
      const before = committed;
      const { body } = await call(b.service.url, "GET", "device/state", undefined, { authorization: `Bearer ${access.access_token}` });
      expect(body.player.id).toBe(playerId);
      expect(Number.parseInt(body.layout.background_color.slice(1), 16)).toBeGreaterThanOrEqual(before);
    }
  });
  for (let change = 1; change <= lastChange; change += 1) {
    expect((await a.call("PATCH", `layouts/${layout.id}`, { background_color: `#00000${change}` })).status).toBe(200);
    committed = change;
  }
  await Promise.all(reading);
});
