// The kinds of assets: which SVG, audio, document, bundle and video files are accepted.
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import { Asset } from "../../../src/protocol/content/assets.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { pngBomb } from "../../support/media/hostile-media.ts";
import { createWithFfmpeg, numberedVideo, pdfOf } from "../../support/media/media.ts";
import { TestService } from "../harness.ts";
import { drawings, goodBundle, hostileBundles, hostileDrawings, svg, type RejectedFile } from "./drawings-and-bundles.ts";

const video = (codec: readonly string[], ending = "mp4", input = "testsrc=size=320x180:rate=30") =>
  createWithFfmpeg(["-f", "lavfi", "-i", input, "-t", "1", ...codec], ending);

/** Uploads each file and expects an error with a reason, and no stored file. */
async function expectRejected(folder: string, cases: readonly RejectedFile[]): Promise<void> {
  await using api = await TestService.start(folder);
  for (const [name, bytes, detail] of cases) {
    const response = await api.upload(bytes);
    expect([name, response.status, response.body.detail]).toEqual([name, 422, expect.stringMatching(detail)]);
  }
  expect((await api.call("GET", "assets")).body.data).toEqual([]);
  expect(await readdir(join(folder, "blobs"))).toEqual(["incoming"]);
  expect(await readdir(join(folder, "blobs/incoming"))).toEqual([]);
}

test("[AST9] an SVG that only draws is accepted with its size", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  for (const bytes of await drawings()) {
    const response = await api.upload(bytes, "image/svg+xml");
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    expect(Asset.parse(response.body)).toMatchObject({ kind: "image", mime_type: "image/svg+xml", width: 120, height: 80 });
  }
});

test("[AST10] an SVG with script, event handlers, foreign content, entities or external resources is rejected, and the error names the part", async () => {
  await using folder = await temporaryFolder();
  await expectRejected(folder.path, hostileDrawings);
});

test("[AST11] a PDF is accepted with its page count; a broken, password-protected or overlong one is rejected", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "a"));
  await using api = await TestService.start(join(folder.path, "a"));
  for (const pages of [1, 1_000]) {
    const response = await api.upload(pdfOf(pages), "application/pdf");
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    expect(response.body).toMatchObject({
      kind: "document",
      mime_type: "application/pdf",
      page_count: pages,
      status: "ready",
      thumbnail_url: null,
    });
  }
  const locked = Buffer.from(
    pdfOf(1)
      .toString()
      .replace(
        "/Root 1 0 R",
        `/Root 1 0 R /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"ab".repeat(32)}> /U <${"cd".repeat(32)}> >>`,
      ),
  );
  await mkdir(join(folder.path, "b"));
  await expectRejected(join(folder.path, "b"), [
    ["truncated", pdfOf(50).subarray(0, 300), /cannot be read/],
    ["password", locked, /password/],
    ["too many pages", pdfOf(5_001), /5001 pages/],
    ["no catalog", Buffer.from("%PDF-1.7\nhello\n%%EOF\n"), /cannot be read/],
  ]);
});

test("[AST12] an audio file is accepted with its length and codec", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const sound = (codec: string, ending: string) => createWithFfmpeg(["-f", "lavfi", "-i", "sine=duration=2", "-c:a", codec], ending);
  const cases = [
    ["libmp3lame", "mp3", "audio/mpeg", "mp3"],
    ["aac", "aac", "audio/aac", "aac"],
    ["aac", "m4a", "audio/mp4", "aac"],
    ["libopus", "ogg", "audio/ogg", "opus"],
    ["libvorbis", "ogg", "audio/ogg", "vorbis"],
    ["pcm_s16le", "wav", "audio/wav", "pcm-s16"],
    ["flac", "flac", "audio/flac", "flac"],
  ] as const;
  for (const [encoder, ending, type, codec] of cases) {
    const bytes = await sound(encoder, ending);
    const response = await api.upload(bytes, type);
    expect(response.status, JSON.stringify([encoder, response.body])).toBe(201);
    expect(response.body).toMatchObject({ kind: "audio", mime_type: type, codec, width: null, status: "ready" });
    expect(Math.abs(response.body.duration_ms - 2_000), encoder).toBeLessThan(150);
  }
  expect((await api.upload((await sound("aac", "m4a")).subarray(0, 4_000), "audio/mp4")).status).toBe(422);
});

test("[AST13] a video that Chromium cannot play on every host is rejected with its codec and the remedy", async () => {
  await using folder = await temporaryFolder();
  await expectRejected(folder.path, [
    [
      "HEVC",
      await video(["-c:v", "libx265", "-x265-params", "log-level=error", "-tag:v", "hvc1"]),
      /HEVC \(H\.265\).*convert it to H\.264, VP9 or AV1/,
    ],
    ["MPEG-4 part 2", await video(["-c:v", "mpeg4"]), /convert it to H\.264, VP9 or AV1/],
  ]);
});

test("[AST13] VP9 is accepted; a bit rate of 100 Mbit/s, a profile without hardware decoders and unplayable sound give warnings", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const vp9 = await api.upload(await video(["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"], "webm"));
  expect(vp9.body).toMatchObject({ kind: "video", mime_type: "video/webm", codec: "vp9", warnings: [] });
  const noise = "nullsrc=size=1280x720:rate=30,geq=random(1)*255:128:128";
  const fast = await api.upload(await video(["-c:v", "libx264", "-preset", "ultrafast", "-qp", "5", "-pix_fmt", "yuv420p"], "mp4", noise));
  expect(fast.body.warnings).toEqual([{ code: "bit-rate", detail: expect.stringMatching(/Mbit\/s.*50 Mbit/) }]);
  const hard = await api.upload(await video(["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv444p"]));
  expect(hard.body.warnings.map(({ code }: { code: string }) => code)).toEqual(["profile"]);
  const ac3 = await createWithFfmpeg(
    [
      "-f",
      "lavfi",
      "-i",
      "testsrc=size=320x180:rate=30",
      "-f",
      "lavfi",
      "-i",
      "sine",
      "-t",
      "1",
      "-c:v",
      "libx264",
      "-preset",
      "ultrafast",
      "-pix_fmt",
      "yuv420p",
      "-c:a",
      "ac3",
    ],
    "mp4",
  );
  expect((await api.upload(ac3)).body.warnings.map(({ code }: { code: string }) => code)).toEqual(["sound"]);
});

test("[AST14] a picture with a side above 16,384 pixels is rejected with advice", async () => {
  await using folder = await temporaryFolder();
  const wide = await sharp({ create: { width: 20_000, height: 40, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const square = pngBomb({ edge: 20_000 });
  await expectRejected(folder.path, [
    ["wide", wide, /20000 × 40.*16384.*make it smaller/],
    ["20,000 squared", square, /20000 × 20000.*16384.*make it smaller/],
  ]);
});

test("[AST15] a zip file with index.html is accepted as a bundle", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const response = await api.upload(goodBundle(), "application/zip", "board");
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  expect(response.body).toMatchObject({ kind: "bundle", mime_type: "application/zip", width: null, status: "ready" });
});

test("[AST16] bombs, hostile or broken bundles and bundles without a page are rejected, even if the zip directory lies", async () => {
  await using folder = await temporaryFolder();
  await expectRejected(folder.path, hostileBundles());
});

test("[AST17] an item accepts only assets of its kind", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const drawing = (await api.upload(svg("<g/>"))).body;
  const pdf = (await api.upload(pdfOf(1))).body;
  const video = (await api.upload(await numberedVideo(1))).body;
  const make = (items: object[]) => api.call("POST", "playlists", { name: "P", items });
  expect(
    (
      await make([
        { type: "image", asset_id: drawing.id },
        { type: "video", asset_id: video.id },
      ])
    ).status,
  ).toBe(201);
  const wrong = await make([
    { type: "image", asset_id: pdf.id },
    { type: "video", asset_id: drawing.id },
  ]);
  expect([wrong.status, wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
    422,
    ["/items/0/asset_id", "/items/1/asset_id"],
  ]);
});

test("[PIX14] an animated AVIF is rejected with the formats that it can be converted to", async () => {
  await using folder = await temporaryFolder();
  const animated = await video(["-c:v", "libaom-av1", "-cpu-used", "8", "-pix_fmt", "yuv420p"], "avif", "testsrc=size=64x64:rate=5");
  await expectRejected(folder.path, [["animated", animated, /animated AVIF.*convert it to.*WebP.*(?:MP4|WebM)/]]);
});
