// Downloads that the service redirects to signed links of the stand-in for S3.
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createClient } from "../../../../sdk/typescript/client.ts";
import { createSystemClock } from "../../../../src/base/clock.ts";
import { S3Blobs } from "../../../../src/service/content/blobs/s3/s3-blobs.ts";
import { BlobMarks } from "../../../../src/service/content/blobs/blob-marks.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { startS3Server, type S3Server } from "../../../support/s3/server.ts";
import { picture, TestService } from "../../harness.ts";
import { openS3, s3Config } from "./stores.ts";

interface LinkedService extends AsyncDisposable {
  api: TestService;
  s3: S3Server;
  /** A request whose redirect is not followed. */
  get: (path: string, headers?: Record<string, string>, method?: string, token?: string) => Promise<Response>;
}

/** A service whose downloads are redirected, and the bucket's server, whose clock `now` is. */
async function startLinked(now: () => number = Date.now): Promise<LinkedService> {
  await using owned = new AsyncDisposableStack();
  const folder = owned.use(await temporaryFolder());
  const s3 = owned.use(await startS3Server(join(folder.path, "bucket"), { now }));
  const data = join(folder.path, "data");
  await mkdir(data);
  const consoleFolder = join(folder.path, "console");
  await mkdir(join(consoleFolder, "assets"), { recursive: true });
  await writeFile(join(consoleFolder, "index.html"), "<head></head>");
  const api = owned.use(await TestService.start(data, { consoleFolder, s3: s3Config(s3.url, { links: { cdn: null } }) }));
  const moved = owned.move();
  return {
    api,
    s3,
    get: (path, headers = {}, method = "GET", token = api.token) =>
      fetch(new URL(path, api.service.url), { method, redirect: "manual", headers: { authorization: `Bearer ${token}`, ...headers } }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

test("[BLS6] with --s3-redirect, assets, thumbnails and screenshots are redirected to a link that needs no token and ends after minutes", async () => {
  let lateMs = 0;
  await using service = await startLinked(() => Date.now() + lateMs);
  const { api, get } = service;
  const device = await api.pairDevice();
  const png = await picture("png", 300);
  const asset = (await api.upload(png, "image/png", "Größe “1”")).body;
  const shot = await picture("png", 80);
  const id = "shot_01jd3v8q6m9x2k4n7r5t1w0yzh";
  expect((await device.putScreenshot(id, shot)).status).toBeLessThan(300);
  await expect.poll(async () => (await api.call("GET", `assets/${asset.id}`)).body.thumbnail_url).not.toBeNull();
  for (const [path, type] of [
    [`/api/v1/assets/${asset.id}/content`, "image/png"],
    [`/api/v1/assets/${asset.id}/thumbnail`, "image/webp"],
    [`/api/v1/screenshots/${id}/image`, "image/png"],
  ] as const) {
    const redirect = await get(path);
    expect([path, redirect.status, redirect.headers.get("cache-control")]).toEqual([path, 307, "private, no-store"]);
    expect(redirect.headers.get("etag")).toBeNull();
    const link = redirect.headers.get("location")!;
    expect(new URL(link).origin).toBe(service.s3.url);
    const file = await fetch(link, { headers: { range: "bytes=0-9" } });
    expect([file.status, file.headers.get("content-type")]).toEqual([206, type]);
    expect(file.headers.get("content-disposition")).toMatch(/^inline/);
    expect(file.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    await file.body?.cancel();
  }
  const path = `/api/v1/assets/${asset.id}/content`;
  // What is cached stays so, and HEAD has no bytes.
  expect((await get(path, { "if-none-match": `"${asset.sha256}"` })).status).toBe(304);
  const head = await get(path, {}, "HEAD");
  expect([head.status, head.headers.get("content-length")]).toEqual([200, String(png.length)]);
  const link = (await get(path)).headers.get("location")!;
  // The same within minutes, for the browser's cache.
  expect([link, (await get(path)).headers.get("location")]).toContain(link);
  expect(await bytesOf(await fetch(link))).toEqual(png);
  const disposition = (await fetch(link, { headers: { range: "bytes=0-0" } })).headers.get("content-disposition");
  expect(disposition).toContain("filename*=UTF-8''Gr%C3%B6%C3%9Fe");
  // No other object, no other type, and not for long.
  expect((await fetch(link.replace(asset.sha256, "0".repeat(64)))).status).toBe(403);
  expect((await fetch(link.replace("image%2Fpng", "text%2Fhtml"))).status).toBe(403);
  lateMs = 601_000;
  expect((await fetch(link)).status).toBe(403);
});

test("[BLS7] files that a browser could run, and devices that do not say that they follow redirects, get the bytes of the service", async () => {
  await using service = await startLinked();
  const { api, get } = service;
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="50" height="50" fill="red"/></svg>',
  );
  const drawing = (await api.upload(svg, "image/svg+xml", "drawing")).body;
  const response = await get(`/api/v1/assets/${drawing.id}/content`);
  expect([response.status, response.headers.get("content-security-policy"), response.headers.get("x-content-type-options")]).toEqual([
    200,
    "sandbox; default-src 'none'",
    "nosniff",
  ]);
  expect(response.headers.get("content-disposition")).toMatch(/^attachment/);
  expect(await bytesOf(response)).toEqual(svg);
  const device = await api.pairDevice();
  const { asset } = await api.showPicture(device);
  const path = `/api/v1/device/assets/${asset.sha256}`;
  const plain = await get(path, {}, "GET", device.access.access_token);
  expect([plain.status, plain.headers.get("vary")]).toEqual([200, "Prefer"]);
  expect(
    createHash("sha256")
      .update(await bytesOf(plain))
      .digest("hex"),
  ).toBe(asset.sha256);
  expect((await get(path, { prefer: "wait=3, redirect" }, "GET", device.access.access_token)).status).toBe(307);
});

test("[BLS11] the console's policy allows pictures, video and audio from the origin of the links, and nothing else", async () => {
  await using service = await startLinked();
  const policy = (await service.get("/", { accept: "text/html" })).headers.get("content-security-policy")!;
  const sources = new Map(policy.split("; ").map((directive) => [directive.split(" ")[0], directive]));
  const allowing = [...sources].filter(([, directive]) => directive.includes(service.s3.url)).map(([name]) => name);
  expect(allowing).toEqual(["img-src", "media-src"]);
});

test("[BLS6] the SDK follows a redirect, and its token does not reach the bucket", async () => {
  await using service = await startLinked();
  const { api, s3 } = service;
  const png = await picture("png", 120);
  const { id } = (await api.upload(png, "image/png")).body;
  const client = createClient({ baseUrl: api.service.url, token: api.token });
  const before = s3.requests.length;
  const { data } = await client.download("/api/v1/assets/{id}/content", { params: { path: { id } } });
  expect(Buffer.from(data)).toEqual(png);
  const asked = s3.requests.slice(before).filter(({ method, url }) => method === "GET" && url.includes("X-Amz-Signature"));
  expect(asked.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test("[BLS8] with --blobs-url links lead to that origin with the bucket's signature, and signing them connects to nothing", async () => {
  await using opened = await openS3();
  const { marks, store } = opened;
  await using folder = await temporaryFolder();
  const clock = createSystemClock();
  // Nothing listens there.
  const amazon = { endpoint: null, region: "eu-central-1", isPathStyle: false };
  for (const [cdn, origin] of [
    ["https://cdn.example.com", "https://cdn.example.com"],
    [null, "https://signage.s3.eu-central-1.amazonaws.com"],
  ] as const) {
    const config = s3Config("", { ...amazon, links: { cdn } });
    await using blobs = await S3Blobs.open(folder.path, config, { marks: new BlobMarks(store, clock), clock });
    expect(blobs.linkOrigin).toBe(origin);
    const link = await blobs.link(
      { sha256: "a".repeat(64), sizeBytes: 1 },
      { type: "image/png", disposition: "inline", cacheControl: "private" },
    );
    expect(link).toMatch(new RegExp(`^${origin}/fleet/blobs/aa/a{64}\\?.*X-Amz-SignedHeaders=host`));
  }
  // A blob that is not referenced any more stays longer than a link to it.
  expect(marks.graceMs).toBeGreaterThan(600_000);
  expect(opened.blobs.linkOrigin).toBeNull();
});
