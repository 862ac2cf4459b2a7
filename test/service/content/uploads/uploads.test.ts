// Resumable uploads, with tus requests written by hand.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generateToken, hashSecret } from "../../../../src/service/people/token-secrets.ts";
import { Upload } from "../../../../src/protocol/content/assets.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { Program } from "../../../support/programs/programs.ts";
import { TestService, call, picture, type ApiResponse } from "../../harness.ts";
import { createOtherTeam } from "../../people/people.ts";
import { openTables } from "../../tables-of.ts";
import { databaseFlags } from "../../test-database.ts";

/** A tus client. */
class Client {
  readonly url: string;
  readonly token: string;

  constructor({ url, token }: { url: string; token: string }) {
    this.url = url;
    this.token = token;
  }

  call(method: string, path: string, body?: Buffer, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return call(this.url, method, path, body, { authorization: `Bearer ${this.token}`, "tus-resumable": "1.0.0", ...headers });
  }

  create(length: number, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const metadata = `filename ${Buffer.from("Größe.png").toString("base64")},filetype ${Buffer.from("image/png").toString("base64")}`;
    return this.call("POST", "uploads", undefined, { "upload-length": String(length), "upload-metadata": metadata, ...headers });
  }

  append(location: string, offset: number, bytes: Buffer, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.call("PATCH", location, bytes, {
      "content-type": "application/offset+octet-stream",
      "upload-offset": String(offset),
      ...headers,
    });
  }

  async offset(location: string): Promise<number> {
    return Number((await this.call("HEAD", location)).headers.get("upload-offset"));
  }

  /** Sends `bytes` with a larger Content-Length, and closes the connection once the service has them. */
  async appendAndCut(location: string, offset: number, bytes: Buffer, said: number): Promise<void> {
    const headers = { authorization: `Bearer ${this.token}`, "tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream" };
    const sending = request(new URL(location, this.url), {
      method: "PATCH",
      headers: { ...headers, "upload-offset": offset, "content-length": said },
    });
    const cut = new Promise((resolve) => sending.on("error", resolve));
    sending.write(bytes);
    await expect.poll(async () => (await this.call("GET", location)).body.offset_bytes).toBe(offset + bytes.length);
    sending.destroy();
    await cut;
  }
}

const clientOf = (api: TestService) => new Client({ url: api.service.url, token: api.token });

/** A token of another team, or of the admin's team with fewer scopes. */
async function tokenOf(folder: string, scopes: readonly string[], teamId: string): Promise<string> {
  const file = openTables(folder);
  const token = generateToken();
  // Copy the admin's token, so that new columns need no change here.
  const row = file.prepare("SELECT * FROM tokens WHERE team_id = ? LIMIT 1").get(teamId) as Record<string, string | number | null>;
  const next = {
    ...row,
    id: `tok_${createHash("md5")
      .update(token)
      .digest("hex")
      .slice(0, 26)
      .replace(/[ilou]/g, "0")}`,
    hash: hashSecret(token),
    scopes: JSON.stringify(scopes),
    team_id: teamId,
  };
  const names = Object.keys(next);
  file.prepare(`INSERT INTO tokens (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(...Object.values(next));
  file.close();
  return token;
}

test("[UPL1] an upload arrives in parts, resumes after an interruption, and becomes an asset", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const client = clientOf(api);
  const bytes = await picture("png", 600);
  const options = await client.call("OPTIONS", "uploads");
  expect([options.status, options.headers.get("tus-version")]).toEqual([204, "1.0.0"]);
  const created = await client.create(bytes.length);
  expect([created.status, created.headers.get("tus-resumable")]).toEqual([201, "1.0.0"]);
  const location = created.headers.get("location")!;
  expect(location).toMatch(/^\/api\/v1\/uploads\/upl_/);
  const first = await client.append(location, 0, bytes.subarray(0, 1_000));
  expect([first.status, first.headers.get("upload-offset")]).toEqual([204, "1000"]);
  expect(Date.parse(first.headers.get("upload-expires")!)).toBeGreaterThan(Date.now() + 80_000_000);
  await client.appendAndCut(location, 1_000, bytes.subarray(1_000, 3_000), bytes.length - 1_000);
  await expect.poll(() => client.offset(location)).toBe(3_000);
  const last = await client.append(location, 3_000, bytes.subarray(3_000));
  expect(last.status, JSON.stringify(last.body)).toBe(204);
  const id = last.headers.get("asset-id")!;
  const asset = (await client.call("GET", `assets/${id}`)).body;
  expect(asset).toMatchObject({
    name: "Größe.png",
    mime_type: "image/png",
    width: 600,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  });
  const status = Upload.parse((await client.call("GET", location)).body);
  expect(status).toMatchObject({ status: "finished", asset_id: id, offset_bytes: bytes.length, error: null });
  const head = await client.call("HEAD", location);
  expect([head.headers.get("upload-offset"), head.headers.get("asset-id")]).toEqual([String(bytes.length), id]);
  expect(await readdir(join(folder.path, "uploads"))).toEqual([]);
});

test("[UPL1] bytes may come with the creation request, and the length later", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const client = clientOf(api);
  const bytes = await picture();
  const whole = await client.call("POST", "uploads", bytes, {
    "upload-length": String(bytes.length),
    "content-type": "application/offset+octet-stream",
  });
  expect([whole.status, whole.headers.get("asset-id")]).toEqual([201, expect.stringMatching(/^ast_/)]);
  const deferred = await client.call("POST", "uploads", undefined, { "upload-defer-length": "1" });
  const location = deferred.headers.get("location")!;
  expect((await client.append(location, 0, bytes.subarray(0, 10))).status).toBe(204);
  expect((await client.call("GET", location)).body).toMatchObject({ size_bytes: null, offset_bytes: 10, name: "untitled" });
  const last = await client.append(location, 10, bytes.subarray(10), { "upload-length": String(bytes.length) });
  expect(last.headers.get("asset-id")).toMatch(/^ast_/);
});

test("[UPL2] an upload requires assets:write before any byte, and belongs to the token's team", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const mine = clientOf(api);
  const location = (await mine.create(100)).headers.get("location")!;
  const { team_id } = (await (async () => {
    const file = openTables(folder.path);
    const row = file.prepare("SELECT team_id FROM tokens").get();
    file.close();
    return row;
  })()) as { team_id: string };
  const attempts = (client: Client) => [
    client.call("HEAD", location),
    client.call("GET", location),
    client.append(location, 0, Buffer.alloc(10)),
    client.call("DELETE", location),
  ];
  const url = api.service.url;
  for (const [token, status] of [
    ["nonsense", 401],
    [(await createOtherTeam(api)).secret, 404],
    [await tokenOf(folder.path, ["assets:read"], team_id), 403],
  ] as const) {
    const client = new Client({ url, token });
    for (const response of await Promise.all(attempts(client))) expect(response.status).toBe(status);
    expect((await client.create(10)).status).toBe(status === 404 ? 201 : status);
  }
  expect(await mine.offset(location)).toBe(0);
});

test("[UPL3] a file that cannot be shown is rejected after its last byte, and the upload keeps the error", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const client = clientOf(api);
  const bytes = Buffer.from("hello, this is text");
  for (const refused of [bytes, await picture("jpeg", 64)]) {
    const location = (await client.create(refused.length)).headers.get("location")!;
    const last = await client.append(location, 0, refused);
    expect([last.status, last.body.type, last.headers.get("tus-resumable")]).toEqual([422, "/problems/bad-file", "1.0.0"]);
    expect((await client.call("GET", location)).body).toMatchObject({
      status: "failed",
      asset_id: null,
      error: { code: "bad-file", detail: last.body.detail },
    });
    expect((await client.append(location, refused.length, Buffer.from("x"))).status).toBe(422);
  }
  const empty = await client.create(0);
  expect([empty.status, empty.body.detail]).toEqual([422, expect.stringContaining("empty")]);
  expect((await client.call("GET", "assets")).body.data).toEqual([]);
  expect(await readdir(join(folder.path, "uploads"))).toEqual([]);
});

test("[UPL4] lengths above the limit, wrong offsets, other protocol versions and invalid metadata are rejected with problems", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { maxAssetBytes: 1_000 });
  const client = clientOf(api);
  const problem = (response: ApiResponse) => [response.status, response.headers.get("content-type")?.split(";")[0], response.body.type];
  const json = "application/problem+json";
  expect(problem(await client.create(1_001))).toEqual([413, json, "/problems/too-large"]);
  expect(problem(await client.create(10, { "tus-resumable": "0.2.2" }))[0]).toBeGreaterThanOrEqual(400);
  expect(problem(await client.create(10, { "upload-metadata": `filename ${Buffer.from("a\nb").toString("base64")}` }))).toEqual([
    422,
    json,
    "/problems/invalid",
  ]);
  expect(problem(await client.create(10, { "upload-length": "-1" }))).toEqual([400, json, "/problems/bad-request"]);
  expect(problem(await client.call("POST", "uploads"))).toEqual([400, json, "/problems/bad-request"]);
  expect(problem(await client.create(10, { "upload-concat": "partial" }))).toEqual([400, json, "/problems/bad-request"]);
  const location = (await client.create(10)).headers.get("location")!;
  expect(problem(await client.append(location, 5, Buffer.alloc(5)))).toEqual([409, json, "/problems/wrong-offset"]);
  expect(problem(await client.append(location, 0, Buffer.alloc(11)))).toEqual([413, json, "/problems/too-large"]);
  expect(problem(await client.append(location, 0, Buffer.alloc(5), { "content-type": "text/plain" }))).toEqual([
    400,
    json,
    "/problems/bad-request",
  ]);
  const withoutVersion = await call(client.url, "POST", "uploads", undefined, {
    authorization: `Bearer ${client.token}`,
    "upload-length": "10",
  });
  expect(problem(withoutVersion)).toEqual([412, json, "/problems/tus-version"]);
  expect((await client.call("HEAD", "uploads/upl_00000000000000000000000000")).status).toBe(404);
  expect((await client.call("PATCH", "uploads/..%2f..%2fadmin-token", Buffer.alloc(1))).status).toBe(404);
  const deferred = (await client.call("POST", "uploads", undefined, { "upload-defer-length": "1" })).headers.get("location")!;
  expect((await client.append(deferred, 0, Buffer.alloc(1_001))).status).toBe(413);
});

test("[UPL5] unfinished uploads and their bytes are deleted after a day; a team has at most 100", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const client = clientOf(api);
  const location = (await client.create(100)).headers.get("location")!;
  for (let count = 1; count < 100; count += 1) expect((await client.create(100)).status).toBe(201);
  expect((await client.create(100)).status).toBe(429);
  clock.advance(80_000_000);
  expect((await client.append(location, 0, Buffer.alloc(10))).status).toBe(204);
  clock.advance(80_000_000);
  expect(await client.offset(location)).toBe(10);
  await expect.poll(() => readdir(join(folder.path, "uploads"))).toHaveLength(1);
  clock.advance(6_500_000);
  const gone = await client.call("GET", location);
  expect([410, 404]).toContain(gone.status);
  await expect
    .poll(async () => {
      clock.advance(600_000);
      return readdir(join(folder.path, "uploads"));
    })
    .toEqual([]);
  expect((await client.create(100)).status).toBe(201);
});

test("[UPL7] an upload can be deleted; its asset stays", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const client = clientOf(api);
  const bytes = await picture();
  const location = (await client.create(bytes.length)).headers.get("location")!;
  await client.append(location, 0, bytes.subarray(0, 10));
  expect((await client.call("DELETE", location)).status).toBe(204);
  expect((await client.call("HEAD", location)).status).toBe(404);
  expect(await readdir(join(folder.path, "uploads"))).toEqual([]);
  const second = (await client.create(bytes.length)).headers.get("location")!;
  const id = (await client.append(second, 0, bytes)).headers.get("asset-id")!;
  expect((await client.call("DELETE", second)).status).toBe(204);
  expect((await client.call("GET", `assets/${id}/content`)).body).toEqual(bytes);
});

test("[UPL6] after a kill in the middle, an upload resumes from the acknowledged bytes; after a kill at the end, it becomes one asset", async () => {
  await using folder = await temporaryFolder();
  const bytes = await picture("png", 700);
  const flags = ["--port", "0", "--data", folder.path, ...(await databaseFlags(folder.path))];
  const start = async () => {
    const program = new Program(["src/main/cli.ts", "serve", ...flags]);
    const url = String((await program.line("listening"))["url"]);
    return { program, client: new Client({ url, token: (await readFile(join(folder.path, "admin-token"), "utf8")).trim() }) };
  };
  let location = "";
  let acknowledged = 0;
  {
    const { program, client } = await start();
    await using _owned = program;
    location = (await client.create(bytes.length)).headers.get("location")!;
    acknowledged = Number((await client.append(location, 0, bytes.subarray(0, 5_000))).headers.get("upload-offset"));
    await client.appendAndCut(location, 5_000, bytes.subarray(5_000, 9_000), bytes.length - 5_000);
    process.kill(program.pid, "SIGKILL");
  }
  {
    const { program, client } = await start();
    await using _owned = program;
    const offset = await client.offset(location);
    expect(offset).toBeGreaterThanOrEqual(acknowledged);
    const last = client.append(location, offset, bytes.subarray(offset)).catch(() => null);
    // During the last part, or during the examination after it.
    await expect
      .poll(async () => (await client.call("GET", location).catch(() => null))?.body.offset_bytes ?? bytes.length, {
        interval: 1,
      })
      .toBeGreaterThan(offset);
    process.kill(program.pid, "SIGKILL");
    await last;
  }
  // What the second kill has left does not depend on the process that reads it: this one costs a tenth.
  await using last = await TestService.start(folder.path);
  const client = clientOf(last);
  const offset = await client.offset(location);
  if (offset < bytes.length) await client.append(location, offset, bytes.subarray(offset));
  await expect.poll(async () => (await client.call("GET", location)).body.status).toBe("finished");
  const { asset_id } = (await client.call("GET", location)).body;
  expect((await client.call("GET", `assets/${asset_id}/content`)).body).toEqual(bytes);
  expect((await client.call("GET", "assets")).body.data).toHaveLength(1);
  expect(await readdir(join(folder.path, "uploads"))).toEqual([]);
});
