// Imports from URLs: download, examination, errors, and no access to the service's own network.
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, test } from "vitest";
import { readServiceConfig } from "../../../../src/main/service.ts";
import { Asset } from "../../../../src/protocol/content/assets.ts";
import { createOutboundClients, outboundFailure } from "../../../../src/service/content/outbound-clients.ts";
import { isPublicAddress } from "../../../../src/base/http/ip-address.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { TestService, picture } from "../../harness.ts";

const loopback = { allowAddresses: ["127.0.0.1/32"] };

/** A server on a loopback address that plays a public server. */
async function outside(listener: RequestListener, host = "127.0.0.1"): Promise<AsyncDisposable & { url: string; port: number }> {
  const server: Server = createServer(listener).listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://${host}:${port}`, port, [Symbol.asyncDispose]: close };
}

async function imported(api: TestService, url: string, more: object = {}): Promise<Asset> {
  const answer = await api.call("POST", "assets/import", { url, ...more });
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  expect(answer.headers.get("location")).toBe(`${api.service.url}/api/v1/assets/${answer.body.id}`);
  const read = async () => (await api.call("GET", `assets/${answer.body.id}`)).body;
  await expect.poll(async () => (await read()).status).toMatch(/ready|failed/);
  return Asset.parse(await read());
}

test("[IMP1] an import is fetched in the background with its progress, and becomes an asset like an upload", async () => {
  await using folder = await temporaryFolder();
  const bytes = await picture("png", 256);
  const half = Math.floor(bytes.length / 2);
  const gate = Promise.withResolvers<void>();
  await using server = await outside(async (_request, response) => {
    response.writeHead(200, { "content-type": "image/png", "content-length": bytes.length });
    response.write(bytes.subarray(0, half));
    await gate.promise;
    response.end(bytes.subarray(half));
  });
  await using api = await TestService.start(folder.path, loopback);
  const created = await api.call("POST", "assets/import", { url: `${server.url}/a/Sommer%20fest.png?signature=s3cret`, tags: ["web"] });
  expect([created.status, created.body.status, created.body.name, created.body.sha256, created.body.url]).toEqual([
    202,
    "importing",
    "Sommer fest.png",
    null,
    null,
  ]);
  const path = `assets/${created.body.id}`;
  await expect.poll(async () => (await api.call("GET", path)).body.progress).toEqual({ received_bytes: half, total_bytes: bytes.length });
  expect((await api.call("GET", `${path}/content`)).status).toBe(404);
  const early = await api.call("POST", "playlists", { name: "P", items: [{ type: "image", asset_id: created.body.id }] });
  expect([early.status, early.body.detail]).toEqual([422, expect.stringContaining("import")]);
  gate.resolve();
  await expect.poll(async () => (await api.call("GET", path)).body.status).toBe("ready");
  const asset = Asset.parse((await api.call("GET", path)).body);
  expect(asset).toMatchObject({ kind: "image", width: 256, tags: ["web"], progress: null, error: null });
  expect((await api.call("GET", asset.url!)).body).toEqual(bytes);
});

test("[IMP2] an import that cannot be fetched or shown fails with a reason and leaves no files", async () => {
  await using folder = await temporaryFolder();
  const png = await picture("png", 128);
  await using server = await outside((request, response) => {
    if (request.url === "/missing") response.writeHead(404).end();
    else if (request.url === "/text") response.end("hello, this is text");
    else if (request.url === "/cut")
      response.writeHead(200, { "content-length": png.length }).write(png.subarray(0, 90), () => response.destroy());
    else if (request.url === "/long") response.writeHead(200, { "content-length": 50_000_000 }).end();
    else if (request.url === "/endless") void endless(response);
    else response.writeHead(200, { "content-encoding": "gzip" }).end(png);
  });
  await using api = await TestService.start(folder.path, { ...loopback, maxAssetBytes: 100_000 });
  await using closed = await outside(() => undefined);
  await closed[Symbol.asyncDispose]();
  const cases = [
    ["/missing", "bad-answer", /404/],
    ["/text", "bad-file", /JPEG/],
    ["/cut", "unreachable", /again/],
    ["/long", "too-large", /100000/],
    ["/endless", "too-large", /100000/],
    ["/packed", "bad-answer", /gzip/],
  ] as const;
  for (const [path, code, detail] of cases) {
    const { status, error, sha256 } = await imported(api, server.url + path);
    expect([path, status, error, sha256]).toEqual([path, "failed", { code, detail: expect.stringMatching(detail) }, null]);
  }
  expect((await imported(api, closed.url)).error?.code).toBe("unreachable");
  expect((await api.call("GET", "assets?status=failed")).body.data).toHaveLength(7);
  expect(await readdir(join(folder.path, "blobs/incoming"))).toEqual([]);
  for (const url of ["ftp://example.com/a", "file:///etc/passwd", "nonsense", "http://user:word@example.com/"]) {
    expect([url, (await api.call("POST", "assets/import", { url })).status]).toEqual([url, 422]);
  }
});

async function endless(response: Parameters<RequestListener>[1]): Promise<void> {
  const zeros = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(20_000);
    })(),
  );
  // The server hangs up on purpose.
  await pipeline(zeros, response).catch(() => undefined);
}

test("[IMP3] local, private, link-local, translated and reserved addresses and localhost are never contacted, however they are spelled", async () => {
  await using folder = await temporaryFolder();
  let calls = 0;
  await using server = await outside((_request, response) => void response.end(String((calls += 1))), "0.0.0.0");
  await using api = await TestService.start(folder.path);
  const { port } = server;
  const named = "127.0.0.1 127.1 0177.0.0.1 0x7f.1 2130706433 0x7f000001 127.0.0.1. 0.0.0.0 0 localhost LOCALHOST".split(" ");
  const six =
    "::1 :: ::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::7f00:1 2002:7f00:1:: fd00::1 fe80::1 ff02::1".split(" ");
  const others = "169.254.169.254 10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 224.0.0.1 255.255.255.255".split(" ");
  const hosts = [...named, ...six.map((address) => `[${address}]`), ...others];
  for (const host of hosts) {
    const { status, error } = await imported(api, `http://${host}:${port}/`);
    expect([host, status, error?.code]).toEqual([host, "failed", "address-refused"]);
    expect(error?.detail).toContain("--allow-address");
  }
  expect(calls).toBe(0);
  for (const address of ["8.8.8.8", "2606:4700::1111"]) expect(isPublicAddress(address)).toBe(true);
});

test("[IMP4] at most five redirects are followed, each checked like the first address", async () => {
  await using folder = await temporaryFolder();
  const bytes = await picture();
  let secrets = 0;
  await using inner = await outside((_request, response) => void response.end(String((secrets += 1))), "127.0.0.2");
  await using server = await outside((request, response) => {
    const left = /^\/(\d+)$/.exec(request.url!)?.[1];
    if (left === "0") response.end(bytes);
    else if (left !== undefined) response.writeHead(302, { location: `/${Number(left) - 1}` }).end();
    else response.writeHead(307, { location: request.url === "/inner" ? inner.url : "file:///etc/passwd" }).end();
  });
  await using api = await TestService.start(folder.path, loopback);
  expect((await imported(api, `${server.url}/5`)).status).toBe("ready");
  expect((await imported(api, `${server.url}/6`)).error).toEqual({
    code: "address-refused",
    detail: expect.stringContaining("more than 5"),
  });
  expect((await imported(api, `${server.url}/inner`)).error?.code).toBe("address-refused");
  expect((await imported(api, `${server.url}/file`)).error?.code).toBe("address-refused");
  expect(secrets).toBe(0);
});

test("[IMP5] the connection uses the checked address; a hostname is rejected if any of its addresses is forbidden", async () => {
  await using server = await outside((_request, response) => void response.end("here"));
  const answers = [[{ address: "127.0.0.1", family: 4 }], [{ address: "127.0.0.9", family: 4 }]];
  let requestCount = 0;
  await using egress = createOutboundClients(["127.0.0.1"], (_host, _options, done) =>
    done(null, answers[Math.min(requestCount++, 1)]!),
  ).imports;
  const signal = AbortSignal.timeout(10_000);
  const { body, status } = await egress.request(`http://rebinding.example:${server.port}/`, { signal });
  expect([status, await body.toArray().then((parts) => Buffer.concat(parts).toString()), requestCount]).toEqual([200, "here", 1]);
  const mixed = [
    { address: "127.0.0.1", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ];
  await using other = createOutboundClients(["127.0.0.1"], (_host, _options, done) => done(null, mixed)).imports;
  await expect(other.request(`http://mixed.example:${server.port}/`, { signal })).rejects.toThrow("not a public address");
});

test("[IMP6] an interrupted import restarts at the next start; deleting the asset ends its import", async () => {
  await using folder = await temporaryFolder();
  const bytes = await picture();
  let isOpen = false;
  let gone = 0;
  await using server = await outside((_request, response) => {
    response.on("close", () => (gone += response.writableFinished ? 0 : 1));
    response.writeHead(200, { "content-length": bytes.length }).write(bytes.subarray(0, 20));
    if (isOpen) response.end(bytes.subarray(20));
  });
  const first = await TestService.start(folder.path, loopback);
  const started = async (api: TestService) => {
    const { id } = (await api.call("POST", "assets/import", { url: server.url })).body;
    await expect.poll(async () => (await api.call("GET", `assets/${id}`)).body.progress.received_bytes).toBe(20);
    return id as string;
  };
  const dropped = await started(first);
  expect((await first.call("DELETE", `assets/${dropped}?permanent=true`)).status).toBe(204);
  await expect.poll(() => gone).toBe(1);
  const id = await started(first);
  await first[Symbol.asyncDispose]();
  expect(await readdir(join(folder.path, "blobs/incoming"))).toEqual([]);
  isOpen = true;
  await using second = await TestService.start(folder.path, loopback);
  await expect.poll(async () => (await second.call("GET", `assets/${id}`)).body.status).toBe("ready");
  expect((await second.call("GET", "assets")).body.data).toHaveLength(1);
});

test("[IMP7] --allow-address accepts only addresses and blocks", async () => {
  const read = (value: string) => readServiceConfig(["--data", "/tmp/x", "--allow-address", value]).allowAddresses;
  expect(read("127.0.0.1, 10.1.0.0/16,fd00::/8")).toEqual(["127.0.0.1", "10.1.0.0/16", "fd00::/8"]);
  expect(readServiceConfig(["--data", "/tmp/x"]).allowAddresses).toEqual([]);
  for (const wrong of ["", "example.com", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8"]) expect(() => read(wrong)).toThrow("--allow-address");
  await using egress = createOutboundClients(["10.1.0.0/16"]).imports;
  await expect(egress.request("http://10.2.0.1/", { signal: AbortSignal.timeout(5_000) })).rejects.toThrow("--allow-address 10.2.0.1");
});

test("[IMP8] responses and logs show an import's URL without its query", async () => {
  await using folder = await temporaryFolder();
  await using server = await outside((_request, response) => void response.writeHead(500).end());
  await using api = await TestService.start(folder.path, loopback);
  const asset = await imported(api, `${server.url}/a.png?signature=s3cret`);
  expect(asset.source_url).toBe(`${server.url}/a.png`);
  expect(JSON.stringify(asset)).not.toContain("s3cret");
});

test("[IMP9] no import, redirect or delivery reveals whether an internal hostname exists, or its address", async () => {
  await using folder = await temporaryFolder();
  await using server = await outside((request, response) => {
    const to = decodeURIComponent(request.url!.slice(1));
    response.writeHead(307, { location: to }).end();
  }, "127.0.0.5");
  await using api = await TestService.start(folder.path, { allowAddresses: ["127.0.0.5"] });
  const [inner, none] = ["localhost", "no-such-name.invalid"];
  const importError = async (url: string) => (await imported(api, url)).error;
  const error = (host: string) => ({
    code: "address-refused",
    detail: expect.stringMatching(new RegExp(`^${host} is not a public address, or the name does not exist`)),
  });
  const [first, second] = [await importError(`http://${inner}/`), await importError(`http://${none}/`)];
  expect([first, second]).toEqual([error(inner), error(none)]);
  expect(first!.detail.replaceAll(inner, none)).toBe(second!.detail);
  // A redirect comes from a foreign server, so its target is not revealed either.
  const targets = [`http://${inner}/`, `http://${none}/`, "http://127.0.0.2/", "http://[::1]/", "ftp://10.0.0.1/"];
  const redirected = [];
  for (const target of targets) redirected.push(await importError(`${server.url}/${encodeURIComponent(target)}`));
  expect(new Set(redirected.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(JSON.stringify([first, second, redirected])).not.toMatch(/127\.0\.0\.2|::1|10\.0\.0\.1/);

  const deliveries = [];
  for (const host of [inner, none]) {
    const webhook = (await api.call("POST", "webhooks", { name: host, url: `https://${host}/`, events: ["*"] })).body;
    const { id } = (await api.call("POST", `webhooks/${webhook.id}/test`)).body;
    const read = async () => (await api.call("GET", `webhooks/${webhook.id}/deliveries/${id}`)).body;
    await expect.poll(async () => (await read()).attempts).toBe(1);
    const { last_error, log } = await read();
    deliveries.push([last_error, log[0].error].map((text: string) => text.replaceAll(host, none)));
  }
  expect(deliveries[0]).toEqual(deliveries[1]);
});

test("[IMP9] connection errors do not reveal the address of a hostname", async () => {
  const signal = AbortSignal.timeout(10_000);
  const notFound = Object.assign(new Error("getaddrinfo ENOTFOUND intern"), { code: "ENOTFOUND" });
  await using closed = await outside(() => undefined);
  await closed[Symbol.asyncDispose]();
  const message = async (allowed: string[], found: Error | string[], port = 80) => {
    const addresses = Array.isArray(found) ? found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })) : [];
    await using egress = createOutboundClients(allowed, (_host, _options, done) =>
      done(found instanceof Error ? found : null, addresses),
    ).imports;
    const error: unknown = await egress.request(`http://intern.example:${port}/`, { signal }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return outboundFailure(error);
  };
  const refused = await message([], notFound);
  for (const found of [["10.1.2.3"], ["fd00::7"], ["8.8.8.8", "10.1.2.3"], []]) expect(await message([], found)).toBe(refused);
  expect(await message(["127.0.0.0/8"], ["127.0.0.3"], closed.port)).toMatch(/ECONNREFUSED/);
  expect(await message(["127.0.0.0/8"], ["127.0.0.3"], closed.port)).not.toContain("127.0.0.3");
});
