// Sessions of browsers: how long they last, who sees and ends them, and what ends them.
import { expect, test } from "vitest";
import { operations } from "../../../../src/service/operations/operations.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { eventually } from "../../../support/polling.ts";
import { TestService } from "../../harness.ts";
import { writeIdentity } from "../../populate-team.ts";
import { Browser, cheapPasswords, goodPassword } from "../browser.ts";
import { createOtherTeam, inviteMember, owner, type Person } from "../people.ts";
import { openTables } from "../../tables-of.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A browser in which this member is signed in. */
async function browserOf(api: TestService, { userId }: Person): Promise<Browser> {
  const { body } = await api.call("POST", "sign-in-links", { user_id: userId });
  return Browser.signIn(api, { method: "link", secret: body.secret });
}

test("[SGN10] a session ends when it is not used for 7 days, and after 30 days in any case; its last use is accurate to the minute", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  const begin = clock.now();
  const iso = (ms: number) => new Date(ms).toISOString();
  const [idle, used] = [await Browser.ofOwner(api), await Browser.ofOwner(api)];
  const state = async () => (await used.call("GET", "session")).body;
  expect(await state()).toMatchObject({
    created_at: iso(begin),
    proved_at: iso(begin),
    idle_until: iso(begin + 7 * dayMs),
    expires_at: iso(begin + 30 * dayMs),
  });
  clock.advance(minuteMs - 1);
  expect((await state()).idle_until).toBe(iso(begin + 7 * dayMs));
  clock.advance(1);
  expect((await state()).idle_until).toBe(iso(begin + 7 * dayMs + minuteMs));
  clock.advance(7 * dayMs - minuteMs - 1);
  expect((await state()).idle_until).toBe(iso(clock.now() + 7 * dayMs));
  expect((await api.call("GET", "sessions")).body.data).toHaveLength(2);
  clock.advance(1);
  expect((await idle.call("GET", "session")).status).toBe(401);
  expect((await api.call("GET", "sessions")).body.data).toHaveLength(1);
  for (let day = 8; day < 30; day += 5) {
    clock.advance(begin + day * dayMs - clock.now());
    expect([day, (await used.call("GET", "session")).status]).toEqual([day, 200]);
  }
  clock.advance(begin + 30 * dayMs - clock.now() - 1);
  expect(await state()).toMatchObject({ idle_until: iso(begin + 30 * dayMs) });
  clock.advance(1);
  expect((await used.call("GET", "session")).status).toBe(401);
});

test("[SGN11] people see where they are signed in and end it; an owner also what members have in the team", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const viewer = await inviteMember(api, await owner(api), "viewer", "Eve");
  const { body: link } = await api.call("POST", "sign-in-links", { user_id: viewer.userId });
  const phone = new Browser(api.service.url);
  const userAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile/15E148 Safari/604.1";
  await phone.call("POST", "session", { method: "link", secret: link.secret }, { "user-agent": userAgent });
  const desk = await browserOf(api, viewer);
  const boss = await Browser.ofOwner(api);
  const [bossEntry, deskEntry, phoneEntry] = (await boss.call("GET", "sessions")).body.data;
  expect(bossEntry).toMatchObject({ user_name: "Owner", is_current: true });
  expect(phoneEntry).toMatchObject({
    user_id: viewer.userId,
    user_name: "Eve",
    browser: "Safari on iPhone",
    address: "127.0.0.1",
    method: "link",
    is_current: false,
  });
  // Sessions are not among the access tokens.
  expect((await boss.call("GET", "tokens")).body.data.map(({ id }: { id: string }) => id)).not.toContain(deskEntry.id);
  expect((await boss.call("DELETE", `tokens/${deskEntry.id}`)).status).toBe(404);

  expect((await desk.call("GET", "sessions")).body.data.map(({ id }: { id: string }) => id)).toEqual([deskEntry.id, phoneEntry.id]);
  expect((await desk.call("DELETE", `sessions/${bossEntry.id}`)).status).toBe(404);
  expect((await viewer.call("DELETE", `sessions/${phoneEntry.id}`)).status).toBe(403);
  expect((await desk.call("DELETE", `sessions/${phoneEntry.id}`)).status).toBe(204);
  expect((await phone.call("GET", "session")).status).toBe(401);
  expect((await desk.call("DELETE", `sessions/${phoneEntry.id}`)).status).toBe(404);
  expect((await boss.call("DELETE", `sessions/${deskEntry.id}`)).status).toBe(204);
  expect((await desk.call("GET", "session")).status).toBe(401);
});

test("[SGN12] a new password ends all other sessions, unused links and other browsers' allowance, but not access tokens", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const browser = await Browser.ofOwnerWithPassword(api);
  const other = await Browser.signIn(api, { method: "password", email: "ada@example.com", password: goodPassword });
  const { body: link } = await api.call("POST", "sign-in-links", {});
  const change = (current_password?: string) =>
    browser.call("PUT", "me/password", {
      password: "five brave badgers sing",
      ...(current_password === undefined ? {} : { current_password }),
    });
  expect((await change("not the password")).body.errors).toEqual([{ pointer: "/current_password", detail: "is not your password" }]);
  expect((await other.call("GET", "session")).status).toBe(200);
  expect((await change(goodPassword)).status).toBe(204);
  expect((await browser.call("GET", "session")).status).toBe(200);
  expect((await other.call("GET", "session")).status).toBe(401);
  expect((await new Browser(api.service.url).call("POST", "session", { method: "link", secret: link.secret })).status).toBe(401);
  expect((await api.call("GET", "me")).status).toBe(200);
  using file = openTables(folder.path);
  expect(file.prepare("SELECT count(*) AS n FROM known_browsers").get()).toEqual({ n: 1 });
});

test("[SGN13] a member who is removed is signed out of the team; a changed role counts at once", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const first = await owner(api);
  const member = await inviteMember(api, first, "viewer");
  const browser = await browserOf(api, member);
  const name = async () => (await browser.call("POST", "playlists", { name: "Menu" })).status;
  expect(await name()).toBe(403);
  // A viewer may change what is their own.
  expect((await browser.call("PATCH", "me", { name: "Eve" })).status).toBe(200);
  await first.call("PATCH", `teams/${first.teamId}/members/${member.userId}`, { role: "editor" });
  expect(await name()).toBe(201);
  expect((await browser.call("GET", "session")).body.scopes).toContain("playlists:write");
  await first.call("PATCH", `teams/${first.teamId}/members/${member.userId}`, { role: "viewer" });
  expect(await name()).toBe(403);
  await first.call("DELETE", `teams/${first.teamId}/members/${member.userId}`);
  expect((await browser.call("GET", "session")).status).toBe(401);
});

test("[SGN14] a session goes on in another team of the person, with a new secret and no longer than before", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  const { body: team } = await api.call("POST", "teams", { name: "Airport" });
  const browser = await Browser.ofOwner(api);
  const before = (await browser.call("GET", "session")).body;
  const cookie = browser.cookie("session");
  clock.advance(dayMs);
  expect((await browser.call("POST", "session/team", { team_id: `team_${"0".repeat(26)}` })).status).toBe(403);
  const switched = await browser.call("POST", "session/team", { team_id: team.id }, { "idempotency-key": "once" });
  expect(switched.body).toMatchObject({
    team: { name: "Airport" },
    created_at: before.created_at,
    proved_at: before.proved_at,
    expires_at: before.expires_at,
    method: "link",
  });
  expect(browser.cookie("session")).not.toEqual(cookie);
  expect((await browser.call("GET", "me")).body.team.id).toBe(team.id);
  const old = new Browser(api.service.url);
  old.cookies.set(...cookie!);
  expect((await old.call("GET", "session")).status).toBe(401);
  expect((await browser.call("GET", "audit?action=switchTeam")).body.data).toHaveLength(1);
});

test("[SGN56] a session goes on in a new team of its person without a token for it, if its role may create teams", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const browser = await Browser.ofOwner(api);
  const made = await browser.call("POST", "session/team", { name: "Airport" });
  expect([made.status, made.body.team.name, made.body.role]).toEqual([200, "Airport", "owner"]);
  expect((await browser.call("GET", "tokens")).body.data).toEqual([]);
  expect((await browser.call("GET", "audit?action=switchTeam")).body.data).toHaveLength(1);
  const viewer = await browserOf(api, await inviteMember(api, await owner(api), "viewer"));
  expect((await viewer.call("POST", "session/team", { name: "Mine" })).status).toBe(403);
  for (const body of [{}, { name: "Both", team_id: made.body.team.id }])
    expect((await browser.call("POST", "session/team", body)).status).toBe(422);
});

test("[SGN55] a session whose team is deleted goes on in another team of its person, and ends if there is none", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const browser = await Browser.ofOwner(api);
  const before = (await browser.call("GET", "session")).body;
  const { team } = (await browser.call("POST", "session/team", { name: "Airport" })).body;
  const cookie = browser.cookie("session");
  expect((await browser.call("DELETE", `teams/${team.id}?with_content=true&dry_run=true`)).status).toBe(204);
  expect(browser.cookie("session")).toEqual(cookie);
  expect((await browser.call("DELETE", `teams/${team.id}?with_content=true`)).status).toBe(204);
  expect((await browser.call("GET", "session")).body).toMatchObject({ team: before.team, expires_at: before.expires_at, method: "link" });
  const old = new Browser(api.service.url);
  old.cookies.set(...cookie!);
  expect((await old.call("GET", "session")).status).toBe(401);
  expect((await browser.call("GET", "audit?action=switchTeam")).body.data).toHaveLength(2);

  const stranger = await createOtherTeam(api);
  const { body: link } = await api.call("POST", "sign-in-links", { user_id: stranger.userId });
  const alone = await Browser.signIn(api, { method: "link", secret: link.secret });
  expect((await alone.call("DELETE", `teams/${stranger.teamId}`)).status).toBe(204);
  expect(alone.cookie("session")).toBeUndefined();
});

test("[SGN15] a person who is signed in repeats a proof of the last 15 minutes before dangerous acts, a program does not", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  const first = await owner(api);
  const member = await inviteMember(api, first, "viewer");
  const { body: webhook } = await api.call("POST", "webhooks", { name: "W", url: "https://hooks.example.com/x", events: ["*"] });
  const browser = await Browser.ofOwnerWithPassword(api);
  const place = `teams/${first.teamId}`;
  using file = openTables(folder.path);
  const identity = writeIdentity(file, first.userId);
  const acts: Record<string, [path: string, body?: object]> = {
    createToken: ["tokens", { name: "t", scopes: ["players:read"] }],
    createTeam: ["teams", { name: "U" }],
    deleteTeam: [place],
    updateMember: [`${place}/members/${member.userId}`, { role: "editor" }],
    removeMember: [`${place}/members/${member.userId}`],
    createInvitation: ["invitations", { email: "b@example.com", name: "B", role: "owner" }],
    createSignInLink: ["sign-in-links", {}],
    rotateWebhookSecret: [`webhooks/${webhook.id}/rotate`],
    updateMe: ["me", { email: "augusta@example.com" }],
    unlinkIdentity: [`me/identities/${identity}`],
  };
  // Passkeys are for browsers at a host name, see SGN32; an account is linked at its provider, see EML2.
  const others = (name: string): boolean => name.endsWith("Passkey") || name === "linkIdentity";
  const guarded = operations.filter(({ name, session }) => session?.proof !== undefined && !others(name));
  expect(Object.keys(acts).toSorted()).toEqual(guarded.map(({ name }) => name).toSorted());
  const kinds = async () =>
    Promise.all(
      guarded.map(async ({ name, method }) => {
        const { status, body } = await browser.call(method, `${acts[name]![0]}?dry_run=true`, acts[name]![1]);
        return [name, status < 300 ? "done" : body.type.split("/").at(-1)];
      }),
    );
  const all = (kind: string) => guarded.map(({ name }) => [name, name === "deleteTeam" && kind === "done" ? "in-use" : kind]);
  clock.advance(15 * minuteMs - 1);
  expect(await kinds()).toEqual(all("done"));
  clock.advance(1);
  expect(await kinds()).toEqual(all("proof-required"));
  // What endangers nobody needs no proof.
  expect((await browser.call("PATCH", "me", { name: "Ada" })).status).toBe(200);
  expect((await browser.call("POST", "invitations", { email: "c@example.com", name: "C", role: "viewer" })).status).toBe(201);
  expect((await api.call("POST", "tokens", { name: "t", scopes: ["players:read"] })).status).toBe(201);
  expect((await browser.call("POST", "session/proof", { password: "not the password" })).status).toBe(422);
  expect(await kinds()).toEqual(all("proof-required"));
  const proved = await browser.call("POST", "session/proof", { password: goodPassword });
  expect(proved.body.proved_at).toBe(new Date(clock.now()).toISOString());
  expect(await kinds()).toEqual(all("done"));
  // Without a password, and long after the link: only another link proves who it is.
  const { body: link } = await api.call("POST", "sign-in-links", { user_id: member.userId });
  const other = await Browser.signIn(api, { method: "link", secret: link.secret });
  clock.advance(15 * minuteMs);
  expect((await other.call("PUT", "me/password", { password: goodPassword })).body.type).toContain("proof-required");
  expect((await other.call("POST", "session/proof", { password: goodPassword })).status).toBe(422);
});

test("[SGN16] whoever is invited joins by a link with a password of their own, or with the one that they have already", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const invite = async (email: string, headers = {}) =>
    (await api.call("POST", "invitations", { email, name: "Eve", role: "editor" }, headers)).body;
  const invitation = await invite("eve@example.com");
  expect(invitation.url).toBe(`${api.service.url}/sign-in#invitation=${invitation.secret}`);
  const browser = new Browser(api.service.url);
  const accept = (password: string, { secret } = invitation) =>
    browser.call("POST", "session", { method: "invitation", secret, name: "Eva", password });
  expect((await accept("eve")).status).toBe(422);
  const joined = await accept(goodPassword);
  expect(joined.body).toMatchObject({
    user: { name: "Eva", email: "eve@example.com" },
    role: "editor",
    method: "invitation",
    has_password: true,
  });
  expect((await accept(goodPassword)).status).toBe(404);
  await Browser.signIn(api, { method: "password", email: "eve@example.com", password: goodPassword });

  const other = (await api.call("POST", "teams", { name: "Airport" })).body;
  const second = await invite("eve@example.com", { authorization: `Bearer ${other.token.secret}` });
  const again = await accept(goodPassword, second);
  expect(again.body).toMatchObject({ user: { id: joined.body.user.id, name: "Eva" }, team: { name: "Airport" } });
  expect(again.body.teams).toHaveLength(2);

  const ends = new Date(Date.now() + dayMs).toISOString();
  const { scopes } = (await api.call("GET", "me")).body.token;
  const limited = (await api.call("POST", "tokens", { name: "t", scopes, expires_at: ends })).body;
  const third = await invite("ida@example.com", { authorization: `Bearer ${limited.secret}` });
  expect((await accept(goodPassword, third)).status).toBe(403);
});

test("[SGN17] a lost password is replaced after signing in by a link of the service's machine; the audit log has who made the link and when it was used", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  await Browser.ofOwnerWithPassword(api);
  const { body: link } = await api.call("POST", "sign-in-links", {});
  const browser = await Browser.signIn(api, { method: "link", secret: link.secret });
  const replace = () => browser.call("PUT", "me/password", { password: "five brave badgers sing" });
  expect((await replace()).status).toBe(204);
  await Browser.signIn(api, { method: "password", email: "ada@example.com", password: "five brave badgers sing" });
  const actions = async (action: string) => (await api.call("GET", `audit?action=${action}&limit=1`)).body.data[0];
  expect(await actions("createSignInLink")).toMatchObject({ resource_id: link.id, user_id: link.user_id });
  expect(await actions("useSignInLink")).toMatchObject({ resource_id: link.id, user_id: link.user_id });
  clock.advance(15 * minuteMs);
  expect((await replace()).body.errors[0].pointer).toBe("/current_password");
});

test("[SGN18] the audit log has sign-ins, at most 20 failed ones a day and person, sign-outs and new passwords", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  const first = await Browser.ofOwnerWithPassword(api);
  const browser = await Browser.signIn(api, { method: "password", email: "ada@example.com", password: goodPassword });
  await browser.call("DELETE", "session");
  for (let guess = 0; guess < 30; guess += 1) {
    await new Browser(api.service.url).call("POST", "session", {
      method: "password",
      email: "ada@example.com",
      password: `guess ${guess}`,
    });
    clock.advance(2 * minuteMs);
  }
  const count = async (action: string) => (await api.call("GET", `audit?action=${action}&limit=100`)).body.data.length;
  await eventually(async () => (await count("failSignIn")) === 20);
  expect([await count("createSession"), await count("deleteSession"), await count("setPassword")]).toEqual([2, 1, 1]);
  clock.advance(dayMs);
  await new Browser(api.service.url).call("POST", "session", { method: "password", email: "ada@example.com", password: "guess" });
  await eventually(async () => (await count("failSignIn")) === 21);
  expect((await api.call("GET", "audit/verify")).body.holds).toBe(true);
  expect((await first.call("GET", "session")).status).toBe(200);
});
