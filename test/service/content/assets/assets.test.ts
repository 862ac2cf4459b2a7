// Plain uploads: validation by the bytes, storage, and download.
import { createHash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Asset } from "../../../../src/protocol/content/assets.ts";
import { numberedVideo } from "../../../support/media/media.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { TestService, call, picture } from "../../harness.ts";
import { useService } from "../../shared-service.ts";

const shared = useService();

test("[AST1] pictures of every allowed format are accepted and measured, even with a wrong name or a generic Content-Type", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  for (const format of ["png", "jpeg", "webp", "avif", "gif"] as const) {
    const bytes = await picture(format);
    const response = await api.upload(bytes, "application/octet-stream", `../../etc/${format}`);
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const about = { mime_type: `image/${format}`, width: 64, height: 64, duration_ms: null, size_bytes: bytes.length, sha256 };
    expect(Asset.parse(response.body)).toMatchObject({ ...about, name: `../../etc/${format}` });
  }
  expect((await readdir(folder.path)).toSorted()).not.toContain("etc");
  const withoutType = await fetch(`${api.service.url}/api/v1/assets`, {
    method: "POST",
    headers: { authorization: `Bearer ${api.token}` },
    body: new Uint8Array(await picture()),
  });
  expect(withoutType.status).toBe(201);
});

test("[AST1] a video is accepted with its size and length", async () => {
  const api = await shared.newTeam();
  const response = await api.upload(await numberedVideo(1), "video/mp4");
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  expect(response.body).toMatchObject({ mime_type: "video/mp4", width: 640, height: 360 });
  expect(response.body.duration_ms).toBeGreaterThan(950);
  expect(response.body.duration_ms).toBeLessThan(1_050);
});

test("[AST2] mislabelled, empty, truncated and unknown files are rejected with 422 and advice, and leave no files", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const png = await picture();
  const video = await numberedVideo(1);
  const cases: [string, Buffer, string, RegExp][] = [
    ["mislabelled", png, "image/jpeg", /image\/png, but Content-Type says image\/jpeg/],
    ["a video labelled as a picture", video, "image/png", /video\/mp4/],
    ["empty", Buffer.alloc(0), "image/png", /empty/],
    ["truncated PNG", png.subarray(0, png.length / 2), "image/png", /cannot be decoded/],
    ["truncated JPEG", (await picture("jpeg", 256)).subarray(0, 4_000), "image/jpeg", /cannot be decoded/],
    ["truncated GIF", (await picture("gif", 256)).subarray(0, 4_000), "image/gif", /cannot be decoded/],
    ["truncated WebP", (await picture("webp", 256)).subarray(0, 4_000), "image/webp", /cannot be decoded/],
    ["truncated video", video.subarray(0, video.length / 2), "video/mp4", /cannot be read/],
    ["video cut at the very end", video.subarray(0, -200), "video/mp4", /cannot be read/],
    ["text", Buffer.from("hello, this is text"), "text/plain", /JPEG, PNG/],
    ["text labelled as a picture", Buffer.from("hello, this is text"), "image/png", /JPEG, PNG/],
    ["a page", Buffer.from("<!doctype html><p>Hello"), "text/html", /index\.html.*zip/],
    ["a truncated PDF", Buffer.from("%PDF-1.7\n%âãÏÓ\n1 0 obj\n"), "application/pdf", /cannot be read/],
  ];
  for (const [name, bytes, type, detail] of cases) {
    const response = await api.upload(bytes, type);
    expect([name, response.status]).toEqual([name, 422]);
    expect(response.body.detail, name).toMatch(detail);
  }
  expect((await api.call("GET", "assets")).body.data).toEqual([]);
  expect(await readdir(join(folder.path, "blobs"))).toEqual(["incoming"]);
  expect(await readdir(join(folder.path, "blobs/incoming"))).toEqual([]);
});

test("[AST3] a body above the limit is rejected with 413, with or without Content-Length", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { maxAssetBytes: 10_000 });
  const large = Buffer.alloc(10_001);
  expect((await api.upload(large)).status).toBe(413);
  const chunked = await fetch(`${api.service.url}/api/v1/assets`, {
    method: "POST",
    headers: { authorization: `Bearer ${api.token}`, "content-type": "image/png" },
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(large);
        controller.close();
      },
    }),
    duplex: "half",
  } as RequestInit);
  expect(chunked.status).toBe(413);
  const json = await api.call("POST", "playlists", `{"name":"${"x".repeat(1_100_000)}"}`, { "content-type": "application/json" });
  expect([json.status, json.body.type]).toEqual([413, "/problems/too-large"]);
  expect(await readdir(join(folder.path, "blobs/incoming"))).toEqual([]);
});

test("[AST4] equal bytes are stored once and stay until the last asset with them is permanently deleted", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const bytes = await picture();
  const [one, two] = [(await api.upload(bytes)).body, (await api.upload(bytes)).body];
  expect(one.id).not.toBe(two.id);
  const stored = () => readdir(join(folder.path, "blobs", one.sha256.slice(0, 2)));
  expect(await stored()).toContain(one.sha256);
  await api.call("DELETE", `assets/${one.id}?permanent=true`);
  expect((await api.call("GET", `assets/${two.id}/content`)).body).toEqual(bytes);
  await api.call("DELETE", `assets/${two.id}?permanent=true`);
  expect(await stored()).not.toContain(one.sha256);
});

test("[AST5] content is served in full, by range, or as 304, with a strong ETag", async () => {
  const api = await shared.newTeam();
  const bytes = await picture();
  const { id, url, sha256, mime_type } = (await api.upload(bytes)).body;
  const get = (headers = {}) => api.call("GET", url, undefined, headers);
  const whole = await get();
  expect([whole.status, whole.body]).toEqual([200, bytes]);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    etag: `"${sha256}"`,
    "content-type": mime_type,
    "cache-control": "private, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "accept-ranges": "bytes",
    "content-length": String(bytes.length),
  });
  const part = await get({ range: "bytes=10-19" });
  expect([part.status, part.body]).toEqual([206, bytes.subarray(10, 20)]);
  expect(part.headers.get("content-range")).toBe(`bytes 10-19/${bytes.length}`);
  expect((await get({ range: "bytes=-5" })).body).toEqual(bytes.subarray(-5));
  expect((await get({ range: `bytes=${bytes.length - 3}-` })).body).toEqual(bytes.subarray(-3));
  expect((await get({ range: "bytes=0-99999999" })).status).toBe(206);
  const outside = await get({ range: `bytes=${bytes.length}-` });
  expect([outside.status, outside.headers.get("content-range")]).toEqual([416, `bytes */${bytes.length}`]);
  expect((await get({ range: "bytes=0-9", "if-range": '"other"' })).status).toBe(200);
  expect((await get({ range: "bytes=0-9", "if-range": `"${sha256}"` })).status).toBe(206);
  expect((await get({ "if-none-match": `"${sha256}"` })).status).toBe(304);
  const head = await api.call("HEAD", url);
  expect([head.status, head.headers.get("content-length"), head.body.length]).toEqual([200, String(bytes.length), 0]);
  expect((await call(api.service.url, "GET", url)).status).toBe(401);
  expect((await api.call("GET", `assets/${id}`)).body.url).toBe(url);
});

test("[AST6] an asset in use cannot be deleted; the error names the playlists", async () => {
  const api = await shared.newTeam();
  const { id } = (await api.upload(await picture())).body;
  const { id: playlist } = (await api.call("POST", "playlists", { name: "Lunch", items: [{ type: "image", asset_id: id }] })).body;
  const refused = await api.call("DELETE", `assets/${id}`);
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("“Lunch”")]);
  expect((await api.call("DELETE", `playlists/${playlist}`)).status).toBe(204);
  expect((await api.call("DELETE", `assets/${id}`)).status).toBe(204);
  expect((await api.call("GET", `assets/${id}`)).body.deleted_at).not.toBeNull();
});

test("[AST7] a device can download its own team's files, also by range", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { asset } = await api.showPicture(device);
  const state = (await device.call("GET", "state")).body;
  expect(state.assets[0].url).toBe(`/api/v1/device/assets/${asset.sha256}`);
  const bytes = (await device.call("GET", `assets/${asset.sha256}`)).body;
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(asset.sha256);
  expect((await device.call("GET", `assets/${asset.sha256}`, undefined, { range: "bytes=5-" })).body).toEqual(bytes.subarray(5));
  expect((await device.call("GET", `assets/${"0".repeat(64)}`)).status).toBe(404);
});

test("[AST8] the next start deletes partly received uploads", async () => {
  await using folder = await temporaryFolder();
  await using first = await TestService.start(folder.path);
  await first[Symbol.asyncDispose]();
  await writeFile(join(folder.path, "blobs/incoming/half"), "half");
  await using _second = await TestService.start(folder.path);
  expect(await readdir(join(folder.path, "blobs/incoming"))).toEqual([]);
});
