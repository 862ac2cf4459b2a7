// The player's own connections through a real proxy of the network: to a real service, and to feeds.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { reasonOf } from "../../../src/base/fault.ts";
import { directNetwork } from "../../../src/base/http/network.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { routerFromEnvironment } from "../../../src/base/http/proxy-route.ts";
import { diagnoseConnectivity } from "../../../src/player/link/connectivity-diagnosis.ts";
import { DeviceSocket } from "../../../src/player/link/device-socket.ts";
import { ServiceApi } from "../../../src/player/link/service-api.ts";
import { contentNetwork, contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { TestService } from "../../service/harness.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startNetworkProxy } from "../../support/network/network-proxy.ts";
import { TestPlayer } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";
import { startWebServer } from "../../support/network/web-server.ts";

const signal = new AbortController().signal;

/** A network whose proxy is named as in an environment. */
function networkOf(env: Record<string, string>, proxy?: string) {
  return { ...directNetwork(), route: routerFromEnvironment(env, proxy) };
}

test.each([
  ["without a password", undefined, ""],
  ["with a password", "us er:p@ss:50%", "us%20er:p%40ss:50%@"],
])("[LNK7] a player behind a proxy %s pairs, connects and downloads through it alone", async (_title, credentials, inUrl) => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using service = await TestService.start(`${folder.path}/service`, { clock, publicUrl: "http://service.test" });
  const hosts = { "service.test": Number(new URL(service.service.url).port) };
  await using proxy = await startNetworkProxy({ hosts, ...(credentials !== undefined && { credentials }) });
  const network = networkOf({ HTTP_PROXY: `http://${inUrl}127.0.0.1:${proxy.port}` });
  await using player = new TestPlayer(`${folder.path}/player`, () => "http://service.test", clock, { network });
  const paired = await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" });
  await player.line("connected");
  await service.showPicture({ playerId: paired.body.id });
  await player.host.sceneThat(({ screen }) => screen.is === "stage");
  expect(proxy.requests).toContain("POST http://service.test/api/v1/device/pairing-requests");
  expect(proxy.requests).toContain("CONNECT service.test:80");
  expect(proxy.requests.filter((line) => line.startsWith("GET http://service.test/api/v1/device/assets/")).length).toBe(1);
});

test("[LNK8] the proxy is that of the flag, else of the environment in either case; loopback and the hosts of no_proxy are reached directly", async () => {
  const viaA = { is: "proxy", host: "a.test", port: 3128 };
  const viaB = { is: "proxy", host: "b.test", port: 80 };
  const direct = { is: "direct" };
  const env = { http_proxy: "a.test:3128", HTTP_PROXY: "http://ignored.test", HTTPS_PROXY: "http://b.test" };
  const both = routerFromEnvironment(env);
  for (const url of ["http://s.test/", "ws://s.test/"]) expect(await both(url), url).toEqual(viaA);
  for (const url of ["https://s.test/", "wss://s.test/"]) expect(await both(url), url).toEqual(viaB);
  expect(await routerFromEnvironment(env, "http://b.test")("http://s.test/")).toEqual(viaB);
  expect(await routerFromEnvironment({ ALL_PROXY: "a.test:3128" })("https://s.test/")).toEqual(viaA);
  expect(await routerFromEnvironment({ all_proxy: "a.test:3128", https_proxy: "b.test" })("https://s.test/")).toEqual(viaB);
  expect(await routerFromEnvironment({ http_proxy: "a.test:3128" })("https://s.test/")).toEqual(direct);
  const no_proxy = "intern.test, .local 10.1.0.0/16,fd00::/8,port.test:8080";
  const excepting = routerFromEnvironment({ all_proxy: "a.test:3128", NO_PROXY: no_proxy });
  const excepted = ["intern.test", "INTERN.test", "x.intern.test", "intern.test.", "p.local", "10.1.2.3:9", "[fd12::1]", "port.test:8080"];
  const own = ["localhost", "x.localhost", "127.0.0.1:8080", "127.9.9.9", "[::1]:80"];
  for (const host of [...excepted, ...own]) expect(await excepting(`http://${host}/`), host).toEqual(direct);
  for (const host of ["xintern.test", "10.2.0.1", "[fe00::1]", "port.test", "127.test", "localhost.test"]) {
    expect(await excepting(`http://${host}/`), host).toEqual(viaA);
  }
  for (const value of ["*", "x.test,*"]) {
    expect(await routerFromEnvironment({ all_proxy: "a.test:3128", no_proxy: value })("http://s.test/")).toEqual(direct);
  }
});

/** Why a player cannot reach the service: by a request and by the device socket. */
async function troubleOf(server: string, proxyUrl: string) {
  const network = networkOf({}, proxyUrl);
  await using api = new ServiceApi(() => server, network);
  const byRequest: unknown = await api.nonce(signal).catch((error: unknown) => error);
  const opening = DeviceSocket.open(api.socketUrl, "token", network, new FakeClock(), signal);
  const bySocket: unknown = await opening.then(() => null).catch((error: unknown) => error);
  return [byRequest, bySocket].map((error) => {
    const { code, text } = diagnoseConnectivity(error, api.server, Date.now(), null);
    return { code, text, all: `${text} ${reasonOf(error)}` };
  });
}

test.each(["http://service.test", "https://service.test"])(
  "[LNK9] the screen names the trouble of the network's proxy on the way to %s, and no password is shown or logged",
  async (server) => {
    await using proxy = await startNetworkProxy({ hosts: {}, credentials: "user:secret" });
    await using closed = await startNetworkProxy({ hosts: {} });
    await closed[Symbol.asyncDispose]();
    // A server that accepts connections and closes them without a response.
    const mute = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(mute, "listening");
    const at = (port: number, credentials = "user:wrong-secret@"): string => `http://${credentials}127.0.0.1:${port}`;
    const proxyTexts = async (url: string): Promise<string[]> => {
      const troubles = await troubleOf(server, url);
      expect(troubles.map(({ code }) => code)).toEqual(["proxy", "proxy"]);
      for (const { all } of troubles) expect(all).not.toContain("secret");
      return troubles.map(({ text }) => text);
    };
    for (const text of await proxyTexts(at(closed.port))) {
      expect(text).toBe(
        `The network's proxy 127.0.0.1:${closed.port} cannot be reached (ECONNREFUSED). Check the network and its address in the flag --proxy, or http_proxy and https_proxy.`,
      );
    }
    const mutePort = (mute.address() as AddressInfo).port;
    for (const text of await proxyTexts(at(mutePort))) expect(text).toContain(`127.0.0.1:${mutePort} cannot be reached`);
    for (const url of [at(proxy.port), at(proxy.port, "")]) {
      for (const text of await proxyTexts(url))
        expect(text).toMatch(/responded with HTTP 407: it rejects the user name and password\. Set them/);
    }
    for (const text of await proxyTexts(at(proxy.port, "user:secret@"))) {
      expect(text).toMatch(/responded with HTTP 502: it does not connect to service\.test\. Check the service's address/);
    }
    for (const text of await proxyTexts("socks5://user:secret@127.0.0.1:1080")) {
      expect(text).toMatch(/^The network's proxy socks5:\/\/127\.0\.0\.1:1080 is not an HTTP proxy/);
    }
    mute.close();
  },
);

test("[LNK9] an error of the service behind a proxy is not taken for one of the proxy", async () => {
  const failing = {
    "/api/v1/device/nonce": (_: unknown, response: ServerResponse) =>
      void response.writeHead(503, { "content-type": "application/problem+json" }).end(JSON.stringify({ detail: "starting" })),
  };
  await using server = await startWebServer("127.0.0.1", failing);
  await using proxy = await startNetworkProxy({ hosts: { "service.test": Number(new URL(server.origin).port) } });
  const [byRequest] = await troubleOf("http://service.test", `http://127.0.0.1:${proxy.port}`);
  expect(byRequest).toMatchObject({ code: "http", text: expect.stringContaining("HTTP 503") as string });
});

test("[LNK12] feeds and streams come through the proxy, except from an allowed service of this machine", async () => {
  await using site = await startWebServer("127.0.0.1", { "/feed": "news" });
  const port = Number(new URL(site.origin).port);
  await using proxy = await startNetworkProxy({ hosts: { "feeds.test": port, "inside.test": port, localhost: port } });
  const mayReachLocal = (host: string, at: number): boolean => host === "127.0.0.1" && at === port;
  const network = contentNetwork(networkOf({}, `http://127.0.0.1:${proxy.port}`), mayReachLocal);
  const resolve = (
    hostname: string,
    _options: object,
    done: (error: Error | null, addresses: { address: string; family: number }[]) => void,
  ) => (hostname === "inside.test" ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(new Error("ENOTFOUND"), []));
  await using outside = new OutboundHttp({ policy: contentPolicy(mayReachLocal), network, resolve });
  const textOf = async (url: string) => {
    const { status, body } = await outside.request(url, { signal });
    return `${status} ${Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>)).toString()}`;
  };
  expect(await textOf("http://feeds.test/feed")).toBe("200 news");
  expect(proxy.requests).toEqual(["GET http://feeds.test/feed"]);
  expect(await textOf(`http://127.0.0.1:${port}/feed`)).toBe("200 news");
  await expect(textOf("http://inside.test/feed")).rejects.toMatchObject({ code: "refused" });
  await expect(textOf(`http://localhost:${port}/feed`)).rejects.toThrow();
  expect(proxy.requests).toEqual(["GET http://feeds.test/feed"]);
  await eventually(() => site.requests.length === 2);
});
