// Teams isolate, filter by filter: what a team reads, what its writes change and what it hears of is its own.
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { z } from "zod";
import { ulid } from "../../../src/base/ulid.ts";
import { EventKind } from "../../../src/protocol/operator/events.ts";
import type { Operation } from "../../../src/service/operations/operation.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Agent } from "../mcp/agent.ts";
import {
  operatorOperations,
  fillPath,
  populateTeam,
  idsIn,
  idsWithin,
  playEvent,
  propertiesOf,
  callOperation,
  tablesOf,
  withIds,
  type PopulatedTeam,
  type IdPool,
} from "../populate-team.ts";
import { TestService, call, heartbeat, picture, type ApiResponse, type Device } from "../harness.ts";
import { EventSubscriber } from "../http/event-subscriber.ts";
import { inviteMember, createOtherTeam, owner, Person } from "./people.ts";

const patient = { timeout: 120_000 };
/** A list of what a team may have none of, or that is about another thing than the team's own. */
const mayBeEmpty = new Set(["getForecast"]);

/** Whose rows are all gone when a team has deleted everything. */
const emptied = ["schedules", "layouts", "playlists", "assets", "calendars", "webhooks"];

type Side = PopulatedTeam & { person: Person };

/** Two teams that have the same of everything, each on a device of its own. */
async function twoTeams(bench: TestService, file: DatabaseSync): Promise<[Side, Side]> {
  const [us, them] = [await owner(bench), await createOtherTeam(bench)];
  return [
    { person: us, ...(await populateTeam(bench, us, file)) },
    { person: them, ...(await populateTeam(bench, them, file)) },
  ];
}

function open(folder: string): DatabaseSync {
  return new DatabaseSync(join(folder, "state.db"), { timeout: 10_000 });
}

const known = new WeakMap<DatabaseSync, Map<string, StatementSync | null>>();

/** Rows of `table` that are a team's, by its own column or by its players. */
function rowsOf(file: DatabaseSync, table: string, teamId: string): Record<string, unknown>[] {
  const statements = known.get(file) ?? new Map<string, StatementSync | null>();
  known.set(file, statements);
  if (!statements.has(table)) statements.set(table, statementOf(file, table));
  return statements.get(table)?.all(teamId) ?? [];
}

/** Null for a table whose rows are no team's. */
function statementOf(file: DatabaseSync, table: string): StatementSync | null {
  const names = file
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => name);
  if (table === "teams") return file.prepare("SELECT * FROM teams WHERE id = ?");
  if (table === "webhook_deliveries") {
    return file.prepare("SELECT * FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE team_id = ?)");
  }
  if (names.includes("team_id")) return file.prepare(`SELECT * FROM ${table} WHERE team_id = ?`);
  if (!names.includes("player_id")) return null;
  return file.prepare(`SELECT * FROM ${table} WHERE player_id IN (SELECT id FROM players WHERE team_id = ?)`);
}

/** All ids that name something of `mine` and nothing of `other`: in rows, and of users those who are not in both. */
function ownIds(file: DatabaseSync, mine: string, other: string): ReadonlySet<string> {
  const of = (teamId: string) =>
    idsWithin([teamId, tablesOf(file).map(({ table }) => rowsOf(file, table, teamId).map((row) => ({ ...row, team_id: "" })))]);
  const others = new Set(of(other));
  return new Set(of(mine).filter((id) => !others.has(id)));
}

/** The values of a query's parameters that may be tried: those of an enumeration, and words that both teams' things carry. */
function textsIn(schema: z.ZodType | undefined): { name: string; value: string }[] {
  const words: Record<string, string[]> = {
    q: ["e"],
    tag: ["lobby"],
    action: ["createPlaylist"],
    group_by: ["player,asset,layout", "day,item"],
  };
  return Object.entries(propertiesOf(schema)).flatMap(([name, { enum: values }]) =>
    (values ?? words[name] ?? []).map((value) => ({ name, value })),
  );
}

/** Reads all that `us` can be asked for, by every filter. @returns how many answers were looked at. */
async function readAll(us: Side, foreign: ReadonlySet<string>, them: IdPool): Promise<number> {
  let looked = 0;
  const look = (what: string, { status, body }: ApiResponse): void => {
    expect([what, status < 500]).toEqual([what, true]);
    if (status < 300)
      expect([what, idsWithin(Buffer.isBuffer(body) ? body.toString() : (body ?? null)).filter((id) => foreign.has(id))]).toEqual([
        what,
        [],
      ]);
    looked += 1;
  };
  for (const each of operatorOperations.filter(({ method }) => method === "GET")) {
    const path = fillPath(each.path, paramsOf(each, us.pool));
    const plain = await us.person.call("GET", path);
    look(path, plain);
    const isList = Array.isArray(plain.body.data);
    // A list of nothing would prove nothing.
    if (isList && !mayBeEmpty.has(each.name)) expect([path, plain.body.data.length > 0]).toEqual([path, true]);
    for (const { name, value } of textsIn(each.query))
      look(`${path}?${name}=${value}`, await us.person.call("GET", `${path}?${name}=${value}`));
    const ids = idsIn(each.query);
    if (each.name === "listAudit") ids.push({ name: "resource_id", prefix: "cal" });
    for (const { name, prefix } of ids) {
      const own = await us.person.call("GET", `${path}?${name}=${us.pool.get(prefix)}`);
      look(`${path}?${name} of our own`, own);
      const theirs = them.get(prefix)!;
      // The founder of the other team wrote there too, and both know that.
      if (!foreign.has(theirs)) continue;
      const what = `${path}?${name} of theirs`;
      const other = await us.person.call("GET", `${path}?${name}=${theirs}`);
      if (isList && other.status === 200) expect([what, own.body.data.length > 0, other.body.data]).toEqual([what, true, []]);
      else expect([404, 422], what).toContain(other.status);
      looked += 1;
    }
  }
  return looked;
}

function paramsOf(each: Operation, pool: IdPool): Record<string, string> {
  return Object.fromEntries(idsIn(each.params).map(({ name, prefix }) => [name, pool.get(prefix)!]));
}

test(
  "[ISO1] every list, every report and everything else that a team reads holds its own things, and nothing of another team's",
  patient,
  async () => {
    await using folder = await temporaryFolder();
    await using bench = await TestService.start(folder.path);
    using file = open(folder.path);
    const [us, them] = await twoTeams(bench, file);
    for (const [one, other] of [
      [us, them],
      [them, us],
    ] as const) {
      const foreign = ownIds(file, other.person.teamId, one.person.teamId);
      expect(foreign.size).toBeGreaterThan(20);
      expect(await readAll(one, foreign, other.pool)).toBeGreaterThan(60);
      const { body } = await one.person.call("GET", "audit/verify");
      expect([body.holds, body.entries]).toEqual([true, rowsOf(file, "audit", one.person.teamId).length]);
      await using agent = await Agent.connect(bench.service.url, one.person.secret, "2026");
      const { resources } = await agent.client.listResources();
      expect(resources.map(({ uri }) => uri).filter((uri) => !uri.includes(one.device.playerId))).toEqual([]);
      expect(resources.length).toBeGreaterThan(0);
      for (const uri of resources.map((each) => each.uri.replace(one.device.playerId, other.device.playerId))) {
        await expect(agent.client.readResource({ uri }), uri).rejects.toMatchObject({ data: { uri } });
      }
    }
  },
);

/** What stands in the database of a team, but for what the service does by itself: of that, which rows there are. */
function contentOf(file: DatabaseSync, teamId: string): Record<string, unknown> {
  const background = ["status", "error", "source_url", "thumbnail_sha256", "thumbnail_bytes", "thumbnail_tries", "updated_at"];
  const nothing = Object.fromEntries(background.map((name) => [name, null]));
  const rows = tablesOf(file).map(({ table }): [string, unknown] => {
    const all = rowsOf(file, table, teamId);
    if (["events", "webhook_messages", "webhook_deliveries"].includes(table))
      return [table, all.map((row) => row["id"] ?? row["event_id"])];
    return [table, all.map((row) => ({ ...row, last_used_at: null, ...(table === "assets" ? nothing : {}) }))];
  });
  return Object.fromEntries(rows);
}

/** What to call after each write of others: it fails when a team's content is no longer as it was at first. */
function guardOf(file: DatabaseSync, teamId: string): (what: string) => void {
  const before = contentOf(file, teamId);
  const text = JSON.stringify(before);
  return (what) => {
    const after = contentOf(file, teamId);
    // Texts are compared quickly; what differs is shown by the objects.
    if (JSON.stringify(after) !== text) expect(after, what).toEqual(before);
  };
}

/** Waits until nothing of a team is still being imported or made a picture of: what is told of it comes with it. */
async function settle(...sides: readonly Side[]): Promise<void> {
  for (const { person } of sides) {
    for (const status of ["importing", "processing"]) {
      await expect.poll(async () => (await person.call("GET", `assets?status=${status}`)).body.data, patient).toEqual([]);
    }
  }
}

// What ends the team, its people or the token that asks; what needs another box; what needs more than its example.
const notTried = /^(?:pairPlayer|replacePlayer|updateMember|removeMember|deleteTeam|revokeToken|appendUpload)$/;

/**
 * Does all that `us` may do to its own things, each by its example, and at last deletes them all for good.
 * @param unchanged is called after each.
 * @returns the operations that were done, by name.
 */
async function writeAll(
  us: Side,
  file: DatabaseSync,
  foreign: ReadonlySet<string>,
  unchanged: (what: string) => void,
): Promise<Set<string>> {
  const done = new Set<string>();
  const attempt = async (each: Operation, path: string) => {
    const { status, body } = await callOperation(us.person, each, path, withIds(each.example ?? {}, us.pool));
    expect([each.name, status < 500]).toEqual([each.name, true]);
    const named = Buffer.isBuffer(body) ? [] : idsWithin(body ?? null);
    expect([each.name, named.filter((id) => foreign.has(id))]).toEqual([each.name, []]);
    unchanged(`${each.name} ${status}`);
    if (status < 300) done.add(each.name);
  };
  const writes = operatorOperations.filter(({ name, method }) => !["GET", "HEAD"].includes(method) && !notTried.test(name));
  for (const each of writes.filter(({ method }) => method !== "DELETE")) {
    const path = fillPath(each.path, paramsOf(each, us.pool));
    // Before this team's own file is the newest one with these bytes.
    if ("duplicate" in propertiesOf(each.query)) await attempt(each, `${path}?duplicate=reuse`);
    await attempt(each, path);
  }
  // What uses a thing has to go before it: what is refused at first is not the second or third time.
  const deletions = writes.filter(({ method }) => method === "DELETE");
  for (const each of [...deletions, ...deletions, ...deletions]) {
    const { prefix } = idsIn(each.params)[0]!;
    const all = tablesOf(file).flatMap(({ table }) => rowsOf(file, table, us.person.teamId).map(({ id }) => String(id)));
    for (const id of all.filter((one) => one.startsWith(`${prefix}_`))) {
      const path = fillPath(each.path, { id });
      await attempt(each, path);
      if ("permanent" in propertiesOf(each.query)) await attempt(each, `${path}?permanent=true`);
    }
  }
  return done;
}

test(
  "[ISO2] whatever a team does to its own things, by ids or by a tag that others carry too, another team's stay as they are",
  patient,
  async () => {
    await using folder = await temporaryFolder();
    await using bench = await TestService.start(folder.path);
    using file = open(folder.path);
    const [us, them] = await twoTeams(bench, file);
    await settle(us, them);
    const hook = `webhooks/${them.pool.get("whk")}`;
    expect((await them.person.call("PATCH", hook, { events: ["*"], status: "enabled" })).status).toBe(200);
    // As many unfinished uploads as a team may have: they are counted for each team.
    const add = file.prepare("INSERT INTO uploads (id, team_id, created_at, name, metadata, expires_at) VALUES (?, ?, 0, 'u', '{}', ?)");
    for (let each = 0; each < 100; each += 1) add.run(`upl_${ulid(Date.now())}`, them.person.teamId, Date.now() + 3_600_000);
    const foreign = ownIds(file, them.person.teamId, us.person.teamId);
    const unchanged = guardOf(file, them.person.teamId);
    const begun = await us.person.call("POST", "uploads", undefined, { "tus-resumable": "1.0.0", "upload-length": "10" });
    expect(begun.status).toBe(201);
    await writeAll(us, file, foreign, unchanged);
    for (const table of emptied) expect(rowsOf(file, table, us.person.teamId), table).toEqual([]);
  },
);

test("[ISO3] what a row names of another team's, however it came there, leads to nothing of that team", patient, async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  using file = open(folder.path);
  const [us, them] = await twoTeams(bench, file);
  await settle(us, them);
  const secret = (await us.person.call("POST", "assets?name=own", await picture("jpeg", 96), { "content-type": "image/jpeg" })).body;
  await settle(us);
  const bytes = (device: Device) => device.call("GET", `assets/${secret.sha256}`);
  expect([(await bytes(us.device)).status, (await bytes(them.device)).status]).toEqual([200, 404]);

  const [ours, foreign] = [ownIds(file, us.person.teamId, them.person.teamId), ownIds(file, them.person.teamId, us.person.teamId)];

  // Their rows name what is ours. Only their own team's writes look at them again.
  const pairs = ["pls", "ast", "lay", "cal"].map((prefix) => [them.pool.get(prefix)!, us.pool.get(prefix)!] as const);
  const run = (statement: string, ...values: SQLInputValue[]) => file.prepare(statement).run(...values, them.person.teamId);
  for (const [theirs, ours] of pairs) {
    run(
      "UPDATE layouts SET zones = replace(zones, ?, ?), background_asset_id = replace(background_asset_id, ?, ?) WHERE team_id = ?",
      theirs,
      ours,
      theirs,
      ours,
    );
    run("UPDATE playlists SET items = replace(items, ?, ?) WHERE team_id = ?", theirs, ours);
    run(
      "UPDATE schedules SET timing = replace(timing, ?, ?), layout_id = replace(layout_id, ?, ?) WHERE team_id = ?",
      theirs,
      ours,
      theirs,
      ours,
    );
  }
  const condition = JSON.stringify([{ type: "calendar", calendar_id: us.pool.get("cal"), is_listed: true }]);
  run("UPDATE schedules SET timing = json_set(timing, '$.conditions', json(?)) WHERE team_id = ?", condition);
  const [layoutId, assetId] = [us.pool.get("lay")!, us.pool.get("ast")!];
  run("UPDATE layouts SET background_asset_id = ? WHERE team_id = ?", assetId);
  const other = file.prepare("SELECT * FROM schedules WHERE team_id = ?").get(them.person.teamId)!;
  const columns = Object.keys(other);
  const copy = (values: object) => {
    const row = { ...other, id: `sch_${ulid(Date.now())}`, ...values } as Record<string, SQLInputValue>;
    file
      .prepare(`INSERT INTO schedules (${columns.join()}) VALUES (${columns.map(() => "?").join()})`)
      .run(...columns.map((name) => row[name]!));
  };
  copy({ target_type: "player", target_value: us.device.playerId });
  copy({ target_type: "team", target_value: "" });
  const both = [us.device.playerId, them.device.playerId].map((id) => ({ type: "player", player_id: id }));
  copy({ target_type: "any", target_value: JSON.stringify(both) });
  const override = file.prepare(
    "INSERT INTO overrides (command_id, team_id, player_id, layout_id, asset_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?, 0, ?)",
  );
  for (const expiresAt of [null, 1]) {
    override.run(`cmd_${ulid(Date.now())}`, them.person.teamId, them.device.playerId, layoutId, null, expiresAt);
    override.run(`cmd_${ulid(Date.now())}`, them.person.teamId, them.device.playerId, null, assetId, expiresAt);
  }
  const look = async () =>
    expect((await them.person.call("PATCH", `players/${them.device.playerId}`, { name: "Changed" })).status).toBe(200);
  await look();

  const told = (await them.device.call("GET", "state")).body;
  expect([told.layout?.id, told.playlists.length, told.schedules.length > 1]).toEqual([them.pool.get("lay"), 0, true]);
  const content = [...told.layouts, ...told.playlists, ...told.assets, ...(told.calendars ?? [])] as { id: string }[];
  expect(content.filter(({ id }) => ours.has(id))).toEqual([]);
  expect(idsWithin((await us.device.call("GET", "state")).body).filter((id) => foreign.has(id))).toEqual([]);
  run("UPDATE players SET layout_id = ? WHERE team_id = ?", layoutId);
  await look();
  await readAll(us, foreign, them.pool);

  await writeAll(us, file, foreign, guardOf(file, them.person.teamId));
  for (const table of emptied) expect(rowsOf(file, table, us.person.teamId), table).toEqual([]);
});

test("[ISO4] a report gives no name of another team's thing, though an event of its own players names it", patient, async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  using file = open(folder.path);
  const [us, them] = await twoTeams(bench, file);
  const mixed = new Map([...them.pool, ["ast", us.pool.get("ast")!]]);
  expect((await them.device.call("POST", "play-events", { events: [playEvent(mixed)] })).body.accepted).toBe(1);
  const { data } = (await them.person.call("GET", "reports/proof-of-play?group_by=asset")).body;
  const named = data.map((row: { asset_id: string; asset_name: string | null }) => [row.asset_id, row.asset_name !== null]);
  expect(new Map(named)).toEqual(
    new Map([
      [us.pool.get("ast"), false],
      [them.pool.get("ast"), true],
    ]),
  );
});

test("[ISO4] a write for the whole team, or for a tag, concerns no player of another team", patient, async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  using file = open(folder.path);
  const [us, them] = await twoTeams(bench, file);
  await using agent = await Agent.connect(bench.service.url, us.person.secret, "2026");
  const schedule = {
    name: "All",
    layout_id: us.pool.get("lay")!,
    target: { type: "team" },
    starts_at: "2026-01-01T00:00",
    ends_at: "2026-01-01T23:00",
  };
  const { concerned } = await agent.ok("create_schedule", schedule);
  expect(concerned.players.map(({ id }: { id: string }) => id)).toEqual([us.device.playerId]);
  file.prepare("INSERT INTO player_tags (player_id, tag, team_id) VALUES (?, 'stray', ?)").run(us.device.playerId, them.person.teamId);
  for (const [tag, count] of [
    ["lobby", 1],
    ["stray", 0],
  ] as const) {
    const queued = await us.person.call("POST", "commands", { target: { tag }, type: "reload" });
    expect([tag, queued.status, queued.body.count]).toEqual([tag, 202, count]);
  }
});

test(
  "[TEA11] each id of another team's alone, where everything else is ours, is refused; also those that no example holds",
  patient,
  async () => {
    await using folder = await temporaryFolder();
    await using bench = await TestService.start(folder.path);
    using file = open(folder.path);
    const [us, them] = await twoTeams(bench, file);
    const [ours, theirs] = [(prefix: string) => us.pool.get(prefix)!, (prefix: string) => them.pool.get(prefix)!];
    const commands = `players/${ours("plr")}/commands`;
    const schedule = (more: object) => ({
      name: "S",
      layout_id: ours("lay"),
      target: { type: "team" },
      starts_at: "2026-01-01T00:00",
      ends_at: "2026-01-01T23:00",
      ...more,
    });
    const inCalendar = (id: string) => schedule({ conditions: [{ type: "calendar", calendar_id: id }] });
    const cases: [string, string, (of: (prefix: string) => string) => object][] = [
      ["POST", "schedules", (of) => inCalendar(of("cal"))],
      ["POST", "schedules", (of) => schedule({ layout_id: of("lay") })],
      ["POST", "schedules", (of) => schedule({ target: { type: "player", player_id: of("plr") } })],
      [
        "POST",
        "schedules",
        (of) =>
          schedule({
            target: {
              type: "any",
              of: [
                { type: "player", player_id: of("plr") },
                { type: "tag", tag: "x" },
              ],
            },
          }),
      ],
      ["PATCH", `layouts/${ours("lay")}`, (of) => ({ background_asset_id: of("ast") })],
      ["PATCH", `players/${ours("plr")}`, (of) => ({ layout_id: of("lay") })],
      ["POST", commands, (of) => ({ type: "override.set", args: { layout_id: of("lay") } })],
      ["POST", commands, (of) => ({ type: "override.set", args: { asset_id: of("ast") } })],
      ["POST", "commands", (of) => ({ target: { player_ids: [of("plr")] }, type: "reload" })],
    ];
    await settle(us, them);
    const unchanged = guardOf(file, them.person.teamId);
    for (const [method, path, bodyOf] of cases) {
      const what = `${method} ${path} ${JSON.stringify(bodyOf((prefix) => prefix))}`;
      const foreign = await us.person.call(method, path, bodyOf(theirs));
      expect([what, foreign.status]).toEqual([what, 422]);
      unchanged(what);
      expect([what, (await us.person.call(method, path, bodyOf(ours))).status < 300]).toEqual([what, true]);
    }
    // A picture of theirs stays theirs, whichever player its row names.
    file.prepare("UPDATE screenshots SET player_id = ? WHERE team_id = ?").run(ours("plr"), them.person.teamId);
    expect((await us.person.call("GET", `screenshots/${theirs("shot")}`)).status).toBe(404);
  },
);

test("[ISO6] a team that nobody is in gets an owner at the next start; tokens of other teams stay whose they are", patient, async () => {
  await using folder = await temporaryFolder();
  using rows = await (async () => {
    await using bench = await TestService.start(folder.path);
    await createOtherTeam(bench);
    return open(folder.path);
  })();
  const [mine, bare] = rows
    .prepare("SELECT id FROM teams ORDER BY id")
    .all()
    .map(({ id }) => String(id)) as [string, string];
  rows.prepare("DELETE FROM members WHERE team_id = ?").run(bare);
  rows.exec("UPDATE tokens SET user_id = NULL");
  const before = rows.prepare("SELECT * FROM members").all();
  await using bench = await TestService.start(folder.path);
  expect(bench.folder).toBe(folder.path);
  const after = rows.prepare("SELECT * FROM members").all();
  expect(after.filter(({ team_id }) => team_id === mine)).toEqual(before);
  const [{ user_id: fresh }] = after.filter(({ team_id }) => team_id === bare) as [{ user_id: string }];
  const owners = (teamId: string) =>
    new Set(
      rows
        .prepare("SELECT user_id FROM tokens WHERE team_id = ?")
        .all(teamId)
        .map(({ user_id }) => user_id),
    );
  expect([owners(bare), owners(mine).has(fresh)]).toEqual([new Set([fresh]), false]);
});

test(
  "[ISO5] somebody in two teams is in each what that team made them: a lower role or an end there changes nothing here",
  patient,
  async () => {
    await using folder = await temporaryFolder();
    await using bench = await TestService.start(folder.path);
    const [us, them] = [await owner(bench), await createOtherTeam(bench)];
    const inUs = await inviteMember(bench, us, "owner", "both");
    const invitation = (await them.call("POST", "invitations", { email: "both@example.com", name: "both", role: "owner" })).body;
    const seat = await call(
      bench.service.url,
      "POST",
      "invitations/accept",
      { secret: invitation.secret },
      { authorization: inUs.authorization },
    );
    expect([seat.status, seat.body.user.id]).toEqual([201, inUs.userId]);
    const inThem = new Person(bench, seat.body);
    const invite = (by: Person) => by.call("POST", "invitations", { email: "new@example.com", name: "new", role: "viewer" });
    const [ours, theirs] = [(await invite(inUs)).body, (await invite(inThem)).body];
    const seen = async () => [
      (await inUs.call("GET", "me")).body.role,
      (await inThem.call("GET", "me")).body.role,
      (await inThem.call("POST", "playlists", { name: "P" })).status,
      (await us.call("GET", `invitations/${ours.id}`)).body.status,
      (await them.call("GET", `invitations/${theirs.id}`)).body.status,
      (await them.call("GET", `teams/${them.teamId}/members/${inUs.userId}`)).body.role,
    ];
    expect(await seen()).toEqual(["owner", "owner", 201, "pending", "pending", "owner"]);
    const member = `teams/${us.teamId}/members/${inUs.userId}`;
    expect((await us.call("PATCH", member, { role: "viewer" })).status).toBe(200);
    expect(await seen()).toEqual(["viewer", "owner", 201, "revoked", "pending", "owner"]);
    // The other team's owners are none of this one.
    expect((await us.call("PATCH", `teams/${us.teamId}/members/${us.userId}`, { role: "viewer" })).status).toBe(409);
    expect((await us.call("DELETE", member)).status).toBe(204);
    expect(await seen()).toEqual([undefined, "owner", 201, "revoked", "pending", "owner"]);
  },
);

test(
  "[ISO6] an empty team is deleted though others are not empty, with what it has in the bin, and takes nothing of theirs",
  patient,
  async () => {
    await using folder = await temporaryFolder();
    await using bench = await TestService.start(folder.path);
    using file = open(folder.path);
    const [us, them] = await twoTeams(bench, file);
    await settle(us, them);
    const made = (await us.person.call("POST", "teams", { name: "Third" })).body;
    const third = new Person(bench, { user: { id: us.person.userId }, team: { id: made.id }, token: made.token });
    const spare = async (person: Person) => {
      const device = await bench.newDevice();
      const player = await person.call("POST", "players/pair", { code: device.grant.user_code, name: "Spare" });
      const playlist = await person.call("POST", "playlists", { name: "Spare" });
      expect((await person.call("DELETE", `players/${player.body.id}`)).status).toBe(204);
      expect((await person.call("DELETE", `playlists/${playlist.body.id}`)).status).toBe(204);
    };
    for (const person of [us.person, them.person, third]) await spare(person);
    expect((await third.call("POST", "invitations", { email: "new@example.com", name: "new", role: "viewer" })).status).toBe(201);
    const others = () => [us, them].map(({ person }) => contentOf(file, person.teamId));
    const before = others();
    expect((await third.call("DELETE", `teams/${made.id}`)).status).toBe(204);
    expect(others()).toEqual(before);
    expect([rowsOf(file, "playlists", made.id), rowsOf(file, "members", made.id)]).toEqual([[], []]);
  },
);

test("[ISO7] a subscriber hears what happens in its own team alone, also when it names players of another", patient, async () => {
  await using folder = await temporaryFolder();
  await using bench = await TestService.start(folder.path);
  using file = open(folder.path);
  const [us, them] = await twoTeams(bench, file);
  await settle(us, them);
  const foreign = ownIds(file, them.person.teamId, us.person.teamId);
  const kinds = [...EventKind.options];
  using all = new EventSubscriber(bench.service.url, us.person.secret);
  using named = new EventSubscriber(bench.service.url, us.person.secret);
  // Not as many as theirs.
  for (let each = 0; each < 3; each += 1) expect((await us.person.call("POST", "playlists", { name: "P" })).status).toBe(201);
  using stranger = new EventSubscriber(bench.service.url, them.person.secret);
  const { last_seq: last } = file.prepare("SELECT last_seq FROM event_journals WHERE team_id = ?").get(them.person.teamId)!;
  expect((await stranger.subscribe(kinds)).seq).toBe(last);
  const place = await all.subscribe(kinds, { after: { epoch: "", seq: 0 } });
  const { last_seq } = file.prepare("SELECT last_seq FROM event_journals WHERE team_id = ?").get(us.person.teamId)!;
  expect(place.seq).toBe(last_seq);
  await all.subscribe(kinds, { after: { epoch: place.epoch, seq: 0 } });
  await named.subscribe(kinds, { players: [us.device.playerId, them.device.playerId], after: { epoch: place.epoch, seq: 0 } });
  expect((await them.device.call("POST", "heartbeat", heartbeat())).status).toBe(200);
  expect((await them.device.putScreenshot(`shot_${ulid(Date.now())}`, await picture())).status).toBeLessThan(300);
  expect((await them.person.call("POST", `players/${them.device.playerId}/commands`, { type: "reload" })).status).toBe(202);
  expect((await them.person.call("PATCH", `layouts/${them.pool.get("lay")}`, { name: "Theirs" })).status).toBe(200);
  const marker = (await us.person.call("POST", `players/${us.device.playerId}/commands`, { type: "identify" })).body;
  expect((await us.device.call("POST", "heartbeat", heartbeat())).status).toBe(200);
  for (const listener of [all, named]) {
    await listener.next(
      (message): message is Extract<typeof message, { type: "event" }> => message.type === "event" && message.data.data["id"] === marker.id,
    );
    await listener.next((message): message is Extract<typeof message, { type: "heartbeat" }> => message.type === "heartbeat");
    expect(idsWithin(listener.heard).filter((id) => foreign.has(id))).toEqual([]);
  }
  // What happens from now on names things that are not in the list: of both teams' events each stands in its own team's only.
  const theirs = new Set(rowsOf(file, "events", them.person.teamId).map(({ id }) => id));
  expect(all.events.filter(({ data }) => theirs.has(data.id))).toEqual([]);
});
