// Isolation of teams: a team reads, changes and receives events about its own resources only.
import type { SQLInputValue } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ulid } from "../../../../src/base/ulid.ts";
import { EventKind } from "../../../../src/protocol/operator/events.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { Agent } from "../../mcp/agent.ts";
import { idsWithin, playEvent } from "../../populate-team.ts";
import { TestService, call, heartbeat, picture, type Device } from "../../harness.ts";
import { EventSubscriber } from "../../events/event-subscriber.ts";
import { readEverything, writeEverything } from "./every-operation.ts";
import { inviteMember, createOtherTeam, owner, Person } from "../people.ts";
import { contentOf, createUnchangedCheck, idsOnlyIn, openDatabase, rowsOf, startTwoTeams, waitForAssets } from "./two-teams.ts";

// Of the tests that leave both teams with what they have.
let teams: Awaited<ReturnType<typeof startTwoTeams>>;

beforeAll(async () => {
  teams = await startTwoTeams();
});
afterAll(() => teams[Symbol.asyncDispose]());

test("[ISO1] every list, report and other read of a team contains the team's own data and nothing of another team", async () => {
  const { service, file, own, other } = teams;
  for (const [team, foreignTeam] of [
    [own, other],
    [other, own],
  ] as const) {
    const foreign = idsOnlyIn(file, foreignTeam.person.teamId, team.person.teamId);
    expect(foreign.size).toBeGreaterThan(20);
    expect(await readEverything(team, foreign, foreignTeam.pool)).toBeGreaterThan(60);
    const { body } = await team.person.call("GET", "audit/verify");
    expect([body.holds, body.entries]).toEqual([true, rowsOf(file, "audit", team.person.teamId).length]);
    await using agent = await Agent.connect(service.service.url, team.person.secret, "2026");
    const { resources } = await agent.client.listResources();
    expect(resources.map(({ uri }) => uri).filter((uri) => !uri.includes(team.device.playerId))).toEqual([]);
    expect(resources.length).toBeGreaterThan(0);
    for (const uri of resources.map((each) => each.uri.replace(team.device.playerId, foreignTeam.device.playerId))) {
      await expect(agent.client.readResource({ uri }), uri).rejects.toMatchObject({ data: { uri } });
    }
  }
});

test("[ISO2] writes of a team, by id or by a tag that other teams use too, change nothing of another team", async () => {
  await using teams = await startTwoTeams();
  const { file, own, other } = teams;
  await waitForAssets(own, other);
  const webhook = `webhooks/${other.pool.get("whk")}`;
  expect((await other.person.call("PATCH", webhook, { events: ["*"], status: "enabled" })).status).toBe(200);
  // The other team has the maximum of unfinished uploads, which is counted per team.
  const add = file.prepare("INSERT INTO uploads (id, team_id, created_at, name, metadata, expires_at) VALUES (?, ?, 0, 'u', '{}', ?)");
  for (let each = 0; each < 100; each += 1) add.run(`upl_${ulid(Date.now())}`, other.person.teamId, Date.now() + 3_600_000);
  const foreign = idsOnlyIn(file, other.person.teamId, own.person.teamId);
  const checkUnchanged = createUnchangedCheck(file, other.person.teamId);
  const upload = await own.person.call("POST", "uploads", undefined, { "tus-resumable": "1.0.0", "upload-length": "10" });
  expect(upload.status).toBe(201);
  await writeEverything(own, file, foreign, checkUnchanged);
});

test("[ISO3] a database row that wrongly refers to another team's resource gives no access to it", async () => {
  await using teams = await startTwoTeams();
  const { file, own, other } = teams;
  await waitForAssets(own, other);
  const asset = (await own.person.call("POST", "assets?name=own", await picture("jpeg", 96), { "content-type": "image/jpeg" })).body;
  await waitForAssets(own);
  const download = (device: Device) => device.call("GET", `assets/${asset.sha256}`);
  expect([(await download(own.device)).status, (await download(other.device)).status]).toEqual([200, 404]);

  const ownIds = idsOnlyIn(file, own.person.teamId, other.person.teamId);
  const foreign = idsOnlyIn(file, other.person.teamId, own.person.teamId);

  // The other team's rows now refer to resources of the own team.
  const pairs = ["pls", "ast", "lay", "cal"].map((prefix) => [other.pool.get(prefix)!, own.pool.get(prefix)!] as const);
  const run = (statement: string, ...values: SQLInputValue[]) => file.prepare(statement).run(...values, other.person.teamId);
  for (const [from, to] of pairs) {
    run(
      "UPDATE layouts SET zones = replace(zones, ?, ?), background_asset_id = replace(background_asset_id, ?, ?) WHERE team_id = ?",
      from,
      to,
      from,
      to,
    );
    run("UPDATE playlists SET items = replace(items, ?, ?) WHERE team_id = ?", from, to);
    run("UPDATE schedules SET timing = replace(timing, ?, ?), layout_id = replace(layout_id, ?, ?) WHERE team_id = ?", from, to, from, to);
  }
  const conditions = [{ type: "calendar", calendar_id: own.pool.get("cal"), is_listed: true }];
  for (const { id, timing } of rowsOf(file, "schedules", other.person.teamId)) {
    run(
      "UPDATE schedules SET timing = ? WHERE id = ? AND team_id = ?",
      JSON.stringify({ ...JSON.parse(String(timing)), conditions }),
      String(id),
    );
  }
  const [layoutId, assetId] = [own.pool.get("lay")!, own.pool.get("ast")!];
  run("UPDATE layouts SET background_asset_id = ? WHERE team_id = ?", assetId);
  const schedule = file.prepare("SELECT * FROM schedules WHERE team_id = ?").get(other.person.teamId)!;
  const columns = Object.keys(schedule);
  const copySchedule = (values: object) => {
    const row = { ...schedule, id: `sch_${ulid(Date.now())}`, ...values } as Record<string, SQLInputValue>;
    file
      .prepare(`INSERT INTO schedules (${columns.join()}) VALUES (${columns.map(() => "?").join()})`)
      .run(...columns.map((name) => row[name]!));
  };
  copySchedule({ target_type: "player", target_value: own.device.playerId });
  copySchedule({ target_type: "team", target_value: "" });
  const bothPlayers = [own.device.playerId, other.device.playerId].map((id) => ({ type: "player", player_id: id }));
  copySchedule({ target_type: "any", target_value: JSON.stringify(bothPlayers) });
  const override = file.prepare(
    "INSERT INTO overrides (command_id, team_id, player_id, layout_id, asset_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?, 0, ?)",
  );
  for (const expiresAt of [null, 1]) {
    override.run(`cmd_${ulid(Date.now())}`, other.person.teamId, other.device.playerId, layoutId, null, expiresAt);
    override.run(`cmd_${ulid(Date.now())}`, other.person.teamId, other.device.playerId, null, assetId, expiresAt);
  }
  // Only a write of the other team makes the service read its rows again.
  const writeAsOther = async () =>
    expect((await other.person.call("PATCH", `players/${other.device.playerId}`, { name: "Changed" })).status).toBe(200);
  await writeAsOther();

  const state = (await other.device.call("GET", "state")).body;
  expect([state.layout?.id, state.playlists.length, state.schedules.length > 1]).toEqual([other.pool.get("lay"), 0, true]);
  const content = [...state.layouts, ...state.playlists, ...state.assets, ...(state.calendars ?? [])] as { id: string }[];
  expect(content.filter(({ id }) => ownIds.has(id))).toEqual([]);
  expect(idsWithin((await own.device.call("GET", "state")).body).filter((id) => foreign.has(id))).toEqual([]);
  run("UPDATE players SET layout_id = ? WHERE team_id = ?", layoutId);
  await writeAsOther();
  await readEverything(own, foreign, other.pool);

  await writeEverything(own, file, foreign, createUnchangedCheck(file, other.person.teamId));
});

test("[ISO4] a report does not contain the name of another team's asset, even if the team's own play events refer to it", async () => {
  const { own, other } = teams;
  const mixedPool = new Map([...other.pool, ["ast", own.pool.get("ast")!]]);
  expect((await other.device.call("POST", "play-events", { events: [playEvent(mixedPool, teams.clock.now())] })).body.accepted).toBe(1);
  const { data } = (await other.person.call("GET", "reports/proof-of-play?group_by=asset")).body;
  const hasName = data.map((row: { asset_id: string; asset_name: string | null }) => [row.asset_id, row.asset_name !== null]);
  expect(new Map(hasName)).toEqual(
    new Map([
      [own.pool.get("ast"), false],
      [other.pool.get("ast"), true],
    ]),
  );
});

test("[ISO4] a write for the whole team, or for a tag, affects no player of another team", async () => {
  const { service, file, own, other } = teams;
  await using agent = await Agent.connect(service.service.url, own.person.secret, "2026");
  const { concerned } = await agent.ok("create_schedule", newSchedule(own.pool.get("lay")!));
  expect(concerned.players.map(({ id }: { id: string }) => id)).toEqual([own.device.playerId]);
  file.prepare("INSERT INTO player_tags (player_id, tag, team_id) VALUES (?, 'stray', ?)").run(own.device.playerId, other.person.teamId);
  for (const [tag, count] of [
    ["lobby", 1],
    ["stray", 0],
  ] as const) {
    const queued = await own.person.call("POST", "commands", { target: { tag }, type: "reload" });
    expect([tag, queued.status, queued.body.count]).toEqual([tag, 202, count]);
  }
});

test("[TEA11] a body with a single id of another team is rejected, also in fields that the examples do not use", async () => {
  const { file, own, other } = teams;
  const ownId = (prefix: string) => own.pool.get(prefix)!;
  const foreignId = (prefix: string) => other.pool.get(prefix)!;
  const commands = `players/${ownId("plr")}/commands`;
  const schedule = (more: object) => ({ ...newSchedule(ownId("lay")), ...more });
  const player = (id: string) => ({ type: "player", player_id: id });
  const anyTarget = (id: string) => ({ type: "any", of: [player(id), { type: "tag", tag: "x" }] });
  const cases: [string, string, (idOf: (prefix: string) => string) => object][] = [
    ["POST", "schedules", (idOf) => schedule({ conditions: [{ type: "calendar", calendar_id: idOf("cal") }] })],
    ["POST", "schedules", (idOf) => schedule({ layout_id: idOf("lay") })],
    ["POST", "schedules", (idOf) => schedule({ target: player(idOf("plr")) })],
    ["POST", "schedules", (idOf) => schedule({ target: anyTarget(idOf("plr")) })],
    ["PATCH", `layouts/${ownId("lay")}`, (idOf) => ({ background_asset_id: idOf("ast") })],
    ["PATCH", `players/${ownId("plr")}`, (idOf) => ({ layout_id: idOf("lay") })],
    ["PATCH", `teams/${own.person.teamId}`, (idOf) => ({ safe_asset_id: idOf("ast") })],
    ["POST", commands, (idOf) => ({ type: "override.set", args: { layout_id: idOf("lay") } })],
    ["POST", commands, (idOf) => ({ type: "override.set", args: { asset_id: idOf("ast") } })],
    ["POST", "commands", (idOf) => ({ target: { player_ids: [idOf("plr")] }, type: "reload" })],
  ];
  await waitForAssets(own, other);
  const checkUnchanged = createUnchangedCheck(file, other.person.teamId);
  for (const [method, path, bodyWith] of cases) {
    const request = `${method} ${path} ${JSON.stringify(bodyWith((prefix) => prefix))}`;
    const rejected = await own.person.call(method, path, bodyWith(foreignId));
    expect([request, rejected.status]).toEqual([request, 422]);
    checkUnchanged(request);
    expect([request, (await own.person.call(method, path, bodyWith(ownId))).status < 300]).toEqual([request, true]);
  }
  // A screenshot belongs to the team of its row, even if its row refers to a player of another team.
  file.prepare("UPDATE screenshots SET player_id = ? WHERE team_id = ?").run(ownId("plr"), other.person.teamId);
  expect((await own.person.call("GET", `screenshots/${foreignId("shot")}`)).status).toBe(404);
});

test("[ISO6] a team without members gets an owner at the next start; tokens of other teams keep their users", async () => {
  await using folder = await temporaryFolder();
  using rows = await (async () => {
    await using api = await TestService.start(folder.path);
    await createOtherTeam(api);
    return openDatabase(folder.path);
  })();
  const [withMembers, withoutMembers] = rows
    .prepare("SELECT id FROM teams ORDER BY id")
    .all()
    .map(({ id }) => String(id)) as [string, string];
  rows.prepare("DELETE FROM members WHERE team_id = ?").run(withoutMembers);
  rows.exec("UPDATE tokens SET user_id = NULL");
  const before = rows.prepare("SELECT * FROM members").all();
  await using api = await TestService.start(folder.path);
  expect(api.folder).toBe(folder.path);
  const after = rows.prepare("SELECT * FROM members").all();
  expect(after.filter(({ team_id }) => team_id === withMembers)).toEqual(before);
  const [{ user_id: newOwner }] = after.filter(({ team_id }) => team_id === withoutMembers) as [{ user_id: string }];
  const tokenUsers = (teamId: string) =>
    new Set(
      rows
        .prepare("SELECT user_id FROM tokens WHERE team_id = ?")
        .all(teamId)
        .map(({ user_id }) => user_id),
    );
  expect([tokenUsers(withoutMembers), tokenUsers(withMembers).has(newOwner)]).toEqual([new Set([newOwner]), false]);
});

test("[ISO5] a user in two teams has a separate role in each: demotion or removal in one does not affect the other", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const [own, other] = [await owner(api), await createOtherTeam(api)];
  const inOwn = await inviteMember(api, own, "owner", "both");
  const invitation = (await other.call("POST", "invitations", { email: "both@example.com", name: "both", role: "owner" })).body;
  const accepted = await call(
    api.service.url,
    "POST",
    "invitations/accept",
    { secret: invitation.secret },
    { authorization: inOwn.authorization },
  );
  expect([accepted.status, accepted.body.user.id]).toEqual([201, inOwn.userId]);
  const inOther = new Person(api, accepted.body);
  const invite = (by: Person) => by.call("POST", "invitations", { email: "new@example.com", name: "new", role: "viewer" });
  const [ownInvitation, otherInvitation] = [(await invite(inOwn)).body, (await invite(inOther)).body];
  const status = async () => [
    (await inOwn.call("GET", "me")).body.role,
    (await inOther.call("GET", "me")).body.role,
    (await inOther.call("POST", "playlists", { name: "P" })).status,
    (await own.call("GET", `invitations/${ownInvitation.id}`)).body.status,
    (await other.call("GET", `invitations/${otherInvitation.id}`)).body.status,
    (await other.call("GET", `teams/${other.teamId}/members/${inOwn.userId}`)).body.role,
  ];
  expect(await status()).toEqual(["owner", "owner", 201, "pending", "pending", "owner"]);
  const member = `teams/${own.teamId}/members/${inOwn.userId}`;
  expect((await own.call("PATCH", member, { role: "viewer" })).status).toBe(200);
  expect(await status()).toEqual(["viewer", "owner", 201, "revoked", "pending", "owner"]);
  // Owners of the other team do not count as owners of this team.
  expect((await own.call("PATCH", `teams/${own.teamId}/members/${own.userId}`, { role: "viewer" })).status).toBe(409);
  expect((await own.call("DELETE", member)).status).toBe(204);
  expect(await status()).toEqual([undefined, "owner", 201, "revoked", "pending", "owner"]);
});

test("[ISO6] an empty team can be deleted together with its bin, and nothing of other teams is deleted", async () => {
  const { service, file, own, other } = teams;
  await waitForAssets(own, other);
  const created = (await own.person.call("POST", "teams", { name: "Third" })).body;
  const third = new Person(service, { user: { id: own.person.userId }, team: { id: created.id }, token: created.token });
  const fillBin = async (person: Person) => {
    const device = await service.newDevice();
    const player = await person.call("POST", "players/pair", { code: device.grant.user_code, name: "Spare" });
    const playlist = await person.call("POST", "playlists", { name: "Spare" });
    expect((await person.call("DELETE", `players/${player.body.id}`)).status).toBe(204);
    expect((await person.call("DELETE", `playlists/${playlist.body.id}`)).status).toBe(204);
  };
  for (const person of [own.person, other.person, third]) await fillBin(person);
  expect((await third.call("POST", "invitations", { email: "new@example.com", name: "new", role: "viewer" })).status).toBe(201);
  const contentOfOthers = () => [own, other].map(({ person }) => contentOf(file, person.teamId));
  const before = contentOfOthers();
  expect((await third.call("DELETE", `teams/${created.id}`)).status).toBe(204);
  expect(contentOfOthers()).toEqual(before);
  expect([rowsOf(file, "playlists", created.id), rowsOf(file, "members", created.id)]).toEqual([[], []]);
});

test("[ISO7] a subscriber receives only events of its own team, even if it names players of another team", async () => {
  const { service, file, own, other } = teams;
  await waitForAssets(own, other);
  const foreign = idsOnlyIn(file, other.person.teamId, own.person.teamId);
  const kinds = [...EventKind.options];
  const lastSeq = (teamId: string) => file.prepare("SELECT last_seq FROM event_journals WHERE team_id = ?").get(teamId)!["last_seq"];
  using allPlayers = new EventSubscriber(service.service.url, own.person.secret);
  using namedPlayers = new EventSubscriber(service.service.url, own.person.secret);
  // The journals of the two teams now have different lengths.
  for (let each = 0; each < 3; each += 1) expect((await own.person.call("POST", "playlists", { name: "P" })).status).toBe(201);
  using ofOtherTeam = new EventSubscriber(service.service.url, other.person.secret);
  expect((await ofOtherTeam.subscribe(kinds)).seq).toBe(lastSeq(other.person.teamId));
  const position = await allPlayers.subscribe(kinds, { after: { epoch: "", seq: 0 } });
  expect(position.seq).toBe(lastSeq(own.person.teamId));
  const after = { epoch: position.epoch, seq: 0 };
  await allPlayers.subscribe(kinds, { after });
  await namedPlayers.subscribe(kinds, { players: [own.device.playerId, other.device.playerId], after });
  expect((await other.device.call("POST", "heartbeat", heartbeat())).status).toBe(200);
  expect((await other.device.putScreenshot(`shot_${ulid(Date.now())}`, await picture())).status).toBeLessThan(300);
  expect((await other.person.call("POST", `players/${other.device.playerId}/commands`, { type: "reload" })).status).toBe(202);
  expect((await other.person.call("PATCH", `layouts/${other.pool.get("lay")}`, { name: "Theirs" })).status).toBe(200);
  const last = (await own.person.call("POST", `players/${own.device.playerId}/commands`, { type: "identify" })).body;
  expect((await own.device.call("POST", "heartbeat", heartbeat())).status).toBe(200);
  for (const subscriber of [allPlayers, namedPlayers]) {
    await subscriber.next(
      (message): message is Extract<typeof message, { type: "event" }> => message.type === "event" && message.data.data["id"] === last.id,
    );
    await subscriber.next((message): message is Extract<typeof message, { type: "heartbeat" }> => message.type === "heartbeat");
    expect(idsWithin(subscriber.received).filter((id) => foreign.has(id))).toEqual([]);
  }
  // The new events of the other team contain new ids, which are not in `foreign`: compare the events themselves.
  const otherEvents = new Set(rowsOf(file, "events", other.person.teamId).map(({ id }) => id));
  expect(allPlayers.events.filter(({ data }) => otherEvents.has(data.id))).toEqual([]);
});

/** A schedule for the whole team. */
function newSchedule(layoutId: string) {
  return { name: "S", layout_id: layoutId, target: { type: "team" }, starts_at: "2026-01-01T00:00", ends_at: "2026-01-01T23:00" };
}
