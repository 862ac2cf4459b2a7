// The audit log: one entry per write in its transaction, a hash chain, and no secrets.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { AuditEntry, AuditVerification } from "../../../src/protocol/operator/people.ts";
import { canonicalJson } from "../../../src/service/store/canonical-json.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, picture } from "../harness.ts";
import { inviteMember, createOtherTeam, owner } from "./people.ts";
import { failInserts, openTables } from "../tables-of.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const entries = async (api: TestService, query = ""): Promise<AuditEntry[]> =>
  (await api.call("GET", `audit${query}`)).body.data.map((entry: unknown) => AuditEntry.parse(entry));
const verify = async (api: TestService) => AuditVerification.parse((await api.call("GET", "audit/verify")).body);

test("[AUD1] a write adds one entry: user, action, address, and the resource's ETag before and after", async () => {
  const api = await shared.newTeam();
  const me = await owner(api);
  const created = await api.call("POST", "playlists", { name: "P" });
  const path = `playlists/${created.body.id}`;
  const changed = await api.call("PATCH", path, { name: "Q" });
  const gone = await api.call("DELETE", path);
  const etag = ({ headers }: typeof created) => headers.get("etag")!.slice(1, -1);
  const log = (await entries(api)).toReversed();
  expect(log.map(({ action, before, after }) => [action, before, after])).toEqual([
    ["createPlaylist", null, etag(created)],
    ["updatePlaylist", etag(created), etag(changed)],
    ["deletePlaylist", etag(changed), null],
  ]);
  for (const [place, entry] of log.entries()) {
    const about = { user_id: me.userId, token_id: me.tokenId, resource_type: "playlists", resource_id: created.body.id };
    expect(entry).toMatchObject({ ...about, seq: place + 1, address: "127.0.0.1" });
  }
  expect(log.map(({ request_id }) => request_id)).toEqual([created, changed, gone].map(({ headers }) => headers.get("request-id")));
});

test("[AUD2] the log contains uploads, pairings, commands, users and tokens, but no reads, rejected requests or replays", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const device = await api.pairDevice();
  await api.upload(await picture());
  const key = { "idempotency-key": "k" };
  for (let each = 0; each < 2; each += 1) await api.call("POST", `players/${device.playerId}/commands`, { type: "identify" }, key);
  const person = await inviteMember(api, first, "editor");
  await api.call("PATCH", `teams/${first.teamId}/members/${person.userId}`, { role: "viewer" });
  const token = (await api.call("POST", "tokens", { name: "t", scopes: ["players:read"] })).body;
  await api.call("DELETE", `tokens/${token.id}`);
  await api.call("GET", "players");
  await api.call("POST", "playlists", { nonsense: 1 });
  await api.call("PATCH", `players/${device.playerId}`, { name: "x" }, { "if-match": '"old"' });
  await person.call("POST", "playlists", { name: "P" });
  const log = (await entries(api)).toReversed();
  expect(log.map(({ action, user_id }) => [action, user_id === person.userId])).toEqual([
    ["pairPlayer", false],
    ["createAsset", false],
    ["sendCommand", false],
    ["createInvitation", false],
    ["acceptInvitation", true],
    ["updateMember", false],
    ["createToken", false],
    ["revokeToken", false],
  ]);
  expect(log[0]!.resource_id).toBe(device.playerId);
  expect(log[5]!.resource_id).toBe(person.userId);
  expect(JSON.stringify(log)).not.toContain(token.secret);
});

test("[AUD10] a ticket for the events of a page adds no entry, since it changes nothing", async () => {
  const api = await shared.newTeam();
  expect((await api.call("POST", "events/tickets")).status).toBe(201);
  expect(await entries(api)).toEqual([]);
});

test("[AUD3] the log can be read page by page and filtered by user, action and resource; a team reads only its own", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const stranger = await createOtherTeam(api);
  await stranger.call("POST", "layouts", { name: "Theirs" });
  const editor = await inviteMember(api, first, "editor");
  const created = (await editor.call("POST", "playlists", { name: "P" })).body;
  for (let each = 0; each < 4; each += 1) await api.call("PATCH", `playlists/${created.id}`, { name: `P${each}` });
  expect(await entries(api, "?action=createLayout")).toEqual([]);
  expect((await entries(api, `?user_id=${editor.userId}`)).map(({ action }) => action)).toEqual(["createPlaylist", "acceptInvitation"]);
  expect(await entries(api, `?resource_id=${created.id}&action=updatePlaylist`)).toHaveLength(4);
  const page = (await api.call("GET", `audit?resource_id=${created.id}&limit=3`)).body;
  const rest = (await api.call("GET", `audit?resource_id=${created.id}&limit=3&cursor=${page.next_cursor}`)).body;
  expect([...page.data, ...rest.data].map(({ action }: AuditEntry) => action).at(-1)).toBe("createPlaylist");
  expect([page.data.length, rest.data.length, rest.next_cursor]).toEqual([3, 2, null]);
  expect((await api.call("GET", "audit?user_id=nonsense")).status).toBe(422);
  expect((await stranger.call("GET", "audit?action=createPlaylist")).body.data).toEqual([]);
});

test("[AUD4] verifying the hash chain shows whether an entry was changed, removed or cut off at the end, and which", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  expect(await verify(api)).toEqual({ holds: true, entries: 0, broken_at_seq: null, last_hash: null });
  for (let each = 0; each < 6; each += 1) await api.call("POST", "playlists", { name: `P${each}` });
  const good = await verify(api);
  const log = await entries(api);
  expect(good).toEqual({ holds: true, entries: 6, broken_at_seq: null, last_hash: log[0]!.hash });

  const database = openTables(folder.path);
  const attempt = async (...statements: string[]) => {
    database.exec("CREATE TEMP TABLE kept AS SELECT * FROM audit; CREATE TEMP TABLE heads AS SELECT * FROM audit_heads");
    for (const statement of statements) database.exec(statement);
    const { holds, broken_at_seq } = await verify(api);
    database.exec("DELETE FROM audit; INSERT INTO audit SELECT * FROM kept; DROP TABLE kept");
    database.exec("DELETE FROM audit_heads; INSERT INTO audit_heads SELECT * FROM heads; DROP TABLE heads");
    return [holds, broken_at_seq];
  };
  expect(await attempt("UPDATE audit SET user_id = 'usr_other' WHERE seq = 3")).toEqual([false, 3]);
  expect(await attempt("UPDATE audit SET hash = '00' WHERE seq = 3")).toEqual([false, 3]);
  expect(await attempt("DELETE FROM audit WHERE seq = 2")).toEqual([false, 2]);
  expect(await attempt("DELETE FROM audit WHERE seq = 2", "UPDATE audit SET seq = seq - 1 WHERE seq > 2")).toEqual([false, 2]);
  expect(await attempt("DELETE FROM audit WHERE seq = 6")).toEqual([false, 6]);
  expect(await attempt("DELETE FROM audit")).toEqual([false, 1]);
  expect(await attempt("UPDATE audit_heads SET hash = '00'")).toEqual([false, 7]);
  // Whoever changes an entry can give it a matching hash, but then the next entry no longer follows it.
  const { hash: _hash, issuer: _issuer, ...third } = database.prepare("SELECT * FROM audit WHERE seq = 3").get()!;
  const previous = log.find(({ seq }) => seq === 2)!.hash;
  const forged = createHash("sha256")
    .update(previous + canonicalJson({ ...third, user_id: "usr_other" }))
    .digest("hex");
  expect(await attempt(`UPDATE audit SET user_id = 'usr_other', hash = '${forged}' WHERE seq = 3`)).toEqual([false, 4]);
  database.close();
  expect(await verify(api)).toEqual(good);
});

test("[AUD5] entries of concurrent writes form one chain without gaps", async () => {
  const api = await shared.newTeam();
  const answers = await Promise.all(Array.from({ length: 30 }, (_, each) => api.call("POST", "playlists", { name: `P${each}` })));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect(await verify(api)).toMatchObject({ holds: true, entries: 30 });
});

test("[AUD6] a write whose entry cannot be stored is rolled back", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  await api.call("POST", "playlists", { name: "P" });
  const database = openTables(folder.path);
  const full = failInserts(database, "audit");
  const key = { "idempotency-key": "k" };
  expect((await api.call("POST", "playlists", { name: "Q" }, key)).status).toBe(500);
  full[Symbol.dispose]();
  database.close();
  expect((await api.call("GET", "playlists")).body.data).toHaveLength(1);
  expect((await api.call("POST", "playlists", { name: "Q" }, key)).headers.get("idempotency-replayed")).toBeNull();
  expect(await verify(api)).toMatchObject({ holds: true, entries: 2 });
});
