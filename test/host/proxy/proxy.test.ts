// Tests of the browser's proxy with requests like a browser's.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { BrowserProxy, type BrowserProxyOptions } from "../../../src/host/proxy/proxy.ts";
import { AddressGuard } from "../../../src/host/proxy/address-guard.ts";
import { type Route, parseProxyList, routerFromEnvironment } from "../../../src/base/http/proxy-route.ts";
import { FakeClock } from "../../support/clock.ts";
import { openRaw } from "../../support/raw-connection.ts";
import { waitUntil } from "../../support/polling.ts";

const direct = (): Promise<Route> => Promise.resolve({ is: "direct" });

async function serve(listener: RequestListener, host = "127.0.0.1"): Promise<{ server: Server; port: number }> {
  const server = createServer(listener).listen(0, host);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

async function openProxy(options: Partial<BrowserProxyOptions> = {}): Promise<BrowserProxy> {
  const proxy = await BrowserProxy.open({ route: direct, clock: new FakeClock(), log: silentLog, ...options });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** Requests an address through the proxy; rejects when the connection ends without a response. */
async function ask(proxy: BrowserProxy, url: string, body?: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(proxy.address);
  const requested = request({
    hostname,
    port,
    path: url,
    method: body === undefined ? "GET" : "POST",
    headers: { host: new URL(url).host },
  });
  requested.end(body);
  const [answer] = (await once(requested, "response")) as [IncomingMessage];
  return answer;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>)).toString();
}

/** Opens a tunnel through the proxy; resolves with its first line. */
async function tunnel(proxy: BrowserProxy, authority: string): Promise<{ status: string; socket: Socket }> {
  const { hostname, port } = new URL(proxy.address);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [first] = (await once(socket, "data")) as [Buffer];
  const end = first.indexOf("\r\n\r\n") + 4;
  socket.pause();
  if (end < first.length) socket.unshift(first.subarray(end));
  return { status: first.toString().split("\r\n")[0]!, socket };
}

test("[PXY4] each connection resolves its name once, and uses one of the resolved addresses", async () => {
  const { server, port } = await serve((_request, response) => response.end("inside"));
  let connections = 0;
  server.on("connection", () => connections++);
  const clock = new FakeClock();
  const answers = [["127.0.0.9"], ["127.0.0.1"]];
  let looks = 0;
  const lookup = async (): Promise<string[]> => answers[Math.min(looks++, 1)]!;
  const proxy = await openProxy({ clock, lookup, mayReachLocal: (host) => host === "kept.example" });
  // Nothing listens at the first address. A second lookup would find the server.
  await expect(ask(proxy, `http://kept.example:${port}/`)).rejects.toThrow();
  expect([looks, connections]).toEqual([1, 0]);
  expect(proxy.connectionErrorOf(`http://kept.example:${port}/x`)).toBe("its server does not accept the connection");
  clock.advance(60_000);
  expect(await textOf(await ask(proxy, `http://kept.example:${port}/`))).toBe("inside");
  expect(proxy.connectionErrorOf(`http://kept.example:${port}/`)).toBeNull();
  expect([looks, connections]).toEqual([2, 1]);
});

test("[PXY4] a name that first resolves to another machine and later to this one is then rejected, for requests and tunnels", async () => {
  const { server, port } = await serve((_request, response) => response.end("inside"));
  let connections = 0;
  server.on("connection", () => connections++);
  const clock = new FakeClock();
  let addresses = ["93.184.216.34"];
  const proxy = await openProxy({ clock, lookup: async () => addresses, route: async () => ({ is: "proxy", host: "127.0.0.1", port: 9 }) });
  await expect(ask(proxy, `http://rebinding.example:${port}/`)).rejects.toThrow();
  expect(proxy.connectionErrorOf(`http://rebinding.example:${port}/`)).toBe("its server does not accept the connection");
  addresses = ["127.0.0.1"];
  clock.advance(60_000);
  await expect(ask(proxy, `http://rebinding.example:${port}/`)).rejects.toThrow();
  expect((await tunnel(proxy, `rebinding.example:${port}`)).status).toContain("502");
  expect(proxy.connectionErrorOf(`http://rebinding.example:${port}/`)).toContain(`--allow-local rebinding.example:${port}`);
  expect(connections).toBe(0);
});

test("[PXY10] a public page cannot reach a private network through the player; a page on such a network can", async () => {
  const known: Record<string, string[]> = {
    "public.example": ["93.184.216.34"],
    "lan.example": ["10.1.1.1"],
    "camera.example": ["fd00::7"],
    // IPv6 needs no private addresses.
    "both.example": ["10.1.1.2", "2606:2800:21f::2"],
  };
  const lookup = async (host: string): Promise<string[]> => known[host] ?? [];
  const guard = new AddressGuard({ lookup, mayReachLocal: () => false, clock: new FakeClock() });
  const reaches = (host: string, requester: string | null): Promise<boolean> =>
    guard.addressesOf(host, 80, requester).then(
      () => true,
      () => false,
    );
  guard.setSiteHosts(["public.example"]);
  expect(await reaches("public.example", null)).toBe(true);
  for (const host of ["camera.example", "192.168.1.1", "fd00::1"]) {
    expect(await reaches(host, null), host).toBe(false);
    expect(await reaches(host, "public.example"), host).toBe(false);
    // The player's page, and other pages that it serves itself.
    expect(await reaches(host, "127.1.2.3"), host).toBe(true);
  }
  guard.setSiteHosts(["public.example", "lan.example"]);
  expect(await reaches("camera.example", "lan.example")).toBe(true);
  expect(await reaches("camera.example", "public.example")).toBe(false);
  expect(await reaches("lan.example", "public.example")).toBe(true);
  expect(await reaches("camera.example", "both.example")).toBe(true);
  expect(await reaches("camera.example", "unknown.example")).toBe(false);
  // A page that is not known is perhaps the one of the private network.
  expect(await reaches("camera.example", null)).toBe(true);
  // Through the proxy, the headers name the requesting page.
  const proxy = await openProxy({ lookup });
  proxy.allowSites([{ id: "x", url: "http://public.example/", headers: {}, css: null, isConfinedToOrigin: false }]);
  await expect(ask(proxy, "http://camera.example/")).rejects.toThrow();
  expect(proxy.connectionErrorOf("http://camera.example/")).toContain("private network");
  expect((await tunnel(proxy, "lan.example:443")).status).toContain("502");
});

test("[PXY5] the network's own proxy is used for everything except this machine", async () => {
  const requested: string[] = [];
  const credentials: (string | undefined)[] = [];
  const upstream = await serve((incoming, response) => {
    requested.push(`${incoming.method} ${incoming.url}`);
    credentials.push(incoming.headers["proxy-authorization"]);
    response.end("by the proxy");
  });
  upstream.server.on("connect", (incoming, socket) => {
    requested.push(`CONNECT ${incoming.url}`);
    credentials.push(incoming.headers["proxy-authorization"]);
    socket.end("HTTP/1.1 200 OK\r\n\r\nhello");
  });
  const inside = await serve((_request, response) => response.end("inside"));
  const route = routerFromEnvironment({
    http_proxy: `http://me:my%20word@127.0.0.1:${upstream.port}`,
    HTTPS_PROXY: `me:my%20word@127.0.0.1:${upstream.port}`,
  });
  // The network's proxy resolves names that are unknown here.
  const lookup = (): Promise<string[]> => Promise.reject(new Error("ENOTFOUND"));
  const proxy = await openProxy({ route, lookup, mayReachLocal: (host) => host === "127.0.0.1" });
  expect(await textOf(await ask(proxy, "http://site.example/page?x"))).toBe("by the proxy");
  const { status, socket } = await tunnel(proxy, "site.example:443");
  expect(status).toContain("200");
  expect(String(Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)))).toBe("hello");
  expect(await textOf(await ask(proxy, `http://127.0.0.1:${inside.port}/`))).toBe("inside");
  for (const host of ["localhost", "[::1]", "0.0.0.0", "127.0.0.2"]) {
    await expect(ask(proxy, `http://${host}:${inside.port}/`), host).rejects.toThrow();
    expect((await tunnel(proxy, `${host}:${inside.port}`)).status, host).toContain("502");
  }
  expect(requested).toEqual(["GET http://site.example/page?x", "CONNECT site.example:443"]);
  expect(credentials).toEqual([basic("me:my word"), basic("me:my word")]);
});

test("[PXY5] the network's proxy is read from the environment and from Electron's proxy list", async () => {
  const route = routerFromEnvironment({ all_proxy: "http://proxy.example:3128", no_proxy: "intranet.example, .local,10.0.0.1:8080" });
  const proxy = { is: "proxy", host: "proxy.example", port: 3128 };
  expect(await route("https://site.example:443/")).toEqual(proxy);
  expect(await route("http://10.0.0.1:80/")).toEqual(proxy);
  for (const host of ["intranet.example", "www.intranet.example", "printer.local", "10.0.0.1:8080"]) {
    expect(await route(`http://${host}/`), host).toEqual({ is: "direct" });
  }
  expect(await routerFromEnvironment({})("http://site.example/")).toEqual({ is: "direct" });
  expect(await routerFromEnvironment({ http_proxy: "socks5://proxy.example" })("http://site.example/")).toMatchObject({ is: "unusable" });
  expect(parseProxyList("DIRECT")).toEqual({ is: "direct" });
  expect(parseProxyList("PROXY proxy.example:3128; DIRECT")).toEqual(proxy);
  expect(parseProxyList("SOCKS5 proxy.example:1080")).toMatchObject({
    is: "unusable",
    reason: expect.stringContaining("is not an HTTP proxy"),
  });
});

test("[PXY6] responses and request bodies are streamed, and a client that leaves cancels its request", async () => {
  let leftAt = 0;
  const { port } = await serve((incoming, response) => {
    if (incoming.url === "/echo") return void incoming.pipe(response);
    response.writeHead(200, ["Set-Cookie", "a=1", "Set-Cookie", "b=2", "Connection", "X-Own", "X-Own", "1", "X-Kept", "2"]);
    response.write("first");
    response.on("close", () => (leftAt = Date.now()));
  });
  const proxy = await openProxy({ mayReachLocal: () => true });
  expect(await textOf(await ask(proxy, `http://127.0.0.1:${port}/echo`, "x".repeat(200_000)))).toHaveLength(200_000);
  const answer = await ask(proxy, `http://127.0.0.1:${port}/endless`);
  expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
  expect([answer.headers["x-own"], answer.headers["x-kept"]]).toEqual([undefined, "2"]);
  expect(String(((await once(answer, "data")) as [Buffer])[0])).toBe("first");
  answer.destroy();
  await waitUntil("the server has no connections", () => leftAt > 0);
});

test("[PXY6] an unreachable host is a failed connection, and the proxy knows why", async () => {
  const lookup = (): Promise<string[]> => Promise.reject(new Error("ENOTFOUND"));
  const clock = new FakeClock();
  const proxy = await openProxy({ clock, lookup, mayReachLocal: () => true });
  await expect(ask(proxy, "http://nowhere.example/")).rejects.toThrow();
  expect(proxy.connectionErrorOf("http://nowhere.example/any")).toContain("cannot be resolved");
  await expect(ask(proxy, "http://127.0.0.4:9/")).rejects.toThrow();
  expect(proxy.connectionErrorOf("http://127.0.0.4:9/")).toContain("does not accept the connection");
  expect(proxy.connectionErrorOf("http://127.0.0.4:10/")).toBeNull();
});

test("[PXY11] a request with two Hosts is rejected, and a rejected tunnel is closed although the client keeps it open", async () => {
  const { port } = await serve((_incoming, response) => response.end("reached"));
  const proxy = await openProxy({ mayReachLocal: () => true });
  const cases = [
    [`GET http://127.0.0.1:${port}/ HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Connection: close", "200 "],
    [`GET http://127.0.0.1:${port}/ HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Host: elsewhere.example", "400 "],
    ["CONNECT 127.0.0.4:9 HTTP/1.1", "Host: 127.0.0.4:9", "Accept: *", "502 "],
    ["CONNECT :: HTTP/1.1", "Host: a", "Accept: *", "400 "],
  ];
  for (const [line, host, more, status] of cases) {
    using connection = openRaw(proxy.address);
    connection.write(`${line}\r\n${host}\r\n${more}\r\n\r\n`);
    await connection.closed;
    expect([line, connection.received.slice(9, 13)]).toEqual([line, status]);
  }
});
