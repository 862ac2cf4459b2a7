// How long a connection stays open for somebody who has not proved a right to call: deadlines of some hundred milliseconds, on real sockets.
import { join } from "node:path";
import { expect, test } from "vitest";
import { operations } from "../../../src/service/operations/operations.ts";
import { createSelfSignedCertificate } from "../../support/network/certificate.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { FakeClock } from "../../support/clock.ts";
import { waitUntil } from "../../support/polling.ts";
import { openRaw, type RawConnection } from "../../support/raw-connection.ts";
import { heartbeat, picture, TestService } from "../harness.ts";

const deadlines = { handshakeMs: 300, headersMs: 300, bodyMs: 300, answerMs: 1_500, closeMs: 300 };
const anId = "01jd3v8q6m9x2k4n7r5t1w0yzh";

/** The head of a request whose body is longer than what the test writes of it. */
function head(api: TestService, method: string, path: string, more: readonly string[] = [], length = 100_000): string {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(api.service.url).host}`, `Content-Length: ${length}`, ...more];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

const json = "Content-Type: application/json";

test("[DLN1] a request without valid credentials is cut if it has not arrived in time, whatever it asks for and whether it is answered already", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { deadlines });
  const withBody = operations.filter(({ method }) => method !== "GET");
  expect(withBody.length).toBeGreaterThan(100);
  const heads = withBody.flatMap(({ method, path, bytes, stream }) => {
    const place = `/api/v1${path.replaceAll(/\{\w+\}/g, `plr_${anId}`)}`;
    const type = bytes !== undefined || stream === true ? "Content-Type: application/offset+octet-stream" : json;
    return [head(api, method, place, [type, "Authorization: Bearer sgn_pat_wrong"]), head(api, method, place, [type])];
  });
  for (const path of ["/", "/nothing", "/mcp", "/metrics", "/docs", "/preview/nothing/preview.html"]) {
    heads.push(head(api, "POST", path, [json]), head(api, "GET", path));
  }
  heads.push(`POST /api/v1/session HTTP/1.1\r\nHost: a\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  for (let at = 0; at < heads.length; at += 100) {
    using all = new DisposableStack();
    const open = heads.slice(at, at + 100).map((text) => {
      const connection = all.use(openRaw(api.service.url));
      connection.write(text);
      connection.drip(text.includes("chunked") ? "1\r\n \r\n" : " ");
      return connection;
    });
    await Promise.all(open.map(({ closed }) => closed));
    for (const { received } of open) expect(received).toMatch(/^HTTP\/1\.1 [24]\d\d /);
  }
  using late = openRaw(api.service.url);
  late.write(head(api, "POST", "/api/v1/session", [json]));
  await late.closed;
  expect(late.received).toMatch(/^HTTP\/1\.1 408 /);
  expect(late.received).toContain("/problems/timeout");
});

test("[DLN2] whoever has proved a right to call may send a body slowly: by token, as a device, by MCP and by an upload link", async () => {
  await using folder = await temporaryFolder();
  // Long enough for a busy machine to look the tokens up.
  await using api = await TestService.start(folder.path, { deadlines: { ...deadlines, bodyMs: 1_500 } });
  const device = await api.pairDevice();
  const image = await picture("png", 40);
  const link = (await api.call("POST", "upload-links", {})).body;
  const token = `Authorization: Bearer ${api.token}`;
  const octets = "Content-Type: application/octet-stream";
  const ping = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
  const playlist = Buffer.from(JSON.stringify({ name: "Slow" }));
  const beat = Buffer.from(JSON.stringify(heartbeat()));
  const requests: [string, string, string[], Buffer, number[]][] = [
    ["POST", "/api/v1/assets?name=a.png", [token, octets], image, [201]],
    ["POST", "/api/v1/playlists", [token, json], playlist, [201]],
    ["POST", "/mcp", [token, json, "Accept: application/json, text/event-stream"], ping, [200]],
    ["PUT", new URL(link.url).pathname + new URL(link.url).search, [octets], image, [201, 409]],
    ["POST", "/api/v1/device/heartbeat", [`Authorization: Bearer ${device.access.access_token}`, json], beat, [200, 204]],
  ];
  using all = new DisposableStack();
  const slow = requests.map(([method, path, headers, body]): [RawConnection, Buffer] => {
    const connection = all.use(openRaw(api.service.url));
    connection.write(head(api, method, path, headers, body.length));
    connection.write(body.subarray(0, body.length / 2));
    return [connection, body];
  });
  // Strangers that come later are cut, one after the other: two deadlines have passed.
  for (let round = 0; round < 2; round += 1) {
    using stranger = openRaw(api.service.url);
    stranger.write(head(api, "POST", "/api/v1/session", [json]));
    await stranger.closed;
  }
  for (const [at, [connection, body]] of slow.entries()) {
    expect([at, connection.isClosed, connection.received]).toEqual([at, false, ""]);
    connection.write(body.subarray(body.length / 2));
    await connection.has("\r\n");
    expect(requests[at]![4], connection.received).toContain(Number(connection.received.slice(9, 12)));
  }
});

test("[DLN3] connections that say nothing, half a head or nonsense are closed, and rejected upgrades and WebSockets although the client does not close them", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { deadlines });
  const { host } = new URL(api.service.url);
  const upgrade = `Host: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n`;
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const cases: [string, string][] = [
    ["", ""],
    [`GET / HTTP/1.1\r\nHost: ${host}\r\n`, "X-A: b\r\n"],
    ["nonsense\r\n\r\n", ""],
    [`GET /nowhere HTTP/1.1\r\n${upgrade}\r\n`, "x"],
    [`GET /nowhere HTTP/1.1\r\n${upgrade}\r\n`, ""],
    [`GET /api/v1/events HTTP/1.1\r\n${upgrade}Sec-WebSocket-Key: short\r\n\r\n`, "x"],
    [`GET /api/v1/events HTTP/1.1\r\n${upgrade}${key}\r\n`, ""],
    [`GET /api/v1/device/ws HTTP/1.1\r\n${upgrade}${key}Sec-WebSocket-Protocol: signage.device.v1\r\n\r\n`, ""],
    [`CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n`, "x"],
  ];
  using all = new DisposableStack();
  const open = cases.map(([first, drops]) => {
    const connection = all.use(openRaw(api.service.url));
    connection.write(first);
    if (drops !== "") connection.drip(drops);
    return connection;
  });
  await Promise.all(open.map(({ closed }) => closed));
});

test("[DLN4] with TLS the handshake has a deadline too", async () => {
  await using folder = await temporaryFolder();
  const tls = await createSelfSignedCertificate(folder.path);
  expect(tls, "openssl is not installed").not.toBe(null);
  await using api = await TestService.start(join(folder.path, "data"), { deadlines, tls });
  using silent = openRaw(api.service.url);
  using plain = openRaw(api.service.url);
  plain.write("GET / HTTP/1.1\r\n\r\n");
  using dripping = openRaw(api.service.url);
  // The beginning of a ClientHello, whose record says that more follows.
  dripping.write(Buffer.from([0x16, 0x03, 0x01, 0x3f, 0xff, 0x01]));
  dripping.drip("\0");
  using encrypted = openRaw(api.service.url, { tls: true });
  encrypted.write(head(api, "POST", "/api/v1/session", [json]));
  encrypted.drip(" ");
  await Promise.all([silent.closed, plain.closed, dripping.closed, encrypted.closed]);
  expect(encrypted.received).toMatch(/^HTTP\/1\.1 408 /);
});

test("[DLN5] responses that somebody without credentials does not take are cut; those of somebody with a token are not", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { deadlines: { answerMs: 1_500 } });
  const { host } = new URL(api.service.url);
  const bytes = Buffer.alloc(24 * 1024 * 1024);
  (await picture("jpeg", 40)).copy(bytes);
  const { body: asset } = await api.upload(bytes, "image/jpeg", "large.jpg");
  const head = (path: string, more: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
  using patient = openRaw(api.service.url);
  patient.write(head(`/api/v1/assets/${asset.id}/content`, `Authorization: Bearer ${api.token}\r\nConnection: close\r\n`));
  // Its answer has begun, so its token is known to be valid.
  await patient.has("HTTP/1.1 200 ");
  patient.socket.pause();
  // More than the system buffers for a connection. Empty lines between requests show when it is cut.
  using stranger = openRaw(api.service.url);
  stranger.socket.pause();
  stranger.write(head("/api/v1/openapi.json", "").repeat(40));
  stranger.drip("\r\n");
  await stranger.closed;
  patient.socket.resume();
  await patient.closed;
  const bodyAt = patient.received.indexOf("\r\n\r\n") + 4;
  expect(patient.received.length - bodyAt).toBe(bytes.length);
});

test("[DLN6] a connection stays open for as long as the service works on its request, but not while the service waits for the client", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock, deadlines: { idleMs: 300 } });
  const { next } = (await api.call("GET", "events?after=now")).body;
  const waiting = api.call("GET", `events?after=${next}&wait_seconds=30`);
  await waitUntil("it waits for events", () => clock.waitsOf(30_000) > 0);
  // Silent for longer than the limit, one after the other: so is the request that waits.
  for (let round = 0; round < 2; round += 1) {
    using silent = openRaw(api.service.url);
    silent.write(head(api, "POST", "/api/v1/playlists", [json, `Authorization: Bearer ${api.token}`]));
    await silent.closed;
  }
  clock.advance(30_000);
  expect(await waiting).toMatchObject({ status: 200, body: { data: [] } });
});
