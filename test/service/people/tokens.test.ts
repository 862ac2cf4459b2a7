// Operators' tokens: creation, limits, revocation, and the end of their open connections.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { get, request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import { CreatedToken, scopes, Token } from "../../../src/protocol/operator/people.ts";
import { silentLog } from "../../../src/base/log.ts";
import { LoneNode } from "../../../src/service/nodes/lone-node.ts";
import { isWellFormedToken } from "../../../src/service/people/token-secrets.ts";
import { TokenExpiry } from "../../../src/service/people/token-expiry.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, picture, errorPointers } from "../harness.ts";
import { inviteMember, owner, createTokenFor } from "./people.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

test("[TOK3] a token's secret is shown only in the response that creates it and in idempotent replays of that response, and is not stored on disk", async () => {
  await using folder = await temporaryFolder();
  let secret: string;
  {
    await using api = await TestService.start(folder.path);
    const details = { name: "Lobby script", scopes: ["players:read", "players:read"] };
    const key = { "idempotency-key": "k" };
    const created = await api.call("POST", "tokens", details, key);
    expect(created.status).toBe(201);
    const token = CreatedToken.parse(created.body);
    secret = token.secret;
    expect(isWellFormedToken(secret)).toBe(true);
    expect(token).toMatchObject({ name: "Lobby script", scopes: ["players:read"], hint: secret.slice(-4), expires_at: null });
    const again = await api.call("POST", "tokens", details, key);
    expect([again.body, again.headers.get("idempotency-replayed")]).toEqual([created.body, "true"]);
    const shown = [await api.call("GET", `tokens/${token.id}`), await api.call("GET", "tokens"), await api.call("GET", "audit")];
    for (const { body } of shown) expect(JSON.stringify(body)).not.toContain(secret);
    expect(Token.strict().parse(shown[0]!.body)).toMatchObject({ id: token.id, hint: token.hint, created_by: token.user_id });
  }
  for (const name of ["state.db", "state.db-wal"]) {
    const bytes = await readFile(join(folder.path, name)).catch(() => Buffer.alloc(0));
    expect(bytes.includes(secret)).toBe(false);
  }
});

test("[TOK4] a token cannot create a token with more scopes, a higher role or a later expiry than its own", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const first = await owner(api);
  const editor = await inviteMember(api, first, "editor");
  const refused = await editor.call("POST", "tokens", { name: "t", scopes: ["players:read", "teams:write", "audit:read"] });
  expect([refused.status, errorPointers(refused)]).toEqual([422, ["/scopes/1", "/scopes/2"]]);
  const narrow = await createTokenFor(api, first, ["tokens:write", "players:read"]);
  expect(errorPointers(await narrow.call("POST", "tokens", { name: "t", scopes: ["players:write"] }))).toEqual(["/scopes/0"]);
  expect((await narrow.call("POST", "tokens", { name: "t", scopes: ["players:read"] })).status).toBe(201);
  expect((await api.call("POST", "tokens", { name: "t", scopes: ["everything"] })).status).toBe(422);
  expect((await api.call("POST", "tokens", { name: "t", scopes: [] })).status).toBe(422);

  const in1h = new Date(clock.now() + 3_600_000).toISOString();
  const in2h = new Date(clock.now() + 7_200_000).toISOString();
  expect(
    errorPointers(await api.call("POST", "tokens", { name: "t", scopes: ["players:read"], expires_at: "2020-01-01T00:00:00Z" })),
  ).toEqual(["/expires_at"]);
  const ending = await createTokenFor(api, first, ["tokens:write", "players:read"], { expires_at: in1h });
  expect(errorPointers(await ending.call("POST", "tokens", { name: "t", scopes: ["players:read"], expires_at: in2h }))).toEqual([
    "/expires_at",
  ]);
  expect((await ending.call("POST", "tokens", { name: "t", scopes: ["players:read"] })).body.expires_at).toBe(in1h);
  clock.advance(3_600_000);
  expect((await ending.call("GET", "players")).status).toBe(401);
});

test("[TOK5] renaming or revoking a token takes effect at once; owners see all tokens of the team, other members their own", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const editor = await inviteMember(api, first, "editor");
  const spare = await createTokenFor(api, editor, ["players:read"]);
  const listed = async (person: typeof first) => (await person.call("GET", "tokens")).body.data.map((token: Token) => token.id);
  expect(await listed(editor)).toEqual([spare.tokenId, editor.tokenId]);
  expect(await listed(first)).toEqual([spare.tokenId, editor.tokenId, first.tokenId]);
  for (const method of ["GET", "DELETE"]) expect((await editor.call(method, `tokens/${first.tokenId}`)).status).toBe(404);
  expect((await editor.call("PATCH", `tokens/${first.tokenId}`, { name: "x" })).status).toBe(404);

  const etag = (await editor.call("GET", `tokens/${spare.tokenId}`)).headers.get("etag")!;
  const renamed = await editor.call("PATCH", `tokens/${spare.tokenId}`, { name: "Spare" }, { "if-match": etag });
  expect(renamed.body.name).toBe("Spare");
  expect((await editor.call("DELETE", `tokens/${spare.tokenId}`, undefined, { "if-match": etag })).status).toBe(412);
  expect((await spare.call("GET", "players")).status).toBe(200);
  expect((await api.call("DELETE", `tokens/${spare.tokenId}`)).status).toBe(204);
  expect((await spare.call("GET", "players")).status).toBe(401);
  expect((await api.call("GET", `tokens/${spare.tokenId}`)).status).toBe(404);
  expect(await listed(editor)).toEqual([editor.tokenId]);
});

test("[TOK6] a token's last use is recorded with a resolution of one minute and does not change its ETag", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const first = await owner(api);
  const reader = await createTokenFor(api, first, ["players:read"]);
  const read = () => api.call("GET", `tokens/${reader.tokenId}`);
  const unused = await read();
  expect(unused.body.last_used_at).toBeNull();
  const startedAt = new Date(clock.now()).toISOString();
  await reader.call("GET", "players");
  expect((await read()).body.last_used_at).toBe(startedAt);
  clock.advance(59_999);
  await reader.call("GET", "players");
  expect((await read()).body.last_used_at).toBe(startedAt);
  clock.advance(1);
  await reader.call("GET", "players");
  const used = await read();
  expect(used.body.last_used_at).toBe(new Date(clock.now()).toISOString());
  expect(used.headers.get("etag")).toBe(unused.headers.get("etag"));
});

test("[TOK7] listeners are called once when their token ends, and removed when they stop listening", () => {
  const clock = new FakeClock();
  const tokens = new TokenExpiry(clock, new LoneNode("nod_1", { clock, log: silentLog }));
  const of = (tokenId: string) => ({ tokenId, expiresAt: null });
  const ended: string[] = [];
  const until = new AbortController();
  tokens.onEnd(of("tok_a"), () => ended.push("a1"), until.signal);
  tokens.onEnd(of("tok_a"), () => ended.push("a2"), new AbortController().signal);
  tokens.onEnd(of("tok_b"), () => ended.push("b"), new AbortController().signal);
  tokens.onEnd(of("tok_b"), () => ended.push("already aborted"), AbortSignal.abort());
  expect(tokens.listenerCount).toBe(3);
  until.abort();
  tokens.notifyEnded(["tok_a", "tok_unknown"]);
  tokens.notifyEnded(["tok_a"]);
  expect(ended).toEqual(["a2"]);
  tokens.notifyEnded(["tok_b"]);
  expect([ended, tokens.listenerCount]).toEqual([["a2", "b"], 0]);
});

test("[TOK7] a download in progress is cut off when its token is revoked", async () => {
  const api = await shared.newTeam();
  // More than the buffers of the sockets: the download stays in progress while the test does not read.
  const side = 4_000;
  const big = await sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const asset = (await api.upload(big)).body;
  const reader = await createTokenFor(api, await owner(api), ["assets:read"]);
  const download = get(asset.url, { headers: { authorization: reader.authorization } });
  const [response] = (await once(download, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  expect((await api.call("DELETE", `tokens/${reader.tokenId}`)).status).toBe(204);
  response.resume();
  await expect(once(response, "end")).rejects.toThrow("aborted");
});

test("[TOK17] a write is rejected if its token ends while the request is in progress", async () => {
  const api = await shared.newTeam();
  const writer = await createTokenFor(api, await owner(api), ["assets:write"]);
  const bytes = await picture();
  const headers = { authorization: writer.authorization, "content-type": "image/png", "content-length": bytes.length };
  const upload = request(`${api.service.url}/api/v1/assets?name=late`, { method: "POST", headers });
  upload.write(bytes.subarray(0, 100));
  // The use of the token is recorded when it has been checked: the upload is then in progress.
  await expect.poll(async () => (await api.call("GET", `tokens/${writer.tokenId}`)).body.last_used_at).not.toBeNull();
  expect((await api.call("DELETE", `tokens/${writer.tokenId}`)).status).toBe(204);
  upload.end(bytes.subarray(100));
  const [response] = (await once(upload, "response")) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(401);
  expect((await api.call("GET", "assets")).body.data).toEqual([]);
});

test("[TOK8] every scope is granted by some role; a viewer has read scopes only", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  expect((await first.call("GET", "me")).body.token.scopes).toEqual([...scopes]);
  const viewer = await inviteMember(api, first, "viewer");
  const seen = (await viewer.call("GET", "me")).body.token.scopes as string[];
  expect(seen.length).toBeGreaterThan(5);
  expect(seen.filter((scope) => !scope.endsWith(":read"))).toEqual([]);
});
