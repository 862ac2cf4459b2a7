// Which origins count as the service's own: scheme, host and port, behind proxies and with TLS.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { createSelfSignedCertificate } from "../../support/network/certificate.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";

type Headers = Record<string, string>;
interface Answer {
  status: number;
  cookies: string;
  body: string;
}

/** A request with exactly these headers, the Host included. */
async function send(api: TestService, method: string, path: string, headers: Headers, body: object): Promise<Answer> {
  const { port, protocol } = new URL(api.service.url);
  const options = { hostname: "127.0.0.1", port, method, path, headers: { "content-type": "application/json", ...headers }, agent: false };
  const sent = protocol === "https:" ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  const cookies = (response.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]).join("; ");
  return { status: response.statusCode!, cookies, body: text };
}

/** Tries a write of a session, a sign-in and a call of MCP from each origin. @returns what was let through, by origin */
async function tryOrigins(api: TestService, headers: Headers, own: string, others: readonly string[]): Promise<void> {
  const token = { authorization: `Bearer ${api.token}`, accept: "application/json, text/event-stream" };
  const link = async () =>
    JSON.parse((await send(api, "POST", "/api/v1/sign-in-links", { ...headers, ...token }, {})).body) as { secret: string };
  const signIn = async (origin: string) =>
    send(api, "POST", "/api/v1/session", { ...headers, origin }, { method: "link", secret: (await link()).secret });
  const session = await signIn(own);
  expect([own, session.status], session.body).toEqual([own, 201]);
  const write = (origin: string) => send(api, "POST", "/api/v1/playlists", { ...headers, cookie: session.cookies, origin }, { name: "P" });
  expect([own, (await write(own)).status]).toEqual([own, 201]);
  for (const origin of others) {
    const refused = await write(origin);
    expect([origin, refused.status, (await signIn(origin)).status]).toEqual([origin, 403, 403]);
    expect(refused.body).toContain("another website");
    const mcp = await send(api, "POST", "/mcp", { ...headers, ...token, origin }, { jsonrpc: "2.0", id: 1, method: "ping" });
    expect([origin, mcp.status]).toEqual([origin, 403]);
  }
}

test("[ORI1] the service's own origin is scheme, host and port of the address that a request is sent to", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const { host, port } = new URL(api.service.url);
  const others = [
    `https://${host}`,
    `http://127.0.0.1:${Number(port) + 1}`,
    "http://127.0.0.1",
    `http://localhost:${port}`,
    "null",
    `http://${host}/`,
  ];
  await tryOrigins(api, { host }, `http://${host}`, others);
  // Who ends TLS is known by --trusted-proxy or --public-url only.
  await tryOrigins(api, { host, "x-forwarded-proto": "https", "x-forwarded-host": "a.example" }, `http://${host}`, [
    `https://${host}`,
    "https://a.example",
  ]);
});

test("[ORI2] with TLS a page of the same host that came without TLS is another website", async () => {
  await using folder = await temporaryFolder();
  const tls = await createSelfSignedCertificate(folder.path);
  expect(tls, "openssl is not installed").not.toBe(null);
  await using api = await TestService.start(join(folder.path, "data"), { tls });
  const { host, port } = new URL(api.service.url);
  await tryOrigins(api, { host }, `https://${host}`, [`http://${host}`, "https://127.0.0.1", `https://localhost:${port}`]);
});

test("[ORI3] behind a proxy that ends TLS, --public-url or a trusted proxy's headers decide which origin is the service's own", async () => {
  await using folder = await temporaryFolder();
  const publicUrl = "https://signage.example/screens";
  await using known = await TestService.start(join(folder.path, "known"), { publicUrl });
  const elsewhere = ["http://signage.example", "https://signage.example:8443", "https://www.signage.example"];
  await tryOrigins(known, { host: "signage.example" }, "https://signage.example", elsewhere);
  await tryOrigins(known, { host: "signage.example:443" }, "https://signage.example", elsewhere);

  await using trusting = await TestService.start(join(folder.path, "trusting"), { trustedProxies: ["127.0.0.1"] });
  const forwarded = { host: "10.0.0.7:8080", "x-forwarded-proto": "https", "x-forwarded-host": "10.0.0.9" };
  await tryOrigins(trusting, forwarded, "https://10.0.0.9", ["http://10.0.0.9", "https://10.0.0.7:8080", "http://10.0.0.7:8080"]);
});

test("[ORI4] a session's cookie opens no WebSocket: a ticket does, which a page of the service fetches", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const { host } = new URL(api.service.url);
  const { body: link } = await api.call("POST", "sign-in-links", {});
  const own = { host, origin: `http://${host}` };
  const { cookies } = await send(api, "POST", "/api/v1/session", own, { method: "link", secret: link.secret });
  const open = (query: string) =>
    new WebSocket(`ws://${host}/api/v1/events${query}`, { headers: { cookie: cookies, origin: `http://${host}` } });
  const [code] = (await once(open(""), "close")) as [number];
  expect(code).toBe(4401);
  const ticket = (origin: string) => send(api, "POST", "/api/v1/events/tickets", { host, cookie: cookies, origin }, {});
  expect((await ticket(`https://${host}`)).status).toBe(403);
  const granted = await ticket(own.origin);
  expect(granted.status, granted.body).toBe(201);
  const socket = open(`?ticket=${(JSON.parse(granted.body) as { ticket: string }).ticket}`);
  await once(socket, "open");
  socket.terminate();
});
