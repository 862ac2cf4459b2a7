// Headers that come twice, as raw bytes on a real socket.
import { readFile } from "node:fs/promises";
import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { isSingular } from "../../../src/base/http/repeated-header.ts";
import { Problem } from "../../../src/protocol/operator/resources.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { openRaw } from "../../support/raw-connection.ts";
import { TestService } from "../harness.ts";

/** Sends one request and returns the response. */
async function answer(url: string, lines: readonly string[]): Promise<{ status: number; head: string; body: string }> {
  using connection = openRaw(url);
  connection.write(`${lines.join("\r\n")}\r\n\r\n`);
  await connection.closed;
  const [head = "", body = ""] = connection.received.split(/\r\n\r\n(.*)/s);
  return { status: Number(head.slice(9, 12)), head, body };
}

const twice: readonly (readonly [string, string, string])[] = [
  ["Host", "127.0.0.1", "elsewhere.example"],
  ["Authorization", "Bearer sgn_pat_a", "Bearer sgn_pat_b"],
  ["Cookie", "a=1", "b=2"],
  ["Content-Type", "application/json", "text/plain"],
  ["Content-Encoding", "gzip", "gzip"],
  ["Content-Range", "bytes 0-1/2", "bytes 1-2/3"],
  ["Origin", "http://127.0.0.1", "https://elsewhere.example"],
  ["Referer", "http://127.0.0.1/", "https://elsewhere.example/"],
  ["Sec-Fetch-Site", "same-origin", "cross-site"],
  ["Idempotency-Key", "a", "b"],
  ["If-Match", '"a"', '"b"'],
  ["If-Range", '"a"', '"b"'],
  ["Range", "bytes=0-1", "bytes=1-2"],
  ["Signage-Draft", "drf_a", "drf_b"],
  ["Tus-Resumable", "1.0.0", "1.0.0"],
  ["Upload-Length", "1", "2"],
  ["Upload-Offset", "0", "1"],
  ["Upload-Metadata", "name YQ==", "name Yg=="],
  ["Captured-At", "2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z"],
  ["Command-Id", "cmd_a", "cmd_b"],
  ["Mcp-Session-Id", "a", "b"],
  ["X-Mcp-Toolsets", "a", "b"],
  ["X-Forwarded-Host", "a.example", "b.example"],
  ["X-Forwarded-Proto", "http", "https"],
  ["User-Agent", "a", "b"],
];

test("[ONC1] a header that may come once and comes twice is a 400 that names it, for every path and for upgrades", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { trustedProxies: ["127.0.0.1"] });
  const { host } = new URL(api.service.url);
  const upgrade = ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="];
  const socket = "Sec-WebSocket-Protocol: signage.device.v1";
  const requests: [string, string[]][] = [
    ["GET /healthz HTTP/1.1", ["Connection: close"]],
    ["GET /nothing HTTP/1.1", ["Connection: close"]],
    ["GET /api/v1/players HTTP/1.1", ["Connection: close"]],
    ["POST /api/v1/session HTTP/1.1", ["Connection: close", "Content-Length: 0"]],
    ["POST /mcp HTTP/1.1", ["Connection: close", "Content-Length: 0"]],
    ["GET /api/v1/events HTTP/1.1", ["Connection: Upgrade", ...upgrade]],
    ["GET /api/v1/device/ws HTTP/1.1", ["Connection: Upgrade", ...upgrade, socket]],
  ];
  for (const [name, first, second] of twice) {
    const answers = requests.map(async ([line, more]) => {
      const own = name === "Host" ? [] : [`Host: ${host}`];
      const { status, body } = await answer(api.service.url, [
        line,
        ...own,
        ...more,
        `${name}: ${first}`,
        `${name.toLowerCase()}: ${second}`,
      ]);
      expect([line, name, status], body).toEqual([line, name, 400]);
      expect(Problem.parse(JSON.parse(body)).detail.toLowerCase()).toContain(name.toLowerCase());
    });
    await Promise.all(answers);
  }
  // These two Node's parser refuses, before there is a request.
  const length = await answer(api.service.url, ["POST /mcp HTTP/1.1", `Host: ${host}`, "Content-Length: 1", "Content-Length: 2"]);
  expect([length.status, length.body]).toEqual([400, expect.stringContaining("Content-Length")]);
  const both = await answer(api.service.url, ["POST /mcp HTTP/1.1", `Host: ${host}`, "Content-Length: 1", "Transfer-Encoding: chunked"]);
  expect([both.status, both.body]).toEqual([400, expect.stringContaining("Transfer-Encoding")]);
});

test("[ONC2] lists may come in several lines: the addresses of several proxies, ETags and codings", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { trustedProxies: ["127.0.0.1", "10.0.0.0/8"], limits: { address: 3 } });
  const { host } = new URL(api.service.url);
  const lists = [
    "Accept: text/html",
    "Accept: application/json",
    'If-None-Match: "a"',
    'If-None-Match: "b"',
    "Accept-Encoding: gzip",
    "Accept-Encoding: br",
  ];
  const ask = (from: readonly string[]) =>
    answer(api.service.url, [
      "GET /api/v1/sign-in HTTP/1.1",
      `Host: ${host}`,
      "Connection: close",
      ...lists,
      ...from.map((address) => `X-Forwarded-For: ${address}`),
    ]);
  const left = async (from: readonly string[]) => /^ratelimit: .*;r=(\d+)/im.exec((await ask(from)).head)?.[1];
  // The last address that is no trusted proxy counts: what a client sends itself comes before it.
  expect(await left(["203.0.113.1", "10.0.0.2"])).toBe("2");
  expect(await left(["198.51.100.7", "203.0.113.1", "10.0.0.3"])).toBe("1");
  expect(await left(["198.51.100.7"])).toBe("2");
});

test("[ONC3] every header that the code reads is known as one that may come once, or as a list", async () => {
  const lists = new Set([
    "accept",
    "accept-encoding",
    "content-digest",
    "forwarded",
    "if-none-match",
    "prefer",
    "sec-websocket-protocol",
    "via",
    "x-forwarded-for",
  ]);
  const read = new Set<string>();
  const files = globSync(["src/service/**/*.ts", "src/player/surface/*.ts", "src/player/web-items/*-server.ts", "src/host/proxy/*.ts"]);
  for (const file of files) {
    const text = await readFile(file, "utf8");
    const patterns = [
      /(?<!reply)\.?\bheader\("([a-z-]+)"\)/g,
      /(?<!response|upstream)\.?\bheaders\["([a-z-]+)"\]/g,
      /\brequest\.headers\.([a-z]+)/g,
    ];
    for (const pattern of patterns) for (const [, name] of text.matchAll(pattern)) read.add(name!);
  }
  expect(read.size).toBeGreaterThan(15);
  const answers = new Set(["etag", "last-modified", "retry-after"]);
  for (const name of read) expect(isSingular(name) || lists.has(name) || answers.has(name), name).toBe(true);
});
