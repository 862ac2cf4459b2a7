// Webhooks: signatures, retries, independence of each other, and no access to the internal network.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import { webhookBody } from "../../../src/service/events/webhooks/deliveries.ts";
import { signatureHeaders } from "../../../src/service/events/webhooks/signature.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";
import { TestService, call, heartbeat, picture, errorPointers } from "../harness.ts";
import { useService } from "../shared-service.ts";
import { isOnPostgres } from "../test-database.ts";
import { Receiver } from "./receiver.ts";

const loopback = { allowAddresses: ["127.0.0.0/8"] };
/** Time does not pass, so no attempt and no wait for the next one ends because the machine is slow. */
const stillClock = () => new FakeClock(Date.now());
const sharedClock = stillClock();
const shared = useService({ ...loopback, clock: sharedClock });

async function createWebhook(api: TestService, url: string, events = ["*"]) {
  const answer = await api.call("POST", "webhooks", { name: "Test", url, events });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body as { id: string; secret: string };
}

test("[WHK1] a webhook message is signed according to Standard Webhooks 1.0; verification fails if a byte was changed", async () => {
  await using receiver = await Receiver.start();
  const api = await shared.newTeam();
  const { secret } = await createWebhook(api, receiver.url);
  const playlist = (await api.call("POST", "playlists", { name: "Néw" })).body;
  await expect.poll(() => receiver.received.length).toBe(1);
  const { body, headers } = receiver.received[0]!;
  expect(new Verifier(secret).verify(body, headers)).toMatchObject({
    type: "playlist.created",
    data: { playlist_id: playlist.id, name: "Néw" },
  });
  expect(JSON.parse(body).id).toBe(headers["webhook-id"]);
  expect(() => new Verifier(secret).verify(body.replace("Néw", "New"), headers)).toThrow();
});

test("[WHK2] the signature of the specification's test vector is correct", () => {
  const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  const headers = signatureHeaders(id, 1_614_265_330, '{"test": 2432232314}', ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]);
  expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("[WHK3] the secret is shown once; after a rotation both secrets sign for a day, then only the new one", async () => {
  await using folder = await temporaryFolder();
  const clock = stillClock();
  await using receiver = await Receiver.start();
  await using api = await TestService.start(folder.path, { ...loopback, clock });
  const { id, secret } = await createWebhook(api, receiver.url);
  expect(JSON.stringify((await api.call("GET", `webhooks/${id}`)).body)).not.toContain(secret);
  const fresh = (await api.call("POST", `webhooks/${id}/rotate`)).body;
  expect(fresh.secrets).toHaveLength(2);
  await api.call("POST", "playlists", { name: "One" });
  await expect.poll(() => receiver.received.length).toBe(1);
  const { body, headers } = receiver.received[0]!;
  for (const each of [secret, fresh.secret]) expect(new Verifier(each).verify(body, headers)).toBeTruthy();
  clock.advance(25 * 3_600_000);
  await api.call("POST", "playlists", { name: "Two" });
  await expect.poll(() => receiver.received.length).toBe(2);
  expect(receiver.received[1]!.headers["webhook-signature"]!.split(" ")).toHaveLength(1);
  expect((await api.call("GET", `webhooks/${id}`)).body.secrets).toHaveLength(1);
});

test("[WHK4] a failed delivery is retried with the same id, up to ten attempts over 75 hours; then it has the status failed", async () => {
  await using folder = await temporaryFolder();
  const clock = stillClock();
  await using receiver = await Receiver.start((_request, response) => response.writeHead(500).end("broken"));
  await using api = await TestService.start(folder.path, { ...loopback, clock });
  const { id } = await createWebhook(api, receiver.url);
  await api.call("POST", "playlists", { name: "One" });
  const delivery = async () => (await api.call("GET", `webhooks/${id}/deliveries`)).body.data[0];
  const startedAt = clock.now();
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    await expect.poll(async () => (await delivery()).attempts).toBe(attempt);
    const { next_attempt_at } = await delivery();
    if (next_attempt_at === null) break;
    const waitMs = Date.parse(next_attempt_at) - clock.now();
    await expect.poll(() => clock.pendingWaits).toBeGreaterThan(0);
    clock.advance(waitMs + 1);
  }
  expect(await delivery()).toMatchObject({ status: "failed", attempts: 10, last_response_status: 500, next_attempt_at: null });
  expect((clock.now() - startedAt) / 3_600_000).toBeGreaterThan(75);
  expect((clock.now() - startedAt) / 3_600_000).toBeLessThan(85);
  expect(new Set(receiver.ids).size).toBe(1);
  const detail = (await api.call("GET", `webhooks/${id}/deliveries/${(await delivery()).id}`)).body;
  expect(detail.log).toHaveLength(10);
  expect(detail.log[0]).toMatchObject({ response_status: 500, response_body: "broken" });
  expect(detail.body).toBe(receiver.received[0]!.body);
});

test("[WHK5] Retry-After is honored; 410 disables the webhook with a reason; a redirect counts as a failure", async () => {
  await using busy = await Receiver.start((_request, response) => response.writeHead(503, { "retry-after": "3600" }).end());
  await using gone = await Receiver.start((_request, response) => response.writeHead(410).end());
  await using elsewhere = await Receiver.start((_request, response) => response.writeHead(302, { location: busy.url }).end());
  const api = await shared.newTeam();
  const hooks: { id: string }[] = [];
  for (const { url } of [busy, gone, elsewhere]) hooks.push(await createWebhook(api, url, ["playlist.created"]));
  await api.call("POST", "playlists", { name: "One" });
  const delivery = async (at: number) => (await api.call("GET", `webhooks/${hooks[at]!.id}/deliveries`)).body.data[0];
  for (const at of [0, 1, 2]) await expect.poll(async () => (await delivery(at)).attempts).toBe(1);
  expect(Date.parse((await delivery(0)).next_attempt_at) - sharedClock.now()).toBeGreaterThan(3_500_000);
  expect((await delivery(1)).status).toBe("failed");
  expect((await api.call("GET", `webhooks/${hooks[1]!.id}`)).body).toMatchObject({
    status: "disabled",
    disabled_reason: expect.stringContaining("410"),
  });
  expect((await delivery(2)).last_error).toContain("redirect");
  expect(busy.received).toHaveLength(1);
});

test("[WHK6] endpoints that do not work do not delay a working one, which gets every event once", async () => {
  // One never responds, one never stops responding, one disconnects at once, one has a closed port.
  await using hanging = await Receiver.start(() => undefined);
  await using endless = await Receiver.start((_request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write("x".repeat(10_000)), 5);
    response.on("close", () => clearInterval(drip));
  });
  await using disconnecting = await Receiver.start((request) => request.socket.destroy());
  await using working = await Receiver.start();
  const api = await shared.newTeam();
  for (const { url } of [hanging, endless, disconnecting]) await createWebhook(api, url);
  await createWebhook(api, "http://127.0.0.1:9/closed");
  await createWebhook(api, working.url);
  for (let count = 0; count < 100; count += 1) await api.call("POST", "playlists", { name: `${count}` });
  await expect.poll(() => working.received.length).toBe(100);
  expect(new Set(working.ids).size).toBe(100);
  // A busy node on PostgreSQL may lose its duties meanwhile, and begins the attempts again.
  expect(isOnPostgres ? new Set(hanging.ids).size : hanging.received.length).toBeLessThanOrEqual(4);
});

test("[WHK7] private, loopback and metadata addresses are rejected, by host name and in any notation, unless they are allowed", async () => {
  await using folder = await temporaryFolder();
  await using receiver = await Receiver.start();
  await using api = await TestService.start(folder.path, { clock: stillClock() });
  const { port } = new URL(receiver.url);
  const literals = ["127.0.0.1", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "100.64.0.1"];
  for (const host of literals) {
    const answer = await api.call("POST", "webhooks", { name: "X", url: `http://${host}:${port}/` });
    expect([host, answer.status, errorPointers(answer)]).toEqual([host, 422, ["/url"]]);
  }
  for (const url of ["ftp://example.com/", "file:///etc/passwd", "https://user:secret@example.com/"]) {
    expect((await api.call("POST", "webhooks", { name: "X", url })).status).toBe(422);
  }
  // A name is resolved at creation for http, and at each call for http and https (WHK13).
  expect(errorPointers(await api.call("POST", "webhooks", { name: "X", url: `http://localhost:${port}/` }))).toEqual(["/url"]);
  const { id } = await createWebhook(api, `https://localhost:${port}/`);
  await api.call("POST", "playlists", { name: "One" });
  const delivery = async () => (await api.call("GET", `webhooks/${id}/deliveries`)).body.data.at(-1);
  await expect.poll(async () => (await delivery()).attempts).toBe(1);
  expect((await delivery()).last_error).toContain("not a public address");
  expect(receiver.received).toHaveLength(0);
});

test("[WHK8] a test event goes to one webhook only; a replay uses the same id; filters select event types", async () => {
  await using one = await Receiver.start();
  await using other = await Receiver.start();
  const api = await shared.newTeam();
  const { id } = await createWebhook(api, one.url, ["playlist.deleted"]);
  await createWebhook(api, other.url, ["playlist.created"]);
  const sent = await api.call("POST", `webhooks/${id}/test`);
  expect([sent.status, sent.body.type]).toEqual([202, "webhook.test"]);
  await expect.poll(() => one.received.length).toBe(1);
  await expect.poll(async () => (await api.call("GET", `webhooks/${id}/deliveries/${sent.body.id}`)).body.status).toBe("delivered");
  expect((await api.call("POST", `webhooks/${id}/deliveries/${sent.body.id}/replay`)).status).toBe(202);
  await expect.poll(() => one.received.length).toBe(2);
  expect(one.ids[1]).toBe(one.ids[0]);
  await api.call("POST", "playlists", { name: "One" });
  await expect.poll(() => other.received.length).toBe(1);
  expect(one.received).toHaveLength(2);
  await api.call("PATCH", `webhooks/${id}`, { status: "disabled" });
  expect((await api.call("POST", `webhooks/${id}/test`)).status).toBe(422);
});

test("[WHK9] events of players and commands are sent: paired, online, error, ended commands, screenshots, offline", async () => {
  await using folder = await temporaryFolder();
  const clock = stillClock();
  await using receiver = await Receiver.start();
  await using api = await TestService.start(folder.path, { ...loopback, clock });
  await createWebhook(api, receiver.url);
  const types = () => receiver.received.map(({ body }) => JSON.parse(body).type as string);
  const device = await api.pairDevice();
  await device.call("POST", "heartbeat", heartbeat());
  const content = {
    is: "failed",
    revision: null,
    applied_revision: null,
    ready_bytes: 0,
    total_bytes: 0,
    detail: "a file is gone",
  } as const;
  for (let count = 0; count < 3; count += 1) await device.call("POST", "heartbeat", heartbeat({ content }));
  const command = (await api.call("POST", `players/${device.playerId}/commands`, { type: "identify" })).body;
  await device.call("POST", `commands/${command.id}/status`, { status: "failed", error: { code: "x", detail: "y" } });
  await device.putScreenshot("shot_01jd3v8q6m9x2k4n7r5t1w0yzh", await picture());
  const expected = ["player.paired", "player.online", "player.error", "command.queued", "command.failed", "screenshot.ready"];
  await expect.poll(() => types().toSorted()).toEqual(expected.toSorted());
  // Offline after two minutes of silence, which the service checks every five seconds.
  await expect
    .poll(() => {
      clock.advance(10_000);
      return types();
    })
    .toContain("player.offline");
  expect(types().filter((type) => type === "player.offline")).toHaveLength(1);
});

test("[WHK10] a message body is below 20 kB: large data is left out", () => {
  const data = { id: "cmd_1", player_id: "plr_1", result: { text: "x".repeat(50_000) } };
  const event = { id: "evt_1", type: "command.succeeded" as const, created_at: "2026-11-21T12:00:00.000Z", data };
  expect(JSON.parse(webhookBody(event)).data).toEqual({ id: "cmd_1", player_id: "plr_1", truncated: true });
});

test("[WHK11] if the service is killed with SIGKILL at any moment, no delivery is lost, and repeated deliveries have the same id", async () => {
  await using folder = await temporaryFolder();
  // One attempt of each round is not answered: the service is killed during it.
  let unanswered = 0;
  await using receiver = await Receiver.start((_request, response, count) => {
    if (count !== unanswered) response.writeHead(204).end();
  });
  const start = () => new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", folder.path, "--allow-address", "127.0.0.0/8"]);
  const created: string[] = [];
  let isCreated = false;
  for (let round = 0; round < 2; round += 1) {
    await using program = start();
    const url = String((await program.line("listening"))["url"]);
    const authorization = `Bearer ${(await readFile(join(folder.path, "admin-token"), "utf8")).trim()}`;
    if (!isCreated) await call(url, "POST", "webhooks", { name: "T", url: receiver.url, events: ["playlist.created"] }, { authorization });
    isCreated = true;
    unanswered = receiver.received.length + 6 + round * 5;
    const writing = (async () => {
      for (;;) {
        const answer = await call(url, "POST", "playlists", { name: "P" }, { authorization }).catch(() => null);
        if (answer?.status !== 201) return;
        created.push(answer.body.id);
      }
    })();
    await expect.poll(() => receiver.received.length, { interval: 3 }).toBeGreaterThanOrEqual(unanswered);
    process.kill(program.pid, "SIGKILL");
    await writing;
  }
  await using _last = await TestService.start(folder.path, loopback);
  const types = () => new Set(receiver.received.map(({ body }) => JSON.parse(body).data.playlist_id as string));
  await expect.poll(() => created.filter((id) => !types().has(id)).length).toBe(0);
  // Each event has one id, however often it arrived.
  const idsOf = new Map<string, Set<string>>();
  for (const { body, headers } of receiver.received) {
    const { playlist_id } = JSON.parse(body).data;
    idsOf.set(playlist_id, (idsOf.get(playlist_id) ?? new Set()).add(headers["webhook-id"]!));
  }
  for (const ids of idsOf.values()) expect(ids.size).toBe(1);
});

test("[WHK18] reading a delivery with wait_seconds responds as soon as the result of its first attempt is known", async () => {
  const answer = Promise.withResolvers<void>();
  await using receiver = await Receiver.start(
    (_request, response) => void answer.promise.then(() => response.writeHead(500).end("broken")),
  );
  const api = await shared.newTeam();
  const { id } = await createWebhook(api, receiver.url);
  const test = (await api.call("POST", `webhooks/${id}/test`)).body;
  const path = `webhooks/${id}/deliveries/${test.id}`;
  expect((await api.call("GET", path)).body).toMatchObject({ status: "pending", attempts: 0 });
  const waiting = api.call("GET", `${path}?wait_seconds=30`);
  await expect.poll(() => receiver.received.length).toBe(1);
  answer.resolve();
  expect((await waiting).body).toMatchObject({ attempts: 1, last_response_status: 500, log: [{ response_body: "broken" }] });
  expect((await api.call("GET", `${path}?wait_seconds=31`)).status).toBe(422);
});
