// Teams, members, invitations, and the permissions of roles.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Invitation, CreatedInvitation, Me, Member, OwnTeam, AcceptedInvitation } from "../../../../src/protocol/operator/people.ts";
import { generateToken, hashSecret } from "../../../../src/service/people/token-secrets.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { TestService, call } from "../../harness.ts";
import { createOlderData } from "../../store/older.ts";
import { inviteMember, createOtherTeam, owner, Person } from "../people.ts";
import { openTables } from "../../tables-of.ts";
import { dropAdminToken, isOnPostgres } from "../../test-database.ts";
import { useService } from "../../shared-service.ts";

const shared = useService();

test("[TEA1] the first start creates a team and its owner, who can read and change their own user", async () => {
  const api = await shared.newTeam();
  const me = await api.call("GET", "me");
  expect(Me.parse(me.body)).toMatchObject({ user: { name: "Owner", email: null }, role: "owner" });
  const renamed = await api.call("PATCH", "me", { name: "Ada", email: "Ada@Example.com" });
  expect(renamed.body).toMatchObject({ name: "Ada", email: "ada@example.com" });
  expect((await api.call("GET", "me")).body.user).toEqual(renamed.body);
  expect((await api.call("PATCH", "me", { email: "nonsense" })).body.errors[0].pointer).toBe("/email");
});

test.skipIf(isOnPostgres)(
  "[TEA2] a database from a version without users gets an owner, and the token in the file gets all scopes",
  async () => {
    await using folder = await temporaryFolder();
    const token = generateToken();
    await createOlderData(
      folder.path,
      "0001-first",
      `INSERT INTO teams VALUES ('team_01jd3v8q6m9x2k4n7r5t1w0yzh', 'Team', 1000);
      INSERT INTO tokens VALUES ('tok_01jd3v8q6m9x2k4n7r5t1w0yzh', 'team_01jd3v8q6m9x2k4n7r5t1w0yzh', 1000, 'admin-token file',
        '${hashSecret(token)}', '["players:read"]', NULL, NULL)`,
    );
    await writeFile(join(folder.path, "admin-token"), `${token}\n`);
    await using api = await TestService.start(folder.path);
    expect(api.token).toBe(token);
    const me = Me.parse((await api.call("GET", "me")).body);
    expect(me).toMatchObject({ user: { name: "Owner" }, team: { id: "team_01jd3v8q6m9x2k4n7r5t1w0yzh" }, role: "owner" });
    expect(me.token.scopes).toContain("teams:write");
    expect((await api.call("GET", `teams/${me.team.id}/members`)).body.data).toHaveLength(1);
  },
);

test("[TEA3] teams can be created, listed, renamed and, when empty, deleted; the last team cannot be deleted; a token is valid for one team", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const first = await owner(api);
  expect((await api.call("DELETE", `teams/${first.teamId}`)).body.detail).toContain("only team");
  const created = await api.call("POST", "teams", { name: "Airport" });
  expect(created.status).toBe(201);
  expect(created.headers.get("location")).toBe(`${api.service.url}/api/v1/teams/${created.body.id}`);
  const airport = new Person(api, { user: { id: first.userId }, team: created.body, token: created.body.token });
  const listed = (await api.call("GET", "teams")).body.data.map((team: unknown) => OwnTeam.parse(team).name);
  expect(listed).toEqual(["Airport", "Team"]);
  expect((await api.call("GET", `teams/${created.body.id}`)).body).toMatchObject({ name: "Airport", role: "owner" });

  // A token is valid for one team, even if its user is in both.
  expect((await api.call("PATCH", `teams/${created.body.id}`, { name: "x" })).status).toBe(403);
  const etag = (await airport.call("GET", `teams/${airport.teamId}`)).headers.get("etag")!;
  expect((await airport.call("PATCH", `teams/${airport.teamId}`, { name: "Hall B" }, { "if-match": etag })).body.name).toBe("Hall B");
  expect((await airport.call("PATCH", `teams/${airport.teamId}`, { name: "Hall C" }, { "if-match": etag })).status).toBe(412);

  const playlist = (await airport.call("POST", "playlists", { name: "P" })).body;
  const binned = (await api.call("POST", "playlists", { name: "In the bin" })).body;
  expect((await api.call("DELETE", `playlists/${binned.id}`)).status).toBe(204);
  expect((await api.call("GET", "playlists")).body.data).toEqual([]);
  const refused = await airport.call("DELETE", `teams/${airport.teamId}`);
  expect([refused.status, refused.body.detail]).toEqual([409, "The team still has playlists: delete them first"]);
  expect((await airport.call("DELETE", `playlists/${playlist.id}`)).status).toBe(204);
  expect((await airport.call("DELETE", `teams/${airport.teamId}`)).status).toBe(204);
  expect((await airport.call("GET", "me")).status).toBe(401);
  expect((await api.call("GET", "teams")).body.data).toHaveLength(1);
  expect((await api.call("POST", `playlists/${binned.id}/restore`)).status).toBe(200);
});

test("[TEA12] a team is deleted with everything but its screens if asked; what is in the way is named at once", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const { body: team } = await api.call("POST", "teams", { name: "Airport" });
  const airport = new Person(api, { user: { id: "" }, team, token: team.token });
  const { body: playlist } = await airport.call("POST", "playlists", { name: "P" });
  const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlist.id }];
  const { body: layout } = await airport.call("POST", "layouts", { name: "L", width: 100, height: 100, zones });
  await airport.call("POST", "schedules", { name: "S", layout_id: layout.id, target: { type: "team" }, starts_at: "2026-11-23T00:00" });
  await airport.call("POST", "calendars", { name: "C", dates: [{ date: "2026-12-24" }] });
  await airport.call("POST", "webhooks", { name: "W", url: "https://hooks.example.com/x", events: ["*"] });
  const remove = (query = "") => airport.call("DELETE", `teams/${team.id}${query}`);
  expect((await remove()).body.detail).toBe("The team still has layouts, playlists, schedules, calendars and webhooks: delete them first");
  const { body: narrow } = await airport.call("POST", "tokens", { name: "n", scopes: ["teams:write", "teams:read"] });
  const refused = await airport.call("DELETE", `teams/${team.id}?with_content=true`, undefined, {
    authorization: `Bearer ${narrow.secret}`,
  });
  expect([refused.status, refused.body.detail]).toEqual([403, "The token lacks the scope playlists:write"]);
  expect((await remove("?with_content=true&dry_run=true")).status).toBe(204);
  expect((await airport.call("GET", "playlists")).body.data).toHaveLength(1);
  const { body: mine } = await api.call("POST", "playlists", { name: "Another team's" });
  expect((await remove("?with_content=true")).status).toBe(204);
  expect((await airport.call("GET", "me")).status).toBe(401);
  expect((await api.call("GET", `playlists/${mine.id}`)).status).toBe(200);
  using file = openTables(folder.path);
  for (const table of ["playlists", "layouts", "schedules", "calendars", "webhooks"])
    expect([table, file.prepare(`SELECT count(*) AS n FROM ${table} WHERE team_id = ?`).get(team.id)]).toEqual([table, { n: 0 }]);
});

test("[TEA4] accepting an invitation creates a user, a membership and a first token, and works once; the secret of an invitation is shown once", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const first = await owner(api);
  const created = await api.call("POST", "invitations", { email: "Ada@example.com", name: "Ada", role: "editor" });
  const invitation = CreatedInvitation.parse(created.body);
  expect(invitation).toMatchObject({ email: "ada@example.com", status: "pending", created_by: first.userId });
  const read = await api.call("GET", `invitations/${invitation.id}`);
  expect(read.headers.get("etag")).toBe(created.headers.get("etag"));
  expect(JSON.stringify([read.body, (await api.call("GET", "invitations")).body])).not.toContain(invitation.secret);
  const twice = await api.call("POST", "invitations", { email: "ADA@example.com", name: "Ada", role: "viewer" });
  expect(twice.status).toBe(409);

  const accept = () => call(api.service.url, "POST", "invitations/accept", { secret: invitation.secret, name: "Ada L." });
  const both = await Promise.all([accept(), accept()]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 404]);
  const seat = AcceptedInvitation.parse(both.find(({ status }) => status === 201)!.body);
  expect(seat).toMatchObject({ user: { name: "Ada L.", email: "ada@example.com" }, team: { id: first.teamId }, role: "editor" });
  const ada = new Person(api, seat);
  expect((await ada.call("GET", "me")).body).toMatchObject({ user: { id: ada.userId }, role: "editor" });
  expect(Invitation.parse((await api.call("GET", `invitations/${invitation.id}`)).body).status).toBe("accepted");
  expect((await api.call("DELETE", `invitations/${invitation.id}`)).status).toBe(409);
  // A member who carries the email need not be the person, see EML1.
  expect((await api.call("POST", "invitations", { email: "ada@example.com", name: "Ada", role: "viewer" })).status).toBe(201);
  const members = (await api.call("GET", `teams/${first.teamId}/members`)).body.data.map((each: unknown) => Member.parse(each));
  expect(members.map(({ name, role }: Member) => [name, role])).toEqual([
    ["Ada L.", "editor"],
    ["Owner", "owner"],
  ]);
  for (const name of ["state.db", "state.db-wal"]) {
    const bytes = await readFile(join(folder.path, name)).catch(() => Buffer.alloc(0));
    for (const secret of [invitation.secret, seat.token.secret]) expect(bytes.includes(secret)).toBe(false);
  }
});

test("[TEA5] an invitation cannot be accepted if it was withdrawn, has expired, or was created by someone who may no longer invite", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const first = await owner(api);
  const invite = async (by: Person, email: string) => (await by.call("POST", "invitations", { email, name: "x", role: "owner" })).body;
  const accept = (secret: string) => call(api.service.url, "POST", "invitations/accept", { secret });
  const withdrawn = await invite(first, "a@example.com");
  expect((await api.call("DELETE", `invitations/${withdrawn.id}`)).status).toBe(204);
  expect((await accept(withdrawn.secret)).status).toBe(404);
  expect((await accept("sgn_inv_nonsense")).status).toBe(404);

  const second = await inviteMember(api, first, "owner", "second");
  const backdoor = await invite(second, "b@example.com");
  expect((await api.call("DELETE", `teams/${first.teamId}/members/${second.userId}`)).status).toBe(204);
  expect((await accept(backdoor.secret)).status).toBe(404);

  const late = await invite(first, "c@example.com");
  clock.advance(7 * 86_400_000);
  expect((await accept(late.secret)).status).toBe(404);
  expect((await api.call("GET", `invitations/${late.id}`)).body.status).toBe("expired");
});

test("[TEA6] a user with a token joins another team as the same user, and gets a separate token for that team", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const first = await owner(api);
  const stranger = await createOtherTeam(api);
  const { secret } = (await stranger.call("POST", "invitations", { email: "o@example.com", name: "x", role: "viewer" })).body;
  const joined = await api.call("POST", "invitations/accept", { secret });
  expect(joined.body).toMatchObject({ user: { id: first.userId }, team: { id: stranger.teamId }, role: "viewer" });
  const names = (await api.call("GET", "teams")).body.data.map((team: OwnTeam) => [team.name, team.role]);
  expect(names).toEqual([
    ["Other", "viewer"],
    ["Team", "owner"],
  ]);
  expect((await api.call("GET", `users/${stranger.userId}`)).status).toBe(404);
  const there = new Person(api, joined.body);
  expect((await there.call("GET", `users/${stranger.userId}`)).body.name).toBe("stranger");
  const again = (await stranger.call("POST", "invitations", { email: "p@example.com", name: "x", role: "viewer" })).body;
  expect((await api.call("POST", "invitations/accept", { secret: again.secret })).status).toBe(409);
  const bad = await api.call("POST", "invitations/accept", { secret: again.secret }, { authorization: "Bearer nonsense" });
  expect(bad.status).toBe(401);
});

test("[TEA7] a role limits its tokens: a viewer can only read, an editor can do everything except manage members and read the audit log", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const viewer = await inviteMember(api, first, "viewer");
  const editor = await inviteMember(api, first, "editor");
  const statuses = async (person: Person) => [
    (await person.call("GET", "playlists")).status,
    (await person.call("GET", `teams/${first.teamId}/members`)).status,
    (await person.call("POST", "playlists", { name: "P" })).status,
    (await person.call("POST", "tokens", { name: "t", scopes: ["players:read"] })).status,
    (await person.call("POST", "invitations", { email: `${person.userId}@example.com`, name: "x", role: "viewer" })).status,
    (await person.call("PATCH", `teams/${first.teamId}`, { name: "T" })).status,
    (await person.call("GET", "audit")).status,
  ];
  expect(await statuses(viewer)).toEqual([200, 200, 403, 403, 403, 403, 403]);
  expect(await statuses(editor)).toEqual([200, 200, 201, 201, 403, 403, 403]);
  expect(await statuses(first)).toEqual([200, 200, 201, 201, 201, 200, 200]);
});

test("[TEA8] lowering a member's role removes scopes from the member's tokens at once and permanently; removing a member revokes them", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const person = await inviteMember(api, first, "editor");
  const writer = (await person.call("POST", "tokens", { name: "w", scopes: ["playlists:write"] })).body;
  const path = `teams/${first.teamId}/members/${person.userId}`;
  const write = () => person.call("POST", "playlists", { name: "P" });
  expect((await write()).status).toBe(201);
  const etag = (await api.call("GET", path)).headers.get("etag")!;
  expect((await api.call("PATCH", path, { role: "viewer" }, { "if-match": etag })).body.role).toBe("viewer");
  expect((await api.call("PATCH", path, { role: "owner" }, { "if-match": etag })).status).toBe(412);
  expect((await write()).status).toBe(403);
  expect((await call(api.service.url, "GET", "me", undefined, { authorization: `Bearer ${writer.secret}` })).status).toBe(401);
  expect((await api.call("PATCH", path, { role: "owner" })).status).toBe(200);
  expect((await write()).status).toBe(403);
  expect((await person.call("GET", "playlists")).status).toBe(200);
  expect((await api.call("DELETE", path)).status).toBe(204);
  expect((await person.call("GET", "playlists")).status).toBe(401);
  expect((await api.call("GET", path)).status).toBe(404);
});

test("[TEA9] the last owner can be neither removed nor demoted, even if two owners demote each other at once", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const path = (person: Person) => `teams/${first.teamId}/members/${person.userId}`;
  expect((await api.call("PATCH", path(first), { role: "viewer" })).status).toBe(409);
  expect((await api.call("DELETE", path(first))).status).toBe(409);
  const second = await inviteMember(api, first, "owner", "second");
  const both = await Promise.all([
    first.call("PATCH", path(second), { role: "viewer" }),
    second.call("PATCH", path(first), { role: "viewer" }),
  ]);
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  const still = both[0]!.status === 200 ? first : second;
  const members = (await still.call("GET", `teams/${first.teamId}/members`)).body.data as Member[];
  expect(members.filter(({ role }) => role === "owner").map(({ user_id }) => user_id)).toEqual([still.userId]);
});

test("[TEA1] after the token file is deleted, the next start writes an owner's token, even if the first owner was removed", async () => {
  await using folder = await temporaryFolder();
  let second: Person;
  {
    await using api = await TestService.start(folder.path);
    const first = await owner(api);
    second = await inviteMember(api, first, "owner", "second");
    expect((await second.call("DELETE", `teams/${first.teamId}/members/${first.userId}`)).status).toBe(204);
    expect((await api.call("GET", "me")).status).toBe(401);
  }
  await dropAdminToken(folder.path);
  await using api = await TestService.start(folder.path);
  expect((await api.call("GET", "me")).body).toMatchObject({ user: { id: second.userId }, role: "owner" });
});
