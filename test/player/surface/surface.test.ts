// The surface's server on a real port: who may request what, and what its socket sends.
import { createHash } from "node:crypto";
import { request } from "node:http";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { OutboundHttp } from "../../../src/base/http/outbound-http.ts";
import { contentPolicy } from "../../../src/player/web-items/outbound-policy.ts";
import { Surface } from "../../../src/player/surface/surface.ts";
import type { Scene } from "../../../src/protocol/scene.ts";
import type { FromPage, ToPage } from "../../../src/protocol/page-messages.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { openRaw } from "../../support/raw-connection.ts";

const sha = "a".repeat(64);
const media = Buffer.from("0123456789");
const picture = Buffer.alloc(300_000, "picture");
const pictureSha = createHash("sha256").update(picture).digest("hex");
const scene: Scene = { screen: { is: "empty", player_name: "Lobby", trouble: null, service: "x" }, identify: null };

async function open(owner = "tests") {
  const folder = await temporaryFolder();
  await mkdir(join(folder.path, "player"));
  await writeFile(join(folder.path, "player/index.html"), "<!doctype html>");
  await writeFile(join(folder.path, sha), media);
  await writeFile(join(folder.path, pictureSha), picture);
  const surface = await Surface.open({
    owner,
    rendererFolder: folder.path,
    media: (name) => {
      if (name === sha) return { folder: folder.path, name, mimeType: "video/mp4" };
      return name === pictureSha ? { folder: folder.path, name, mimeType: "image/png" } : null;
    },
    stream: () => null,
    port: null,
    outboundHttp: new OutboundHttp({ policy: contentPolicy() }),
    clock: createSystemClock(),
    log: silentLog,
  });
  const { url, cookie } = surface.hostPage;
  const pageHeaders = { cookie: `${cookie.name}=${cookie.value}` };
  const end = async () => {
    await surface[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { surface, folder: folder.path, origin: new URL(url).origin, pageHeaders, [Symbol.asyncDispose]: end };
}

function get(url: string, headers: Record<string, string>): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let body = "";
      response.on("data", (part: Buffer) => (body += part.toString()));
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body }));
    })
      .on("error", reject)
      .end();
  });
}

/** Whether a WebSocket with these headers is accepted. */
function isAccepted(origin: string, headers: Record<string, string>): Promise<boolean> {
  const socket = new WebSocket(`${origin.replace("http", "ws")}/scene`, { headers });
  return new Promise((resolve) => {
    socket.on("open", () => {
      socket.terminate();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

test("[SRF1] a request without the cookie, for another host or from another site is rejected", async () => {
  await using at = await open();
  for (const path of ["/player/", `/media/${sha}`]) {
    expect((await get(at.origin + path, at.pageHeaders)).status).toBe(200);
    expect((await get(at.origin + path, {})).status).toBe(403);
    expect((await get(at.origin + path, { cookie: `${at.pageHeaders.cookie}x` })).status).toBe(403);
    expect((await get(at.origin + path, { ...at.pageHeaders, host: "signage.example" })).status).toBe(403);
    expect((await get(at.origin + path, { ...at.pageHeaders, "sec-fetch-site": "cross-site" })).status).toBe(403);
  }
  expect(await isAccepted(at.origin, { ...at.pageHeaders, origin: at.origin })).toBe(true);
  expect(await isAccepted(at.origin, { origin: at.origin })).toBe(false);
  expect(await isAccepted(at.origin, at.pageHeaders)).toBe(false);
  expect(await isAccepted(at.origin, { ...at.pageHeaders, origin: "http://127.0.0.1:1" })).toBe(false);
});

test("[SRF4] an origin is compared by scheme, host and port; a repeated header is rejected; a rejected upgrade is closed although the client keeps it open", async () => {
  await using at = await open();
  const { host, port } = new URL(at.origin);
  for (const origin of [`https://${host}`, `http://${host.split(":")[0]}`, `http://localhost:${port}`, "null"]) {
    expect((await get(`${at.origin}/player/`, { ...at.pageHeaders, origin })).status).toBe(403);
    expect(await isAccepted(at.origin, { ...at.pageHeaders, origin })).toBe(false);
  }
  const own = [`Host: ${host}`, `Cookie: ${at.pageHeaders.cookie}`, `Origin: ${at.origin}`];
  const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="];
  const cases: [string, string[], number][] = [
    ["GET /player/ HTTP/1.1", ["Connection: close", ...own], 200],
    ["GET /player/ HTTP/1.1", ["Connection: close", ...own, "Host: elsewhere.example"], 400],
    ["GET /player/ HTTP/1.1", ["Connection: close", ...own, "Cookie: a=b"], 400],
    ["GET /scene HTTP/1.1", [...upgrade, ...own, "Host: elsewhere.example"], 403],
    ["GET /scene HTTP/1.1", [...upgrade, ...own, "Origin: https://elsewhere.example"], 403],
    ["GET /elsewhere HTTP/1.1", [...upgrade, ...own], 403],
  ];
  for (const [line, headers, status] of cases) {
    using connection = openRaw(at.origin);
    connection.write(`${[line, ...headers].join("\r\n")}\r\n\r\n`);
    await connection.closed;
    expect([line, headers.at(-1), connection.received.slice(9, 12)]).toEqual([line, headers.at(-1), String(status)]);
  }
});

test("[SRF2] media are served with Range, media type and nosniff; unverified files are not found, and no path leads outside", async () => {
  await using at = await open();
  const part = await get(`${at.origin}/media/${sha}`, { ...at.pageHeaders, range: "bytes=2-4" });
  expect(part).toMatchObject({ status: 206, body: "234", headers: { "content-type": "video/mp4", "x-content-type-options": "nosniff" } });
  expect((await get(`${at.origin}/media/${sha}`, { ...at.pageHeaders, range: "bytes=99-" })).status).toBe(416);
  expect((await get(`${at.origin}/media/${"b".repeat(64)}`, at.pageHeaders)).status).toBe(404);
  for (const path of ["/media/../../etc/passwd", "/player/..%2f..%2f..%2fetc/passwd", "/etc/passwd"]) {
    expect((await get(at.origin + path, at.pageHeaders)).status).toBeGreaterThanOrEqual(400);
  }
  expect((await get(`${at.origin}/player/`, at.pageHeaders)).headers["content-security-policy"]).toContain("default-src 'none'");
});

test("[CCH16] a picture is verified each time the page loads it; one that was damaged on the disk is never shown in part", async () => {
  await using at = await open();
  const ask = () => get(`${at.origin}/media/${pictureSha}`, { ...at.pageHeaders, range: "bytes=2-4" });
  expect(await ask()).toMatchObject({ status: 200, body: picture.toString(), headers: { "content-type": "image/png" } });
  const damaged = Buffer.from(picture);
  damaged[150_000]! ^= 1;
  await writeFile(join(at.folder, pictureSha), damaged);
  await expect(ask()).rejects.toThrow("socket hang up");
  await writeFile(join(at.folder, pictureSha), picture);
  expect((await ask()).status).toBe(200);
});

test("[SRF3] a page that connects late gets the newest scene; an equal scene is not sent again", async () => {
  await using at = await open();
  at.surface.show(scene);
  const page = new WebSocket(`${at.origin.replace("http", "ws")}/scene`, { headers: { ...at.pageHeaders, origin: at.origin } });
  const received: ToPage[] = [];
  const arrived = (count: number) =>
    new Promise<void>((resolve) => {
      page.on("message", (raw: Buffer) => {
        received.push(JSON.parse(raw.toString()) as ToPage);
        if (received.length === count) resolve();
      });
    });
  const three = arrived(3);
  const hello: FromPage = { type: "hello", viewport: { width: 800, height: 600, device_pixel_ratio: 1 } };
  page.on("open", () => page.send(JSON.stringify(hello)));
  const seen = new Promise<void>((resolve) => at.surface.page.watch(({ is }) => is === "here" && resolve(), new AbortController().signal));
  await seen;
  at.surface.show(structuredClone(scene));
  at.surface.show({ ...scene, identify: { player_name: "Lobby", lines: [], until: 1 } });
  page.send(JSON.stringify({ type: "clock", t0: 7 }));
  await three;
  page.terminate();
  expect(received.map(({ type }) => type)).toEqual(["scene", "scene", "clock"]);
  expect(received[0]).toEqual({ type: "scene", scene });
  expect(received[2]).toMatchObject({ t0: 7 });
});

test("[WFR14] the page has its own loopback host, the same at each start, and shares neither cookies nor a process with other local servers", async () => {
  await using one = await open("one");
  await using other = await open("other");
  await using again = await open("one");
  const [first, second, third] = [one, other, again].map(({ origin }) => new URL(origin).hostname);
  for (const host of [first, second]) expect(host).toMatch(/^127\.\d+\.\d+\.\d+$/);
  expect(first).not.toBe("127.0.0.1");
  expect(first).not.toBe(second);
  expect(third).toBe(first);
});
