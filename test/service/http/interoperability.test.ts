// Request ids on every response, and absolute links, for any HTTP client.
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { Problem } from "../../../src/protocol/operator/resources.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { described, resolve } from "../openapi/contract.ts";
import { TestService, call, picture } from "../harness.ts";

const wellFormed = /^req_[0-9a-hjkmnp-tv-z]{26}$/;

/** Sends raw bytes over a new connection and returns the response. */
async function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = "";
  socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
  socket.end(text);
  await once(socket, "close");
  return answer;
}

const idIn = (answer: string) => /^request-id: (.*)\r$/im.exec(answer)?.[1] ?? answer;

test("[IOP3] every response has a description and Request-Id, and every operation describes 400", () => {
  for (const { operation } of described) {
    const answers = Object.entries(operation.responses);
    for (const [status, answer] of answers) {
      const { description, headers } = resolve(answer) as { description?: string; headers?: Record<string, object> };
      expect([operation.operationId, status, description]).toEqual([operation.operationId, status, expect.stringMatching(/\w/)]);
      expect([operation.operationId, status, headers]).toMatchObject([
        operation.operationId,
        status,
        { "Request-Id": { $ref: expect.any(String) } },
      ]);
    }
    expect([operation.operationId, answers.some(([status]) => status === "400" || status === "4XX")]).toEqual([
      operation.operationId,
      true,
    ]);
  }
});

test("[IOP4] every response has a Request-Id: pages, errors of the framework, rejected and accepted WebSockets, invalid HTTP", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const { url } = api.service;
  const json = { "content-type": "application/json" };
  const answers = await Promise.all([
    api.call("GET", "players"),
    api.call("GET", "nothing"),
    call(url, "GET", "/nowhere"),
    call(url, "GET", "/%zz"),
    call(url, "GET", "/docs/static/index.html"),
    call(url, "GET", "/docs/nothing.js"),
    call(url, "GET", "/problems/not-found"),
    call(url, "GET", "/healthz"),
    call(url, "GET", "/metrics"),
    call(url, "HEAD", "/healthz"),
    call(url, "GET", "players"),
    call(url, "OPTIONS", "/mcp"),
    call(url, "POST", "/mcp", {}),
    api.call("POST", "playlists", "{", json),
    api.call("POST", "playlists", `{"name":"${"x".repeat(1_100_000)}"}`, json),
  ]);
  const ids = answers.map(({ headers }) => headers.get("request-id"));
  for (const id of ids) expect(id).toMatch(wellFormed);
  for (const { body, headers } of answers) if (body?.request_id !== undefined) expect(body.request_id).toBe(headers.get("request-id"));
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 400, 200, 404, 200, 200, 200, 200, 401, 404, 401, 400, 413]);

  const host = `Host: ${new URL(url).host}\r\n`;
  const upgrade = `${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n`;
  const cases: [number, string][] = [
    [400, "nonsense\r\n\r\n"],
    [400, "GET /healthz HTTP/1.1\r\n\r\n"],
    [431, `GET /healthz HTTP/1.1\r\n${host}X: ${"x".repeat(20_000)}\r\n\r\n`],
    [200, `GET /healthz HTTP/1.1\r\n${host}Expect: something\r\nConnection: close\r\n\r\n`],
    [404, `GET /nowhere HTTP/1.1\r\n${upgrade}\r\n`],
    [400, `GET /api/v1/device/ws HTTP/1.1\r\n${upgrade}\r\n`],
    [405, `POST /api/v1/events HTTP/1.1\r\n${upgrade}\r\n`],
    [400, `GET /api/v1/events HTTP/1.1\r\n${upgrade}Sec-WebSocket-Key: short\r\n\r\n`],
  ];
  for (const [status, text] of cases) {
    const answer = await raw(url, text);
    expect([text.slice(0, 40), answer.slice(9, 12), idIn(answer)]).toEqual([
      text.slice(0, 40),
      String(status),
      expect.stringMatching(wellFormed),
    ]);
    if (status === 200) continue;
    const problem = Problem.parse(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))));
    expect([problem.status, problem.request_id]).toEqual([status, idIn(answer)]);
    expect((await call(url, "GET", problem.type)).status).toBe(200);
  }
  for (const [path, protocol] of [
    ["device/ws", "signage.device.v1"],
    ["events", "signage.events.v1"],
  ] as const) {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/${path}`, protocol);
    const [response] = (await once(socket, "upgrade")) as [{ headers: Record<string, string> }];
    expect(response.headers["request-id"]).toMatch(wellFormed);
    socket.terminate();
  }
});

test("[IOP5] a stopping service rejects requests on open connections with a problem and a Request-Id", async () => {
  await using folder = await temporaryFolder();
  const api = await TestService.start(folder.path);
  const { hostname, port, host } = new URL(api.service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  socket.setEncoding("utf8").on("data", (part: string) => (received += part));
  const authorization = `Authorization: Bearer ${api.token}\r\n`;
  // An incomplete body keeps the connection and the stopping service open.
  socket.write(
    `POST /api/v1/playlists HTTP/1.1\r\nHost: ${host}\r\n${authorization}Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{"name":`,
  );
  await expect.poll(async () => (await api.call("GET", "/metrics")).status).toBe(200);
  const stopped = api[Symbol.asyncDispose]();
  await expect
    .poll(() =>
      fetch(api.service.url).then(
        () => "open",
        () => "closed",
      ),
    )
    .toBe("closed");
  socket.write(`"Loop"}GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await Promise.all([stopped, once(socket, "close")]);
  for (const head of received.split(/(?=HTTP\/1\.1 )/)) expect(idIn(head)).toMatch(wellFormed);
  expect(received).toMatch(/^HTTP\/1\.1 201 /);
  expect(received).toContain('"type":"/problems/closing"');
});

test("[IOP6] links are absolute: with the Host of the request, or with the public URL if one is configured", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(`${folder.path}/a`);
  const asset = (await api.upload(await picture(), "image/png", "a.png")).body;
  const { headers, body } = await api.call("POST", "playlists", { name: "P" }, { "idempotency-key": "k" });
  const authorization = { authorization: `Bearer ${api.token}` };
  expect(await (await fetch(headers.get("location")!, { headers: authorization })).json()).toMatchObject({ id: body.id });
  expect((await fetch(asset.url, { headers: authorization })).status).toBe(200);
  const { port } = new URL(api.service.url);
  const named = await fetch(`http://localhost:${port}/api/v1/assets/${asset.id}`, { headers: authorization }).catch(() => null);
  if (named !== null) expect(((await named.json()) as typeof asset).url).toBe(`http://localhost:${port}/api/v1/assets/${asset.id}/content`);
  const servers = async (path: string) => (await call(api.service.url, "GET", path)).body.servers as unknown;
  expect(await servers("openapi.json")).toMatchObject([{ url: api.service.url }]);
  expect(await servers("asyncapi.json")).toEqual({ service: { host: `127.0.0.1:${port}`, protocol: "ws" } });
  // An invalid Host does not appear in links.
  const odd = `GET /api/v1/openapi.json HTTP/1.1\r\nHost: evil"><script>\r\nConnection: close\r\n\r\n`;
  expect(await raw(api.service.url, odd)).not.toContain("evil");

  await using behind = await TestService.start(`${folder.path}/b`, { publicUrl: "https://signage.example.com/anything" });
  const there = (await behind.call("POST", "playlists", { name: "P" })).headers.get("location");
  expect(there).toMatch(/^https:\/\/signage\.example\.com\/anything\/api\/v1\/playlists\/pls_/);
  expect((await behind.upload(await picture(), "image/png", "a.png")).body.url).toMatch(
    /^https:\/\/signage\.example\.com\/anything\/api\/v1\/assets\//,
  );
  const about = (await call(behind.service.url, "GET", "asyncapi.json")).body;
  expect(about.servers).toEqual({ service: { host: "signage.example.com", pathname: "/anything", protocol: "wss" } });
  // Players use the address that they were configured with, not the public URL.
  const device = await behind.pairDevice();
  await behind.showPicture(device);
  expect((await device.call("GET", "state")).body.assets[0].url).toMatch(/^\/api\/v1\//);
});
