// Files that screens cannot show: pictures are converted, documents are rejected with advice.
import { createHash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { heicOf } from "../../support/media/heic.ts";
import { zipOf } from "../../support/media/zip.ts";
import { eventually } from "../../support/polling.ts";
import { TestService, type ApiResponse } from "../harness.ts";

const left = { r: 200, g: 50, b: 50 };
const right = { r: 30, g: 60, b: 200 };
const [width, height] = [64, 48];

/** A picture whose left half is red and whose right half is blue. */
function halves(): Sharp {
  const half = { create: { width: width / 2, height, channels: 3 as const, background: right } };
  return sharp({ create: { width, height, channels: 3, background: left } }).composite([{ input: half, left: width / 2, top: 0 }]);
}

/** The colour of a pixel of an asset's content. */
async function colorAt(api: TestService, asset: { id: string }, x: number, y: number): Promise<number[]> {
  const content = await api.call("GET", `assets/${asset.id}/content`);
  const { data, info } = await sharp(content.body).raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

const close = (color: { r: number; g: number; b: number }) =>
  [color.r, color.g, color.b].map((value) => expect.toSatisfy((seen: number) => Math.abs(seen - value) <= 8, `about ${value}`));

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Uploads `bytes` and checks that the asset is a converted file with `bytes` as its original. */
async function converted(api: TestService, bytes: Buffer, original: string, mime = "image/jpeg"): Promise<ApiResponse["body"]> {
  const response = await api.upload(bytes, original);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  const { body } = response;
  expect(body).toMatchObject({
    kind: "image",
    mime_type: mime,
    original: { mime_type: original, sha256: sha256(bytes), size_bytes: bytes.length },
  });
  const [content, sent] = [await api.call("GET", `assets/${body.id}/content`), await api.call("GET", body.original.url)];
  expect([content.headers.get("content-type"), sha256(content.body)]).toEqual([mime, body.sha256]);
  expect([sent.headers.get("content-type"), sha256(sent.body)]).toEqual([original, sha256(bytes)]);
  return body;
}

test("[MFO1] HEIC is converted to an upright JPEG in sRGB, which also gives the thumbnail", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(join(folder.path, "service"));
  const png = join(folder.path, "halves.png");
  await writeFile(png, await halves().png().toBuffer());
  const heic = await heicOf(png, { width, height, turns: 1 });
  const asset = await converted(api, heic, "image/heic");
  expect(asset).toMatchObject({ width: height, height: width });
  // Turned 90° anticlockwise: the right half is on top.
  expect(await colorAt(api, asset, 24, 5)).toEqual(close(right));
  expect(await colorAt(api, asset, 24, 58)).toEqual(close(left));
  await eventually(async () => (await api.call("GET", `assets/${asset.id}`)).body.thumbnail_url !== null);
  const profile = (await sharp(await halves().withIccProfile("p3").png().toBuffer()).metadata()).icc!;
  const wide = await converted(api, await heicOf(png, { width, height, profile }), "image/heic");
  // The same values are a stronger red in Display P3.
  const [red, green] = await colorAt(api, wide, 5, 24);
  expect(red).toBeGreaterThan(left.r + 8);
  expect(green).toBeLessThan(left.g - 8);
  expect(await api.upload(heic.subarray(0, heic.length - 200), "image/heic")).toMatchObject({
    status: 422,
    body: { detail: expect.stringMatching(/HEIC picture cannot be decoded.*as JPEG/) },
  });
});

test("[MFO2] TIFF and BMP are converted to JPEG, or to PNG if they are transparent, with the EXIF rotation applied", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const turned = await converted(api, await halves().withMetadata({ orientation: 6 }).tiff().toBuffer(), "image/tiff");
  expect(turned).toMatchObject({ width: height, height: width });
  // Turned 90° clockwise: the left half is on top.
  expect(await colorAt(api, turned, 24, 5)).toEqual(close(left));
  const glass = { r: 0, g: 200, b: 0, alpha: 0.5 };
  const clear = await sharp({ create: { width, height, channels: 4, background: glass } })
    .tiff({ compression: "deflate" })
    .toBuffer();
  expect((await colorAt(api, await converted(api, clear, "image/tiff", "image/png"), 5, 5)).at(-1)).toBe(128);
  for (const bits of [8, 24, 32] as const) {
    const asset = await converted(api, bmpOf(bits), "image/bmp", bits === 32 ? "image/png" : "image/jpeg");
    expect(asset).toMatchObject({ width: 3, height: 2 });
    expect((await colorAt(api, asset, 0, 1)).slice(0, 3)).toEqual(close(left));
    expect((await colorAt(api, asset, 0, 0)).slice(0, 3)).toEqual(close(right));
  }
  expect((await api.upload(bmpOf(24).subarray(0, 60), "image/bmp")).status).toBe(422);
});

test("[MFO3] the original of a converted file can be downloaded, found by its hash and reused, and is deleted with its asset", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const bytes = bmpOf(24);
  const asset = await converted(api, bytes, "image/bmp");
  expect((await api.call("GET", `assets?sha256=${sha256(bytes)}`)).body.data).toMatchObject([{ id: asset.id }]);
  const again = await api.call("POST", "assets?duplicate=reuse", bytes, { "content-type": "image/bmp" });
  expect([again.status, again.body.id]).toEqual([200, asset.id]);
  const files = async (): Promise<string[]> =>
    (await readdir(join(folder.path, "blobs"), { recursive: true })).filter((name) => /[0-9a-f]{64}$|incoming\/./.test(name));
  await eventually(async () => (await api.call("GET", `assets/${asset.id}`)).body.thumbnail_url !== null);
  expect((await files()).length).toBe(3);
  expect((await api.call("DELETE", `assets/${asset.id}?permanent=true`)).status).toBe(204);
  await eventually(async () => (await files()).length === 0);
  const plain = await api.upload(await halves().png().toBuffer());
  expect(plain.body.original).toBe(null);
  expect((await api.call("GET", `assets/${plain.body.id}/original`)).status).toBe(404);
});

test("[MFO4] presentations and text documents are rejected with the advice to export them as PDF", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const types = (part: string, type: string): Buffer =>
    Buffer.from(
      `<?xml version="1.0"?><Types><Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    );
  const openDocument = "application/vnd.oasis.opendocument.presentation";
  const files: [string, Buffer][] = [
    ["pptx", zipOf([{ name: "[Content_Types].xml", bytes: types("/ppt/presentation.xml", "presentationml.presentation") }])],
    ["docx", zipOf([{ name: "[Content_Types].xml", bytes: types("/word/document.xml", "wordprocessingml.document") }])],
    [
      "odp",
      zipOf([
        { name: "mimetype", bytes: Buffer.from(openDocument) },
        { name: "content.xml", bytes: Buffer.from("<x/>") },
      ]),
    ],
    ["key", zipOf([{ name: "Index/Document.iwa", bytes: Buffer.from("x") }])],
    ["ppt", Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(600)])],
  ];
  for (const [ending, bytes] of files) {
    const response = await api.upload(bytes);
    expect([ending, response.status, response.body.detail]).toEqual([ending, 422, expect.stringMatching(/export it as PDF/)]);
  }
});

/** A bitmap of 3 × 2 pixels: the upper row is blue, the lower red. With 32 bits it is half transparent, with 8 bits it has a palette. */
function bmpOf(bits: 8 | 24 | 32): Buffer {
  const colors = [left, right];
  const palette = Buffer.concat(colors.map(({ r, g, b }) => Buffer.from([b, g, r, 0])));
  // The bottom row first; each row is padded to 4 bytes.
  const rows = colors.map(({ r, g, b }, index) => {
    const pixel = bits === 8 ? [index] : bits === 24 ? [b, g, r] : [b, g, r, 128];
    const row = Buffer.from([pixel, pixel, pixel].flat());
    return Buffer.concat([row, Buffer.alloc((4 - (row.length % 4)) % 4)]);
  });
  // BITMAPV4HEADER if there are masks.
  const header = Buffer.alloc(bits === 32 ? 108 : 40);
  header.writeUInt32LE(header.length, 0);
  header.writeInt32LE(3, 4);
  header.writeInt32LE(2, 8);
  header.writeUInt16LE(1, 12);
  header.writeUInt16LE(bits, 14);
  if (bits === 8) header.writeUInt32LE(2, 32);
  if (bits === 32) {
    header.writeUInt32LE(3, 16);
    for (const [index, mask] of [0xff0000, 0xff00, 0xff, 0xff000000].entries()) header.writeUInt32LE(mask, 40 + 4 * index);
  }
  const body = Buffer.concat([header, ...(bits === 8 ? [palette] : []), ...rows]);
  const head = Buffer.alloc(14);
  head.write("BM");
  head.writeUInt32LE(14 + body.length, 2);
  head.writeUInt32LE(14 + header.length + (bits === 8 ? palette.length : 0), 10);
  return Buffer.concat([head, body]);
}
