// The proxy for streams, with real servers on this machine.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { Surface } from "../../../src/player/surface/surface.ts";

/** A surface that serves one stream, and the stream's origin server. */
async function open(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  outside = new OutboundHttp({ policy: contentPolicy(() => true) }),
) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const stream = (key: string) => (key === "known" ? { url: `${origin}/live.m3u8`, origins: new Set([origin]) } : null);
  const surface = await Surface.open({
    owner: "tests",
    port: null,
    rendererFolder: "/nowhere",
    media: () => null,
    stream,
    outboundHttp: outside,
    clock: createSystemClock(),
    log: silentLog,
  });
  const { url, cookie } = surface.hostPage;
  const headers = { cookie: `${cookie.name}=${cookie.value}` };
  return {
    seen,
    origin,
    port,
    get: (path: string, more: Record<string, string> = {}) => fetch(new URL(path, url), { headers: { ...headers, ...more } }),
    getBare: (path: string) => fetch(new URL(path, url)),
    async [Symbol.asyncDispose]() {
      await surface[Symbol.asyncDispose]();
      await outside[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

test("[ITM32] a stream and its parts are fetched from the declared origins, with ranges, and without cookies, scripts or the page's secret", async () => {
  await using kit = await open((request, response) => {
    const type = request.url === "/trap" ? "text/html" : "application/vnd.apple.mpegurl";
    response
      .writeHead(request.headers.range === undefined ? 200 : 206, { "content-type": type, "set-cookie": "a=b", "content-length": "7" })
      .end("#EXTM3U");
  });
  const list = await kit.get("/stream/known");
  expect(list.status).toBe(200);
  expect(await list.text()).toBe("#EXTM3U");
  expect(list.headers.get("content-type")).toBe("application/vnd.apple.mpegurl");
  expect(list.headers.get("x-final-url")).toBe(`${kit.origin}/live.m3u8`);
  expect(list.headers.get("set-cookie")).toBeNull();
  const part = await kit.get(`/stream/known?url=${encodeURIComponent(`${kit.origin}/1.ts`)}`, { range: "bytes=0-6" });
  expect(part.status).toBe(206);
  expect(kit.seen.at(-1)!.headers.range).toBe("bytes=0-6");
  const trap = await kit.get(`/stream/known?url=${encodeURIComponent(`${kit.origin}/trap`)}`);
  expect(trap.headers.get("content-type")).toBe("application/octet-stream");
  expect(trap.headers.get("content-security-policy")).toContain("sandbox");
  expect(kit.seen.flatMap(({ headers }) => headers.cookie ?? [])).toEqual([]);
});

test("[ITM33] other origins are not requested: not by URL, redirect, a stream that no item shows, or without the cookie", async () => {
  await using kit = await open((_request, response) =>
    response.writeHead(302, { location: `http://localhost:${kit.port}/elsewhere` }).end(),
  );
  for (const url of [`http://localhost:${kit.port}/1.ts`, "file:///etc/passwd", "not an address"]) {
    expect((await kit.get(`/stream/known?url=${encodeURIComponent(url)}`)).status, url).toBe(403);
  }
  expect((await kit.get("/stream/unknown")).status).toBe(404);
  expect((await kit.getBare("/stream/known")).status).toBe(403);
  expect(kit.seen).toEqual([]);
  const redirected = await kit.get("/stream/known");
  expect(redirected.status).toBe(403);
  expect(await redirected.text()).toMatch(/not among the declared origins/);
  expect(kit.seen.map(({ url }) => url)).toEqual(["/live.m3u8"]);
});

test("[ITM33] a declared origin on this machine is rejected too", async () => {
  await using kit = await open((_request, response) => response.end("secret"), new OutboundHttp({ policy: contentPolicy() }));
  const answer = await kit.get("/stream/known");
  expect(answer.status).toBe(403);
  expect(await answer.text()).toMatch(/this machine/);
  expect(kit.seen).toEqual([]);
});

test("[ITM33] an origin that does not answer gives a 502 with that reason", async () => {
  await using kit = await open((request) => request.socket.destroy());
  const answer = await kit.get("/stream/known");
  expect(answer.status).toBe(502);
  expect(await answer.text()).toMatch(/does not answer/);
});
