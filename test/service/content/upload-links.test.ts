// Upload links: one file, once, without a token, as long as the creator has the permission.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Agent } from "../mcp/agent.ts";
import { TestService, blobsIn, call, picture, type ApiResponse } from "../harness.ts";
import { inviteMember, createOtherTeam, owner, createTokenFor } from "../people/people.ts";

/** Sends a file with nothing but the link's URL. */
function send(url: string, bytes: Buffer, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const { origin, pathname, search } = new URL(url);
  return call(origin, "PUT", `${pathname}${search}`, bytes, headers);
}

test("[ULK1] an agent creates a link, and anyone can upload one file with it without a token; the audit log names the asset", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  await using agent = await Agent.connect(api.service.url, api.token, "2026");
  const bytes = await picture("png", 300);
  expect((await agent.ok("create_upload_link", { name: "Red.png", dry_run: true })).dry_run).toBe(true);
  const { result: link } = await agent.ok("create_upload_link", { name: "Red.png" });
  expect(link).toMatchObject({
    asset_id: null,
    name: "Red.png",
    url: expect.stringContaining(`${api.service.url}/api/v1/upload-links/`),
  });
  const sent = await send(link.url, bytes, { "content-type": "image/png" });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect([sent.status, sent.body]).toEqual([
    201,
    { asset_id: expect.stringMatching(/^ast_/), kind: "image", mime_type: "image/png", size_bytes: bytes.length, sha256 },
  ]);
  const read = await agent.ok("get_upload_link", { id: link.id });
  expect(read.asset_id).toBe(sent.body.asset_id);
  expect(JSON.stringify(read)).not.toContain("key=");
  expect((await api.call("GET", `assets/${read.asset_id}/content`)).body).toEqual(bytes);
  expect((await api.call("GET", `assets/${read.asset_id}`)).body.name).toBe("Red.png");
  const [newest, before] = (await api.call("GET", "audit")).body.data;
  const { token } = (await api.call("GET", "me")).body;
  expect(newest).toMatchObject({ action: "sendByUploadLink", resource_id: read.asset_id, token_id: token.id, address: "127.0.0.1" });
  expect(before).toMatchObject({ action: "createUploadLink", resource_id: link.id });
  expect((await api.call("GET", "audit/verify")).body.valid ?? true).toBe(true);
  // Once.
  expect((await send(link.url, bytes)).body).toMatchObject({ status: 410, detail: expect.stringContaining("already been used") });
  expect((await api.call("GET", "assets")).body.data).toHaveLength(1);
});

test("[ULK2] a rejected file does not use up the link; the link enforces its size limit and accepts one file at a time", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { maxAssetBytes: 100_000 });
  const bytes = await picture("png", 64);
  const make = async (more: object = {}) => (await api.call("POST", "upload-links", more)).body;
  const link = await make();
  expect(link.most_bytes).toBe(100_000);
  expect((await make({ most_bytes: 1_000_000 })).most_bytes).toBe(100_000);
  expect((await send(link.url, Buffer.from("no picture"))).body.type).toBe("/problems/bad-file");
  expect((await send(link.url, Buffer.alloc(100_001))).status).toBe(413);
  const small = await make({ most_bytes: bytes.length - 1 });
  expect((await send(small.url, bytes)).status).toBe(413);
  // Of two uploads at the same time one succeeds.
  const answers = await Promise.all([send(link.url, bytes), send(link.url, bytes), send(link.url, bytes)]);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409 || status === 410)).toHaveLength(2);
  expect((await api.call("GET", "assets")).body.data).toHaveLength(1);
  expect(await blobsIn(folder.path)).not.toHaveLength(0);
});

test("[ULK3] a wrong key, an expired link and a revoked link are rejected before any byte is stored", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const bytes = await picture();
  const make = async (more: object = {}) => (await api.call("POST", "upload-links", more)).body;
  const [first, second] = [await make({ lasts_s: 60 }), await make()];
  const key = new URL(second.url).searchParams.get("key")!;
  expect(key.length).toBeGreaterThanOrEqual(40);
  for (const url of [
    first.url.replace(/key=.*/, `key=${key}`),
    first.url.replace(/key=.*/, "key=x"),
    second.url.replace(second.id, first.id),
  ]) {
    expect((await send(url, bytes)).status).toBe(404);
  }
  clock.advance(60_000);
  expect((await send(first.url, bytes)).body).toMatchObject({ status: 410, detail: expect.stringContaining("expired") });
  expect((await api.call("DELETE", `upload-links/${second.id}`)).status).toBe(204);
  expect((await send(second.url, bytes)).status).toBe(404);
  expect(await blobsIn(folder.path)).toEqual([]);
  expect((await api.call("GET", "assets")).body.data).toEqual([]);
});

test("[ULK4] a link belongs to the team, ends with its creator's token and scopes, and grants no more than they do", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const first = await owner(api);
  const bytes = await picture();
  const reader = await createTokenFor(api, first, ["assets:read"]);
  expect((await reader.call("POST", "upload-links", {})).status).toBe(403);
  const soon = new Date(clock.now() + 120_000).toISOString();
  const writer = await createTokenFor(api, first, ["assets:read", "assets:write"], { expires_at: soon });
  const link = (await writer.call("POST", "upload-links", { lasts_s: 86_400 })).body;
  expect(link.expires_at).toBe(soon);
  const revoked = (await writer.call("POST", "upload-links", {})).body;
  expect((await send(link.url, bytes)).status).toBe(201);
  await api.call("DELETE", `tokens/${writer.tokenId}`);
  expect((await send(revoked.url, bytes)).body).toMatchObject({ status: 410, detail: expect.stringContaining("no longer valid") });
  // A member's links end when the member gets a role that may not write assets, or leaves the team.
  const editor = await inviteMember(api, first, "editor");
  const theirs = (await editor.call("POST", "upload-links", {})).body;
  const path = `teams/${first.teamId}/members/${editor.userId}`;
  expect((await api.call("PATCH", path, { role: "viewer" })).status).toBe(200);
  expect((await send(theirs.url, bytes)).status).toBe(410);
  const stranger = await createOtherTeam(api);
  expect((await stranger.call("GET", `upload-links/${link.id}`)).status).toBe(404);
  expect((await stranger.call("DELETE", `upload-links/${link.id}`)).status).toBe(404);
  const own = (await stranger.call("POST", "upload-links", {})).body;
  const { asset_id } = (await send(own.url, bytes)).body;
  expect((await api.call("GET", `assets/${asset_id}`)).status).toBe(404);
  expect((await stranger.call("GET", `assets/${asset_id}`)).status).toBe(200);
});

test("[ULK5] a team has at most 100 unused links; expired links are deleted after a day", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const ids: string[] = [];
  for (let count = 0; count < 100; count += 1) ids.push((await api.call("POST", "upload-links", { lasts_s: 600 })).body.id);
  expect((await api.call("POST", "upload-links", {})).status).toBe(429);
  clock.advance(600_000);
  expect((await api.call("POST", "upload-links", {})).status).toBe(201);
  expect((await api.call("GET", `upload-links/${ids[0]}`)).status).toBe(200);
  for (let hours = 0; hours < 26; hours += 1) clock.advance(3_600_000);
  await expect.poll(async () => (await api.call("GET", `upload-links/${ids[0]}`)).status).toBe(404);
});
