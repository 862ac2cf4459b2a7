// A token grants others no more scopes than it has, and no later expiry.
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { scopes, type Role, type Scope } from "../../../src/protocol/operator/people.ts";
import { hashSecret } from "../../../src/service/people/token-secrets.ts";
import { scopesOfRole } from "../../../src/service/people/operator.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, call } from "../harness.ts";
import { EventSubscriber } from "../events/event-subscriber.ts";
import { createOlderData } from "../store/older.ts";
import { inviteMember, owner, createTokenFor, Person } from "./people.ts";
import { openTables } from "../tables-of.ts";
import { isOnPostgres } from "../test-database.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const hourMs = 3_600_000;
let guests = 0;

/** An invitation for a new user. */
function guest(role: Role): { email: string; name: string; role: Role } {
  guests += 1;
  return { email: `guest${guests}@example.com`, name: "Guest", role };
}

test("[GRA1] an invitation needs a token with all scopes of the role; otherwise a 403 names the missing scopes", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const narrow = await createTokenFor(api, first, ["teams:write"]);
  for (const role of ["owner", "editor", "viewer"] as const) {
    const refused = await narrow.call("POST", "invitations", guest(role));
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toContain("players:read");
    expect(refused.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  }
  const inviter = await createTokenFor(api, first, [...scopesOfRole("viewer"), "teams:write"]);
  expect((await inviter.call("POST", "invitations", guest("viewer"))).status).toBe(201);
  const refused = await inviter.call("POST", "invitations", guest("editor"));
  expect(refused.status).toBe(403);
  expect(refused.body.detail).toContain("players:write");
  expect(refused.body.detail).not.toContain("players:read,");
  expect((await api.call("POST", "invitations", guest("owner"))).status).toBe(201);
});

test("[GRA2] a pending invitation ends when the token that created it is revoked or expires; members who have already joined stay", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const first = await owner(api);
  const accept = (secret: string) => call(api.service.url, "POST", "invitations/accept", { secret });
  const status = async (id: string) => (await api.call("GET", `invitations/${id}`)).body.status;

  const leaked = await createTokenFor(api, first, scopes);
  const joined = new Person(api, (await accept((await leaked.call("POST", "invitations", guest("editor"))).body.secret)).body);
  const pending = (await leaked.call("POST", "invitations", guest("owner"))).body;
  const others = (await api.call("POST", "invitations", guest("owner"))).body;
  expect((await api.call("DELETE", `tokens/${leaked.tokenId}`)).status).toBe(204);
  expect((await accept(pending.secret)).status).toBe(404);
  expect([await status(pending.id), await status(others.id)]).toEqual(["revoked", "pending"]);
  expect((await accept(others.secret)).status).toBe(201);
  expect((await joined.call("GET", "me")).body.role).toBe("editor");

  const endsAt = new Date(clock.now() + hourMs).toISOString();
  const ending = await createTokenFor(api, first, scopes, { expires_at: endsAt });
  const brief = (await ending.call("POST", "invitations", guest("viewer"))).body;
  expect(brief.expires_at).toBe(endsAt);
  clock.advance(hourMs);
  expect((await accept(brief.secret)).status).toBe(404);
  expect(await status(brief.id)).toBe("expired");
});

test("[GRA3] the first token of a new member has no later expiry and no more scopes than the inviting token", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const first = await owner(api);
  const endsAt = new Date(clock.now() + hourMs).toISOString();
  const ending = await createTokenFor(api, first, scopes, { expires_at: endsAt });
  const { secret } = (await ending.call("POST", "invitations", guest("owner"))).body;
  const accepted = await call(api.service.url, "POST", "invitations/accept", { secret });
  expect(accepted.body).toMatchObject({ role: "owner", token: { expires_at: endsAt } });
  const newMember = new Person(api, accepted.body);
  // The new token expires too, so it cannot promote.
  const viewer = await inviteMember(api, first, "viewer");
  const raise = await newMember.call("PATCH", `teams/${first.teamId}/members/${viewer.userId}`, { role: "owner" });
  expect(raise.status).toBe(403);
  expect((await newMember.call("POST", "invitations", guest("owner"))).body.expires_at).toBe(endsAt);
  clock.advance(hourMs);
  expect((await newMember.call("GET", "me")).status).toBe(401);
  // If a later version adds scopes to a role, invitations from before do not include them.
  const wide = (await api.call("POST", "invitations", guest("owner"))).body;
  using file = openTables(folder.path);
  const fewer: Scope[] = scopes.filter((scope) => scope !== "audit:read");
  file.prepare("UPDATE invitations SET scopes = ? WHERE id = ?").run(JSON.stringify(fewer), wide.id);
  const taken = await call(api.service.url, "POST", "invitations/accept", { secret: wide.secret });
  expect(taken.body.token.scopes).toEqual(fewer);
});

test("[GRA4] promoting needs a token with all scopes of the role and without an end; demoting needs only teams:write", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const person = await inviteMember(api, first, "viewer");
  const path = `teams/${first.teamId}/members/${person.userId}`;
  const narrow = await createTokenFor(api, first, ["teams:write"]);
  const ending = await createTokenFor(api, first, scopes, { expires_at: new Date(Date.now() + hourMs).toISOString() });
  const editing = await createTokenFor(api, first, [...scopesOfRole("editor"), "teams:write"]);
  for (const role of ["editor", "owner"]) {
    expect((await narrow.call("PATCH", path, { role })).body.detail).toContain("players:write");
    const refused = await ending.call("PATCH", path, { role });
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("a token without an end")]);
  }
  expect((await editing.call("PATCH", path, { role: "owner" })).body.detail).toContain("audit:read");
  expect((await editing.call("PATCH", path, { role: "editor" })).status).toBe(200);
  expect((await narrow.call("PATCH", path, { role: "viewer" })).status).toBe(200);
  expect((await narrow.call("PATCH", path, { role: "viewer" })).status).toBe(200);
  expect((await api.call("PATCH", path, { role: "owner" })).status).toBe(200);
});

test("[GRA5] demoting or removing an owner needs a token with all scopes of an owner", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const second = await inviteMember(api, first, "owner", "second");
  const viewer = await inviteMember(api, first, "viewer");
  const narrow = await createTokenFor(api, first, ["teams:write"]);
  const path = (person: Person) => `teams/${first.teamId}/members/${person.userId}`;
  for (const person of [first, second]) {
    expect((await narrow.call("PATCH", path(person), { role: "editor" })).status).toBe(403);
    expect((await narrow.call("DELETE", path(person))).status).toBe(403);
  }
  // Removing other members needs only teams:write.
  expect((await narrow.call("DELETE", path(viewer))).status).toBe(204);
  expect((await second.call("DELETE", path(first))).status).toBe(204);
});

test("[GRA6] permissions are checked when the write is committed: a caller who is demoted while sending a request gains nothing from it", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const person = await inviteMember(api, first, "owner", "second");
  const path = `teams/${first.teamId}/members/${person.userId}`;
  const body = JSON.stringify({ name: "Later", scopes: ["teams:write"] });
  const headers = { authorization: person.authorization, "content-type": "application/json", "content-length": body.length };
  const sending = request(`${api.service.url}/api/v1/tokens`, { method: "POST", headers });
  sending.write(body.slice(0, 5));
  // The use of the token is recorded when it has been checked: the request is then in progress.
  await expect.poll(async () => (await api.call("GET", `tokens/${person.tokenId}`)).body.last_used_at).not.toBeNull();
  expect((await api.call("PATCH", path, { role: "editor" })).status).toBe(200);
  sending.end(body.slice(5));
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(422);
});

test("[GRA7] open connections of a token end at the instant the token expires", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const first = await owner(api);
  // Shorter than the timeout for silent sockets.
  const lifeMs = 5_000;
  const expires_at = new Date(clock.now() + lifeMs).toISOString();
  const ending = await createTokenFor(api, first, ["events:read"], { expires_at });
  using listener = new EventSubscriber(api.service.url, ending.secret);
  await listener.subscribe(["layout_updates"]);
  clock.advance(lifeMs - 1);
  expect((await ending.call("GET", "me")).status).toBe(200);
  clock.advance(1);
  expect((await listener.closed).code).toBe(4403);
});

test.skipIf(isOnPostgres)("[GRA8] the upgrade that limits invitations to their token withdraws pending invitations", async () => {
  await using folder = await temporaryFolder();
  const [team_id, secret] = ["team_01jd3v8q6m9x2k4n7r5t1w0yzh", "sgn_inv_of_a_narrow_token"];
  await createOlderData(
    folder.path,
    "0010-calendars",
    `INSERT INTO teams (id, name, created_at, updated_at) VALUES ('${team_id}', 'Team', 1000, 1000);
      INSERT INTO invitations (id, team_id, created_at, email, name, role, secret_hash, created_by, expires_at)
        VALUES ('inv_01jd3v8q6m9x2k4n7r5t1w0yzh', '${team_id}', ${Date.now() - hourMs}, 'a@example.com', 'A', 'owner', '${hashSecret(secret)}',
          'usr_01jd3v8q6m9x2k4n7r5t1w0yzh', ${Date.now() + hourMs})`,
  );
  await using api = await TestService.start(folder.path);
  expect((await api.call("GET", "invitations/inv_01jd3v8q6m9x2k4n7r5t1w0yzh")).body.status).toBe("revoked");
  expect((await call(api.service.url, "POST", "invitations/accept", { secret })).status).toBe(404);
});
