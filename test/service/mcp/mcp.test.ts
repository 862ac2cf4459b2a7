// MCP with the official client, in both versions of the protocol, against a real service.
import { expect, test } from "vitest";
import { operations } from "../../../src/service/operations/operations.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Agent, eras } from "./agent.ts";
import { TestService, call, heartbeat, picture } from "../harness.ts";
import { createOtherTeam, owner, createTokenFor } from "../people/people.ts";
import { openTables } from "../tables-of.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const shotId = "shot_01jd3v8q6m9x2k4n7r5t1w0yzh";
const zone = (playlistId: string) => ({ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlistId });

// Operations without a tool: tickets and previews for browsers, live views, downloads of files of any size, tus, and what only a browser's session does.
const ofSessions = ["getSession", "deleteSession", "proveSession", "switchTeam", "setPassword", "listIdentities", "unlinkIdentity"];
const ofEmails = ["linkIdentity", "sendEmailCode", "proveEmail"];
const ofPasskeys = ["startPasskey", "createPasskey", "listPasskeys", "updatePasskey", "deletePasskey", "startPasskeyProof"];
const isLeft = ({ name, tag, stream }: (typeof operations)[number]) =>
  stream === true ||
  tag === "previews" ||
  ["createEventTicket", "createLiveTicket", "watchPlayer", "getAssetContent", ...ofSessions, ...ofEmails, ...ofPasskeys].includes(name);
const forAgents = operations.filter((each) => each.caller === "operator" && !isLeft(each));
const names = forAgents.map((each) => snake(each.name));
// Tools that find operations or combine several.
const others = ["find_operation", "read_operation", "call_operation", "take_screenshot"];

test.each(eras)("[MCP1] every operation is in a toolset, with title, schema and hints (%s)", async (era) => {
  const api = await shared.newTeam();
  await using agent = await Agent.connect(api.service.url, api.token, era, "all");
  expect(agent.client.getNegotiatedProtocolVersion()).toMatch(new RegExp(`^${era}`));
  const { tools } = await agent.client.listTools();
  expect(tools.map((tool) => tool.name).toSorted()).toEqual([...names, ...others].toSorted());
  for (const { name, title, description, inputSchema, annotations } of tools) {
    expect([title, description, inputSchema.type].every(Boolean), name).toBe(true);
    // Descriptions name existing tools only.
    for (const [word] of (description ?? "").matchAll(/\b(?:get|list|send|create|update|delete|import|take|find|read|call)_[a-z_]+[a-z]/g))
      if (word !== "read_only") expect([...names, ...others], name).toContain(word);
    if (others.includes(name)) continue;
    const { method } = forAgents.find((each) => snake(each.name) === name)!;
    const isRead = method === "GET";
    expect("dry_run" in inputSchema.properties!, name).toBe(!isRead);
    expect("idempotency_key" in inputSchema.properties!, name).toBe(method === "POST");
    expect(annotations, name).toMatchObject({ readOnlyHint: isRead, openWorldHint: /import_asset|test|replay/.test(name) });
    expect(annotations!.destructiveHint, name).toBe(
      method === "DELETE" || ["update_players", "delete_players", "send_commands"].includes(name),
    );
    // Some clients accept only object schemas.
    expect([inputSchema["anyOf"], inputSchema["oneOf"], inputSchema["allOf"], inputSchema["$ref"]], name).toEqual(Array(4).fill(undefined));
    expect("body" in inputSchema.properties!, name).toBe(false);
  }
});

test.each(eras)("[MCP2] a tool has the same effect and result as the REST request (%s)", async (era) => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Lobby");
  const asset = (await api.upload(await picture(), "image/png", "red.png")).body;
  await using agent = await Agent.connect(api.service.url, api.token, era);
  const items = [{ type: "image", asset_id: asset.id, duration_ms: 5_000 }];
  const playlist = await agent.ok("create_playlist", { name: "P", items });
  expect(playlist.result).toEqual((await api.call("GET", `playlists/${playlist.result.id}`)).body);
  const layout = await agent.ok("create_layout", { name: "L", width: 100, height: 100, zones: [zone(playlist.result.id)] });
  const link = await device.connect();
  const given = await agent.ok("update_player", { id: device.playerId, layout_id: layout.result.id });
  expect(given).toMatchObject({ dry_run: false, concerned: { count: 1, players: [{ id: device.playerId, name: "Lobby" }] } });
  await link.next("state.changed");
  const { data } = await agent.ok("list_players", { limit: 1, q: "lob" });
  expect(data).toEqual((await api.call("GET", "players?limit=1&q=lob")).body.data);
  expect((await agent.ok("get_player_now", { id: device.playerId })).player_id).toBe(device.playerId);
  const queued = await agent.ok("send_command", { id: device.playerId, type: "reload" });
  expect(queued.result).toMatchObject({ type: "reload", player_id: device.playerId });
  expect(queued.concerned.count).toBe(1);
  expect((await agent.ok("delete_asset", { id: (await api.upload(await picture("jpeg"), "image/jpeg")).body.id })).result).toBe(null);
  expect(await agent.ok("get_proof_of_play", { group_by: "player" })).toEqual({ data: [] });
  link.socket.close();
});

test("[MCP3] a token's scopes decide which tools, resources and prompts are listed; calls of others are rejected, and the error names them", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const narrow = await createTokenFor(api, first, ["playlists:read", "playlists:write"]);
  await using agent = await Agent.connect(api.service.url, narrow.secret, "2026");
  const tools = (await agent.client.listTools()).tools.map(({ name }) => name);
  expect(tools).toEqual(["find_operation", "read_operation", "call_operation", "list_playlists"]);
  await using whole = await Agent.connect(api.service.url, narrow.secret, "2026", "all");
  const all = (await whole.client.listTools()).tools.map(({ name }) => name);
  expect(all.filter((name) => !name.includes("playlist") && !name.endsWith("_operation"))).toEqual(["get_me"]);
  expect((await agent.client.listResources()).resources).toEqual([]);
  expect((await agent.client.listPrompts()).prompts).toEqual([]);
  const { operations: found, others: more } = await agent.ok("find_operation", { words: "list players" });
  expect([...found, ...more].map(({ name }: { name: string }) => name).filter((name) => !name.includes("playlist"))).not.toContain(
    "list_players",
  );
  for (const [tool, given] of [
    ["list_players", {}],
    ["read_operation", { name: "list_players" }],
    ["call_operation", { name: "list_players" }],
    ["take_screenshot", { player: "Lobby" }],
  ] as const) {
    const refused = await agent.call(tool, given);
    expect([tool, refused.isError]).toEqual([tool, true]);
    expect(refused.text).toContain("The token lacks the scope players:read");
  }
  await expect(agent.client.readResource({ uri: "signage://players/plr_01jd3v8q6m9x2k4n7r5t1w0yzh/state" })).rejects.toThrow(
    "players:read",
  );
});

/** All rows of the main database. */
function rowsOf(folder: string): Record<string, unknown[]> {
  const db = openTables(folder);
  try {
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all() as { name: string }[];
    return Object.fromEntries(names.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]));
  } finally {
    db.close();
  }
}

test("[MCP4] a dry run returns the result and the affected players and leaves no row, message, event or used idempotency key", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { clock: new FakeClock() });
  const device = await api.pairDevice("Lobby");
  const { asset, playlist, layout } = await api.showPicture(device);
  const waiting = await api.newDevice();
  const shot = (await api.call("POST", `players/${device.playerId}/commands`, { type: "screenshot", args: {} })).body;
  expect((await device.putScreenshot(shotId, await picture(), { "command-id": shot.id })).status).toBeLessThan(300);
  const webhook = (await api.call("POST", "webhooks", { name: "W", url: "https://hooks.example.com/x", events: ["player.updated"] })).body;
  const schedule = (
    await api.call("POST", "schedules", {
      name: "S",
      layout_id: layout.id,
      target: { type: "player", player_id: device.playerId },
      priority: 1,
      starts_at: "2020-01-01T00:00:00Z",
    })
  ).body;
  const spare = (await api.call("POST", "tokens", { name: "spare", scopes: ["players:read"] })).body;
  const link = await device.connect();
  const player = device.playerId;
  await using agent = await Agent.connect(api.service.url, api.token, "2026");
  await agent.client.listTools();
  const dry: [name: string, given: Record<string, unknown>, concerned: number][] = [
    ["update_player", { id: player, name: "Hall", layout_id: null, tags: ["x"] }, 1],
    ["update_players", { target: { player_ids: [player] }, change: { layout_id: null, tags_add: ["x"] } }, 1],
    ["delete_player", { id: player }, 1],
    ["pair_player", { code: waiting.grant.user_code, name: "New" }, 1],
    ["send_command", { id: player, type: "restart" }, 1],
    ["send_commands", { target: { player_ids: [player] }, type: "reload" }, 1],
    ["create_playlist", { name: "N", items: [], idempotency_key: "k" }, 0],
    ["update_playlist", { id: playlist.id, items: [] }, 1],
    ["create_layout", { name: "N", width: 10, height: 10, zones: [] }, 0],
    ["update_layout", { id: layout.id, background_color: "#123456" }, 1],
    ["delete_schedule", { id: schedule.id }, 1],
    ["update_asset", { id: asset.id, name: "other" }, 0],
    ["import_asset", { url: "https://media.example.com/a.png" }, 0],
    ["delete_screenshot", { id: shotId }, 0],
    ["update_webhook", { id: webhook.id, name: "V" }, 0],
    ["test_webhook", { id: webhook.id }, 0],
    ["delete_webhook", { id: webhook.id }, 0],
    ["create_token", { name: "n", scopes: ["players:read"] }, 0],
    ["revoke_token", { id: spare.id }, 0],
    ["create_invitation", { email: "a@example.com", name: "A", role: "viewer" }, 0],
    ["create_team", { name: "T" }, 0],
  ];
  const before = rowsOf(folder.path);
  for (const [name, given, concerned] of dry) {
    const answer = await agent.ok(name, { ...given, dry_run: true });
    expect([name, answer.dry_run, answer.concerned.count]).toEqual([name, true, concerned]);
  }
  expect(rowsOf(folder.path)).toEqual(before);
  expect(await link.receivesNo("state.changed")).toBe(true);
  expect(link.socket.readyState).toBe(link.socket.OPEN);
  // A rejected call has the same error with and without dry_run.
  const inUse = await agent.call("delete_asset", { id: asset.id, dry_run: true });
  expect(inUse).toMatchObject({ isError: true });
  expect(inUse.text).toContain("Playlists show this asset");
  // The key was not used up by the dry run.
  const [, created] = dry.find(([name]) => name === "create_playlist")!;
  expect((await agent.ok("create_playlist", created)).dry_run).toBe(false);
  expect((await agent.ok("list_playlists")).data).toHaveLength(2);
  link.socket.close();
});

test("[MCP5] a dry run of a deletion does not change the player's presence and sends no online event", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice("Lobby");
  const link = await device.connect();
  await using agent = await Agent.connect(api.service.url, api.token, "2026");
  await agent.ok("delete_player", { id: device.playerId, dry_run: true });
  const count = () => rowsOf(folder.path)["events"]!.filter((row) => (row as { type: string }).type === "player.online").length;
  expect((await device.call("POST", "heartbeat", heartbeat())).status).toBe(200);
  expect(count()).toBe(1);
  link.socket.close();
});

test.each(eras)("[MCP6] an error result names the problem, the field and the request (%s)", async (era) => {
  const api = await shared.newTeam();
  await using agent = await Agent.connect(api.service.url, api.token, era);
  const refusals: [string, Record<string, unknown>, RegExp][] = [
    ["get_player", { id: "plr_01jd3v8q6m9x2k4n7r5t1w0yzh" }, /\(404, \/problems\/not-found\): "There is no such screen/],
    ["get_player", {}, /\(422, .*id: is required/],
    ["create_playlist", { name: "", items: [{ type: "image" }] }, /\(422, .*\/name: .*\/items\/0\/asset_id: /],
    ["create_playlist", { name: "a", dry: true }, /dry: unknown argument/],
    ["create_playlist", { name: "a", dry_run: "yes" }, /dry_run: must be true or false/],
    ["create_playlist", { body: { name: "a" } }, /body: pass the fields of the body directly/],
    ["list_players", { limit: 1_000 }, /\(422, .*\?limit/],
    ["call_operation", { name: "no_such" }, /there is no operation no_such: use find_operation/],
    ["read_operation", { name: "delete_player", arguments: {} }, /delete_player writes: use call_operation/],
    ["call_operation", { name: "get_player", arguments: { id: "plr_01jd3v8q6m9x2k4n7r5t1w0yzh" } }, /There is no such screen/],
    ["pair_player", { code: "BBBB-BBBB", name: "x" }, /No screen shows this code/],
  ];
  for (const [name, given, words] of refusals) {
    const answer = await agent.call(name, given);
    expect([name, answer.isError]).toEqual([name, true]);
    expect(answer.text).toMatch(words);
    expect(answer.text).toMatch(/Request: req_\w+$/);
  }
  await expect(agent.call("no_such_tool")).rejects.toThrow("There is no tool no_such_tool");
});

test("[MCP7] resources of another team are not found by tools, MCP resources or dry runs", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { playlist, asset } = await api.showPicture(device);
  const stranger = await createOtherTeam(api);
  await using agent = await Agent.connect(api.service.url, stranger.secret, "2026");
  const id = device.playerId;
  for (const [name, given] of [
    ["get_player", { id }],
    ["update_player", { id, name: "mine" }],
    ["delete_player", { id, dry_run: true }],
    ["send_command", { id, type: "reload", dry_run: true }],
    ["get_playlist", { id: playlist.id }],
    ["get_asset_thumbnail", { id: asset.id }],
  ] as const) {
    expect((await agent.call(name, given)).text, name).toContain("404");
  }
  expect((await agent.client.listResources()).resources).toEqual([]);
  for (const uri of [`signage://players/${id}/state`, `signage://players/${id}/screen`, `signage://assets/${asset.id}/thumbnail`]) {
    await expect(agent.client.readResource({ uri }), uri).rejects.toMatchObject({ data: { uri } });
  }
  expect((await api.call("GET", `players/${id}`)).body.name).toBe("Screen");
});

test("[MCP8] a tool's write is in the audit log, runs once per idempotency key and is rejected with an old ETag", async () => {
  const api = await shared.newTeam();
  await using agent = await Agent.connect(api.service.url, api.token, "2026");
  const wish = { name: "P", items: [], idempotency_key: "agent-1" };
  const created = await agent.ok("create_playlist", wish);
  expect((await agent.ok("create_playlist", wish)).result).toEqual(created.result);
  expect((await agent.ok("list_playlists")).data).toHaveLength(1);
  expect((await agent.call("create_playlist", { ...wish, name: "Q" })).text).toContain("key-reused");
  const { id } = created.result;
  const read = await agent.call("get_playlist", { id });
  expect(read.text).toContain(created.etag);
  const changed = await agent.ok("update_playlist", { id, name: "Q", if_match: created.etag });
  expect(changed.etag).not.toBe(created.etag);
  expect((await agent.call("update_playlist", { id, name: "R", if_match: created.etag })).text).toContain("precondition-failed");
  const { data } = (await api.call("GET", "audit")).body;
  expect(data.map((entry: { action: string }) => entry.action)).toEqual(["updatePlaylist", "createPlaylist"]);
  expect(data[0]).toMatchObject({ resource_id: id, address: "127.0.0.1" });
});

test("[MCP9] without a valid token the response is 401 with the metadata URL (RFC 9728)", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { publicUrl: "https://signage.example.com" });
  const { url } = api.service;
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const metadata = "https://signage.example.com/.well-known/oauth-protected-resource/mcp";
  for (const headers of [{}, { authorization: "Bearer sgn_pat_wrong" }]) {
    const answer = await call(url, "POST", "/mcp", ping, headers);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer realm="signage-player"/);
    expect(answer.headers.get("www-authenticate")).toContain(`resource_metadata="${metadata}"`);
  }
  for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]) {
    const { status, body } = await call(url, "GET", path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ resource: "https://signage.example.com/mcp", bearer_methods_supported: ["header"] });
  }
});

test("[MCP10] MCP calls count against the same quota as REST requests, each message of a batch separately", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { limits: { token: 10, player: 100, address: 100 } });
  const headers = { authorization: `Bearer ${api.token}`, accept: "application/json, text/event-stream" };
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
  const first = await call(api.service.url, "POST", "/mcp", ping(1), headers);
  expect([first.status, first.headers.get("ratelimit")]).toEqual([200, expect.stringContaining("r=9")]);
  const many = await call(api.service.url, "POST", "/mcp", [1, 2, 3, 4, 5, 6].map(ping), headers);
  expect(many.headers.get("ratelimit")).toContain("r=3");
  const tooMany = await call(api.service.url, "POST", "/mcp", [1, 2, 3, 4, 5, 6].map(ping), headers);
  expect([tooMany.status, tooMany.body.type]).toEqual([429, "/problems/too-many"]);
  expect((await api.call("GET", "me")).status).toBe(429);
});

test("[MCP11] requests with a foreign Origin, or with a foreign host name to a local service, are rejected", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, { publicUrl: "https://signage.example.com" });
  const { port } = api.service;
  const { request } = await import("node:http");
  const statusOf = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const common = {
        authorization: `Bearer ${api.token}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      };
      const outgoing = request({ port, host: "127.0.0.1", path: "/mcp", method: "POST", headers: { ...common, ...headers } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      });
      outgoing.on("error", reject);
      outgoing.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
    });
  const own = `127.0.0.1:${port}`;
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200);
  expect(await statusOf({ host: "signage.example.com", origin: "https://signage.example.com" })).toBe(200);
  expect(await statusOf({ host: own, origin: "https://evil.example" })).toBe(403);
  expect(await statusOf({ host: own, origin: "null" })).toBe(403);
  expect(await statusOf({ host: `evil.example:${port}` })).toBe(403);
  expect(await statusOf({ host: `evil.example:${port}`, origin: `http://evil.example:${port}` })).toBe(403);
});

test.each(eras)(
  "[MCP12] a player's screen is an image resource, its state includes the reasons, and an asset has a thumbnail (%s)",
  async (era) => {
    await using folder = await temporaryFolder();
    await using api = await TestService.start(folder.path);
    const device = await api.pairDevice("Lobby");
    const { asset } = await api.showPicture(device);
    await using agent = await Agent.connect(api.service.url, api.token, era);
    const { resources } = await agent.client.listResources();
    const uri = `signage://players/${device.playerId}/screen`;
    expect(resources.map((each) => each.uri)).toEqual([uri, uri.replace("screen", "state"), uri.replace("screen", "week")]);
    expect((await agent.client.listResourceTemplates()).resourceTemplates).toHaveLength(4);
    await expect(agent.client.readResource({ uri })).rejects.toThrow("There is no screenshot yet");
    const { result: command } = await agent.ok("send_command", { id: device.playerId, type: "screenshot" });
    const bytes = await picture("png", 80);
    expect((await device.putScreenshot(shotId, bytes, { "command-id": command.id })).status).toBeLessThan(300);
    const { contents } = await agent.client.readResource({ uri });
    expect(contents[0]).toMatchObject({ uri, mimeType: "image/png", blob: bytes.toString("base64") });
    const { data } = await agent.ok("list_screenshots", { id: device.playerId });
    const image = await agent.call("get_screenshot_image", { id: data[0].id });
    expect(image.content.slice(1)).toEqual([{ type: "image", mimeType: "image/png", data: bytes.toString("base64") }]);
    const state = await agent.client.readResource({ uri: `signage://players/${device.playerId}/state` });
    const { player, now } = JSON.parse((state.contents[0] as { text: string }).text);
    expect([player.name, now.player_id, now.why]).toEqual(["Lobby", device.playerId, []]);
    const thumbnail = `signage://assets/${asset.id}/thumbnail`;
    await expect.poll(async () => (await api.call("GET", `assets/${asset.id}`)).body.status).toBe("ready");
    const small = await agent.client.readResource({ uri: thumbnail });
    const rest = await api.call("GET", `assets/${asset.id}/thumbnail`);
    expect(small.contents[0]).toMatchObject({ mimeType: "image/webp", blob: (rest.body as Buffer).toString("base64") });
    await expect(agent.client.readResource({ uri: "signage://players/x/y" })).rejects.toMatchObject({
      data: { uri: "signage://players/x/y" },
    });
  },
);

test.each(eras)("[MCP13] the prompts for a diagnosis and a campaign name existing tools only (%s)", async (era) => {
  const api = await shared.newTeam();
  await using agent = await Agent.connect(api.service.url, api.token, era);
  const { prompts } = await agent.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(["diagnose_player", "plan_campaign"]);
  const id = "plr_01jd3v8q6m9x2k4n7r5t1w0yzh";
  for (const [name, given, said] of [
    ["diagnose_player", { player_id: id }, id],
    ["plan_campaign", { goal: "Soup of the day", where: "tag kitchen" }, "Soup of the day"],
  ] as const) {
    const { messages } = await agent.client.getPrompt({ name, arguments: given });
    const text = messages.map(({ content }) => (content.type === "text" ? content.text : "")).join();
    expect(text).toContain(said);
    const named = [...text.matchAll(/\b(?:get|list|send|create|update|import|take|find|call)_[a-z_]+[a-z]/g)].map(([word]) => word);
    expect(named.length).toBeGreaterThan(3);
    for (const word of named) expect([...names, ...others, "last_seen_at"], word).toContain(word);
  }
  await expect(agent.client.getPrompt({ name: "diagnose_player", arguments: { player_id: "lobby" } })).rejects.toThrow("player_id");
});

test("[MCP19] a call that revokes its own token gets its result, the next call is rejected, and no listener leaks", async () => {
  const api = await shared.newTeam();
  const other = await createTokenFor(api, await owner(api), ["tokens:read", "tokens:write"]);
  const meta = "io.modelcontextprotocol";
  const _meta = {
    [`${meta}/protocolVersion`]: "2026-07-28",
    [`${meta}/clientInfo`]: { name: "t", version: "1" },
    [`${meta}/clientCapabilities`]: {},
  };
  const listened = await call(
    api.service.url,
    "POST",
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { _meta, notifications: { toolsListChanged: true } } },
    {
      authorization: `Bearer ${api.token}`,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
  );
  // The whole response arrived: the service ended the stream.
  expect(String(listened.body)).toMatch(/subscriptions\/acknowledged[^]*"resultType":"complete"/);
  await using agent = await Agent.connect(api.service.url, other.secret, "2025");
  expect(await agent.ok("revoke_token", { id: other.tokenId })).toMatchObject({ dry_run: false, result: null });
  await expect(agent.call("get_me")).rejects.toThrow(/401|Unauthorized|not valid/);
});
