// Assets after the upload: thumbnails, name and tags, download headers, the bin, and freed disk space.
import { execFile } from "node:child_process";
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, test } from "vitest";
import { Asset } from "../../../../src/protocol/content/assets.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { numberedVideo, pdfOf } from "../../../support/media/media.ts";
import { Program } from "../../../support/programs/programs.ts";
import { zipOf } from "../../../support/media/zip.ts";
import { TestService, blobsIn, call, picture } from "../../harness.ts";
import { openTables } from "../../tables-of.ts";
import { useService } from "../../shared-service.ts";

const shared = useService();

const bundle = () => zipOf([{ name: "index.html", bytes: Buffer.from("<p>Hello") }]);
const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g/></svg>');

async function settled(api: TestService, id: string): Promise<Asset> {
  await expect.poll(async () => (await api.call("GET", `assets/${id}`)).body.status).toBe("ready");
  return Asset.parse((await api.call("GET", `assets/${id}`)).body);
}

test("[AST18] thumbnails of pictures are made in the background, upright and at most 512 pixels per side", async () => {
  const api = await shared.newTeam();
  const pixels = await sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: "#3355ff" } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const created = (await api.upload(pixels)).body;
  expect(created).toMatchObject({ status: "processing", thumbnail_url: null, width: 1_000, height: 2_000 });
  const asset = await settled(api, created.id);
  const response = await api.call("GET", asset.thumbnail_url!);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/webp"]);
  expect(await sharp(response.body).metadata()).toMatchObject({ format: "webp", width: 256, height: 512 });
  expect((await api.call("GET", asset.thumbnail_url!, undefined, { "if-none-match": response.headers.get("etag")! })).status).toBe(304);
  const svg = await settled(api, (await api.upload(drawing)).body.id);
  expect(svg.thumbnail_url).not.toBeNull();
  const pdf = (await api.upload(pdfOf(1))).body;
  expect((await api.call("GET", `assets/${pdf.id}/thumbnail`)).status).toBe(404);
});

test("[AST19] a video has a thumbnail if ffmpeg is on the PATH, and is ready without one otherwise", async () => {
  await using folder = await temporaryFolder();
  const video = await numberedVideo(1);
  // A PATH with nothing but Node.
  const bare = join(folder.path, "bin");
  await mkdir(bare);
  await symlink(process.execPath, join(bare, "node"));
  const api = await shared.newTeam();
  const { thumbnail_url } = await settled(api, (await api.upload(video)).body.id);
  expect(await sharp((await api.call("GET", thumbnail_url!)).body).metadata()).toMatchObject({ width: 512, height: 288 });
  await using program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", folder.path], { PATH: bare });
  const url = String((await program.line("listening"))["url"]);
  const authorization = `Bearer ${(await readFile(join(folder.path, "admin-token"), "utf8")).trim()}`;
  const { id } = (await call(url, "POST", "assets", video, { authorization })).body;
  const read = async () => (await call(url, "GET", `assets/${id}`, undefined, { authorization })).body;
  await expect.poll(async () => (await read()).status).toBe("ready");
  expect((await read()).thumbnail_url).toBeNull();
});

test("[AST20] the next start creates thumbnails that were interrupted, and gives up on a file that crashed the process", async () => {
  await using folder = await temporaryFolder();
  const first = await TestService.start(folder.path);
  const { id } = (await first.upload(await picture())).body;
  await settled(first, id);
  await first[Symbol.asyncDispose]();
  const write = (tries: number) => {
    const file = openTables(folder.path);
    file.prepare("UPDATE assets SET status = 'processing', thumbnail_sha256 = NULL, thumbnail_tries = ? WHERE id = ?").run(tries, id);
    file.close();
  };
  for (const [tries, has] of [
    [1, true],
    [2, false],
  ] as const) {
    write(tries);
    await using api = await TestService.start(folder.path);
    expect((await settled(api, id)).thumbnail_url !== null).toBe(has);
  }
});

test("[AST21] names and tags can be changed with If-Match; lists filter by kind, tag, name, hash and bin", async () => {
  const api = await shared.newTeam();
  const image = (await api.upload(await picture(), "image/png", "Summer 50%_off.png")).body;
  const pdf = (await api.upload(pdfOf(1), "application/pdf", "Menu")).body;
  await settled(api, image.id);
  const before = await api.call("GET", `assets/${image.id}`);
  const changed = await api.call(
    "PATCH",
    `assets/${image.id}`,
    { tags: ["a%", 'q"uote', "a%"] },
    { "if-match": before.headers.get("etag")! },
  );
  expect([changed.status, changed.body.tags, changed.body.name]).toEqual([200, ["a%", 'q"uote'], image.name]);
  const late = await api.call("PATCH", `assets/${image.id}`, { name: "x" }, { "if-match": before.headers.get("etag")! });
  expect(late.status).toBe(412);
  expect((await api.call("PATCH", `assets/${image.id}`, { sha256: "0" })).status).toBe(422);
  const ids = async (query: string) => (await api.call("GET", `assets?${query}`)).body.data.map((asset: Asset) => asset.id);
  expect(await ids("kind=image")).toEqual([image.id]);
  expect(await ids("kind=document")).toEqual([pdf.id]);
  expect(await ids(`tag=${encodeURIComponent('q"uote')}`)).toEqual([image.id]);
  expect(await ids("tag=a%25")).toEqual([image.id]);
  expect(await ids("tag=a")).toEqual([]);
  expect(await ids("q=50%25_OFF")).toEqual([image.id]);
  expect(await ids("q=%25")).toEqual([image.id]);
  expect(await ids("q=summer&kind=document")).toEqual([]);
  const poster = (await api.upload(pdfOf(2), "application/pdf", "Übergröße")).body;
  expect(await ids(`q=${encodeURIComponent("ÜBERGRÖ")}`)).toEqual([poster.id]);
  expect(await ids(`sha256=${pdf.sha256}`)).toEqual([pdf.id]);
  expect(await ids("deleted=true")).toEqual([]);
  expect((await api.call("GET", "assets?kind=nonsense")).status).toBe(422);
});

test("[AST22] a deleted asset is in the bin, cannot be used in a playlist, and can be restored completely", async () => {
  const api = await shared.newTeam();
  const bytes = await picture();
  const { id } = (await api.upload(bytes)).body;
  expect((await api.call("DELETE", `assets/${id}`)).status).toBe(204);
  expect((await api.call("DELETE", `assets/${id}`)).status).toBe(204);
  const list = async (query = "") => (await api.call("GET", `assets${query}`)).body.data.map((asset: Asset) => asset.id);
  expect([await list(), await list("?deleted=true")]).toEqual([[], [id]]);
  const refused = await api.call("POST", "playlists", { name: "P", items: [{ type: "image", asset_id: id }] });
  expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining("restore it")]);
  const restored = await api.call("POST", `assets/${id}/restore`);
  expect([restored.status, restored.body.deleted_at]).toEqual([200, null]);
  expect((await api.call("GET", `assets/${id}/content`)).body).toEqual(bytes);
  expect((await api.call("POST", "playlists", { name: "P", items: [{ type: "image", asset_id: id }] })).status).toBe(201);
  expect((await api.call("DELETE", `assets/${id}?permanent=true`)).status).toBe(409);
});

test("[AST23] assets are permanently deleted after 30 days in the bin", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const { id, sha256 } = (await api.upload(await picture())).body;
  await settled(api, id);
  await api.call("DELETE", `assets/${id}`);
  clock.advance(29 * 86_400_000);
  expect((await api.call("GET", `assets/${id}`)).status).toBe(200);
  expect(await blobsIn(folder.path)).toContain(sha256);
  await expect
    .poll(async () => {
      clock.advance(86_400_000);
      return (await api.call("GET", `assets/${id}`)).status;
    })
    .toBe(404);
  await expect.poll(() => blobsIn(folder.path)).toEqual([]);
});

test("[AST24] permanently deleting an asset frees the file and its thumbnail, but no bytes that another asset uses", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const used = async () =>
    Number((await promisify(execFile)("du", ["-s", "--block-size=1", join(folder.path, "blobs")])).stdout.split("\t")[0]);
  const before = await used();
  const bytes = await picture("png", 1_200);
  const [one, two] = [(await api.upload(bytes)).body, (await api.upload(bytes)).body];
  await settled(api, one.id);
  await settled(api, two.id);
  expect(await used()).toBeGreaterThanOrEqual(before + bytes.length);
  expect((await api.call("DELETE", `assets/${one.id}?permanent=true`)).status).toBe(204);
  expect((await api.call("GET", `assets/${two.id}/content`)).body).toEqual(bytes);
  expect((await api.call("DELETE", `assets/${two.id}`)).status).toBe(204);
  expect((await api.call("DELETE", `assets/${two.id}?permanent=true`)).status).toBe(204);
  expect(await blobsIn(folder.path)).toEqual([]);
  // The folders of the blob store may stay.
  expect(await used()).toBeLessThan(before + 4 * 4_096 + 1);
});

test("[AST25] deleting and uploading the same bytes concurrently never leaves an asset without its bytes", async () => {
  const api = await shared.newTeam();
  const bytes = await picture("png", 16);
  let currentId = (await api.upload(bytes)).body.id as string;
  for (let round = 0; round < 25; round += 1) {
    const [created] = await Promise.all([api.upload(bytes), api.call("DELETE", `assets/${currentId}?permanent=true`)]);
    expect(created!.status).toBe(201);
    currentId = created!.body.id;
    const read = await api.call("GET", `assets/${currentId}/content`);
    expect([read.status, read.body.length]).toEqual([200, bytes.length]);
  }
});

test("[AST26] the next start deletes unreferenced files and keeps the others", async () => {
  await using folder = await temporaryFolder();
  const first = await TestService.start(folder.path);
  const { id } = (await first.upload(await picture())).body;
  const kept = await settled(first, id);
  await first[Symbol.asyncDispose]();
  const named = await blobsIn(folder.path);
  expect(named).toHaveLength(2);
  const orphan = "ab".repeat(32);
  await mkdir(join(folder.path, "blobs/ab"), { recursive: true });
  await writeFile(join(folder.path, "blobs/ab", orphan), "left by a crash");
  await using api = await TestService.start(folder.path);
  await expect.poll(() => blobsIn(folder.path)).not.toContain(orphan);
  expect((await blobsIn(folder.path)).toSorted()).toEqual(named.toSorted());
  expect((await api.call("GET", kept.thumbnail_url!)).status).toBe(200);
});

test("[AST27] files that a browser could run are served as sandboxed attachments; a name is never a path", async () => {
  const api = await shared.newTeam();
  const headersOf = async (bytes: Buffer, name: string) => {
    const { url } = (await api.upload(bytes, undefined, name)).body;
    const { headers } = await api.call("GET", url);
    expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    return headers.get("content-disposition");
  };
  const png = await picture();
  expect(await headersOf(png, "photo.png")).toBe('inline; filename="photo.png"');
  expect(await headersOf(drawing, "logo")).toBe('attachment; filename="logo.svg"');
  expect(await headersOf(bundle(), "board.zip")).toBe('attachment; filename="board.zip"');
  expect(await headersOf(pdfOf(1), "menu.pdf")).toBe('attachment; filename="menu.pdf"');
  expect(await headersOf(png, "../../etc/passwd")).toBe('inline; filename="_.._etc_passwd.png"');
  expect(await headersOf(png, "C:\\a\\b.exe")).toBe('inline; filename="C__a_b.exe.png"');
  expect(await headersOf(png, 'a"; filename="evil.html')).toMatch(
    /^inline; filename="a_; filename=_evil\.html\.png"; filename\*=UTF-8''a%22%3B%20filename%3D%22evil\.html\.png$/,
  );
  expect(await headersOf(png, "Größe 50%.png")).toBe("inline; filename=\"Gr__e 50_.png\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%2050%25.png");
  expect((await api.upload(png, undefined, "evil\u202Egnp.exe")).status).toBe(422);
  expect(await headersOf(png, "..")).toBe('inline; filename="file.png"');
});

test("[AST28] on request, an upload of equal bytes returns the team's existing asset", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const bytes = await picture();
  const first = await api.upload(bytes);
  const again = await api.call("POST", "assets?duplicate=reuse&name=other", bytes, { "idempotency-key": "k" });
  expect([again.status, again.body.id]).toEqual([200, first.body.id]);
  const repeated = await api.call("POST", "assets?duplicate=reuse&name=other", bytes, { "idempotency-key": "k" });
  expect([repeated.status, repeated.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
  await api.call("DELETE", `assets/${first.body.id}`);
  expect((await api.call("POST", "assets?duplicate=reuse", bytes)).status).toBe(201);
  expect((await stat(join(folder.path, "blobs", first.body.sha256.slice(0, 2), first.body.sha256))).size).toBe(bytes.length);
});
