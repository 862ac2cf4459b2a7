// Who learns that a sign-in link was used, and until when a link and its session are valid.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generateSessionSecret, hashSecret } from "../../../../src/service/people/token-secrets.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { MailServer } from "../../../support/network/mail-server.ts";
import { smtpAt } from "../../alerts/mail-fleet.ts";
import { call, TestService, type ApiResponse } from "../../harness.ts";
import { Agent } from "../../mcp/agent.ts";
import { createOlderData } from "../../store/older.ts";
import { openTables } from "../../tables-of.ts";
import { isOnPostgres } from "../../test-database.ts";
import { Browser, cheapPasswords } from "../browser.ts";
import { createOtherTeam, owner, type Person } from "../people.ts";
import { ConfinedMember, plainOwner, shareMember, signInWhole } from "../teams/shared-member.ts";

const usesIn = async (person: Person): Promise<ApiResponse["body"][]> =>
  (await person.call("GET", "audit?action=useSignInLink")).body.data.map((entry: ApiResponse["body"]) => [
    entry.resource_id,
    entry.user_id,
    entry.issuer,
  ]);

test("[CNF4] each use of a link stands in the log of every team that its session can reach, with the name of whoever made the link", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const victim = await createOtherTeam(api, "Victims");
  const mallory = await plainOwner(api, await owner(api));
  await shareMember(api, mallory, victim, "viewer");
  const { body: ofTeam } = await mallory.call("POST", "sign-in-links", { user_id: victim.userId });
  expect(ofTeam.team_id).toBe(mallory.teamId);
  await Browser.signIn(api, { method: "link", secret: ofTeam.secret });
  const used = [ofTeam.id, victim.userId, "Mallory"];
  expect([await usesIn(mallory), await usesIn(victim)]).toEqual([[used], []]);
  const { body: ofMachine } = await api.call("POST", "sign-in-links", { user_id: victim.userId });
  expect(ofMachine.team_id).toBeNull();
  await Browser.signIn(api, { method: "link", secret: ofMachine.secret });
  const usedEverywhere = [ofMachine.id, victim.userId, "the service's machine"];
  expect([await usesIn(mallory), await usesIn(victim)]).toEqual([[usedEverywhere, used], [usedEverywhere]]);
  for (const person of [mallory, victim]) expect((await person.call("GET", "audit/verify")).body.holds).toBe(true);
});

test("[CNF5] a person is told of each use of a link that signs in as them: by mail, in their session and in their list of sessions", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, smtp: smtpAt(server.port) });
  const victim = await createOtherTeam(api, "Victims");
  const mallory = await plainOwner(api, await owner(api));
  await mallory.call("PATCH", "me", { name: "<b>Mallory</b>" });
  const whole = await signInWhole(api, victim, "victim@example.com");
  await shareMember(api, mallory, victim, "owner");
  const confined = await ConfinedMember.signIn(api, mallory, victim);
  await expect.poll(() => server.mails.length).toBe(2);
  const mail = server.mails.find(({ text }) => text.includes("Mallory"))!;
  expect([mail.to, mail.subject]).toEqual([["victim@example.com"], "A sign-in link was used as you"]);
  expect(mail.text).toContain("for the team Team only");
  expect(mail.text).toContain("from 127.0.0.1");
  expect(mail.html).toContain("&lt;b&gt;Mallory");
  const { used_links: links } = (await whole.call("GET", "session")).body;
  expect(links.map(({ team_name, made_by }: ApiResponse["body"]) => [team_name, made_by])).toEqual([
    ["Team", "<b>Mallory</b>"],
    ["Victims", null],
  ]);
  const entries = (await whole.call("GET", "sessions")).body.data.filter(({ user_id }: ApiResponse["body"]) => user_id === victim.userId);
  expect(entries.map(({ team_name, confined: by }: ApiResponse["body"]) => [team_name, by])).toEqual([
    ["Team", { made_by: "<b>Mallory</b>" }],
    ["Victims", null],
  ]);
  // They end it; the session itself knows that it is confined, and of no other link.
  expect((await confined.call("GET", "session")).body).toMatchObject({ confined: { made_by: "<b>Mallory</b>" }, used_links: [] });
  expect((await whole.call("DELETE", `sessions/${confined.tokenId}`)).status).toBe(204);
  expect((await confined.call("GET", "session")).status).toBe(401);
});

test.skipIf(isOnPostgres)(
  "[CNF9] only the token that is in the data folder now makes links for anybody and for the whole person, and no agent with it",
  async () => {
    await using folder = await temporaryFolder();
    let earlier: string;
    let strangerId: string;
    {
      await using api = await TestService.start(folder.path, cheapPasswords);
      earlier = api.token;
      strangerId = (await createOtherTeam(api)).userId;
    }
    await rm(join(folder.path, "admin-token"));
    await using api = await TestService.start(folder.path, cheapPasswords);
    const link = (token: string, body: object) =>
      call(api.service.url, "POST", "sign-in-links", body, { authorization: `Bearer ${token}` });
    expect([(await link(earlier, {})).body.team_id, (await link(api.token, {})).body.team_id]).toEqual([
      expect.stringMatching(/^team_/),
      null,
    ]);
    expect([(await link(earlier, { user_id: strangerId })).status, (await link(earlier, { email: "a@example.com" })).status]).toEqual([
      404, 422,
    ]);
    expect((await link(api.token, { user_id: strangerId })).status).toBe(201);
    await using agent = await Agent.connect(api.service.url, api.token, "2026", "all");
    expect((await agent.ok("create_sign_in_link")).result.team_id).toMatch(/^team_/);
    const { body: made } = await api.call("POST", "teams", { name: "Airport" });
    expect((await link(made.token.secret, {})).body.team_id).toBe(made.id);
  },
);

test("[CNF6] a link that a team made ends when whoever made it is no longer an owner of the team", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const first = await owner(api);
  const mallory = await plainOwner(api, first);
  const { body: link } = await mallory.call("POST", "sign-in-links", { user_id: first.userId });
  const use = () => new Browser(api.service.url).call("POST", "session", { method: "link", secret: link.secret });
  const setRole = (role: string) => first.call("PATCH", `teams/${first.teamId}/members/${mallory.userId}`, { role });
  await setRole("editor");
  expect((await use()).status).toBe(401);
  await setRole("owner");
  expect((await use()).status).toBe(201);
});

test.skipIf(isOnPostgres)("[CNF7] the upgrade ends sessions that links of earlier versions began, and confines unused links", async () => {
  await using folder = await temporaryFolder();
  const [one, two] = ["01jd3v8q6m9x2k4n7r5t1w0yzh", "01jd3v8q6m9x2k4n7r5t1w0yzj"];
  const [team, user] = [`team_${one}`, `usr_${one}`];
  const [byLink, byPassword] = [generateSessionSecret(), generateSessionSecret()];
  const link = `sgn_lnk_${"a".repeat(43)}`;
  const now = Date.now();
  const token = (id: string, secret: string) =>
    `('tok_${id}', '${team}', ${now}, 'Browser session', '${hashSecret(secret)}', '[]', ${now + 86_400_000}, NULL, '${user}', 'xxxx', ${now}, '${user}')`;
  await createOlderData(
    folder.path,
    "0071-live-fps",
    `INSERT INTO teams (id, name, created_at, updated_at) VALUES ('${team}', 'Team', 1000, 1000);
      INSERT INTO users (id, name, email, created_at, updated_at) VALUES ('${user}', 'Ada', NULL, 1000, 1000);
      INSERT INTO members (team_id, user_id, role, created_at) VALUES ('${team}', '${user}', 'owner', 1000);
      INSERT INTO tokens (id, team_id, created_at, name, hash, scopes, expires_at, revoked_at, user_id, hint, last_used_at, created_by)
        VALUES ${token(one, byLink)}, ${token(two, byPassword)};
      INSERT INTO sessions VALUES ('tok_${one}', 'link', '127.0.0.1', '', ${now}), ('tok_${two}', 'password', '127.0.0.1', '', ${now});
      INSERT INTO sign_in_links (id, team_id, user_id, secret_hash, created_by, created_at, expires_at, used_at)
        VALUES ('lnk_${one}', '${team}', '${user}', '${hashSecret(link)}', '${user}', ${now}, ${now + 3_600_000}, NULL)`,
  );
  await using api = await TestService.start(folder.path, cheapPasswords);
  const [name] = (await Browser.ofOwner(api)).cookie("session")!;
  const statusOf = async (secret: string) => {
    const browser = new Browser(api.service.url);
    browser.cookies.set(name, secret);
    return (await browser.call("GET", "session")).status;
  };
  expect([await statusOf(byLink), await statusOf(byPassword)]).toEqual([401, 200]);
  const browser = await Browser.signIn(api, { method: "link", secret: link });
  expect((await browser.call("GET", "session")).body.confined).toEqual({ made_by: "Ada" });
  // Nor does one count that a node of an earlier version begins, while others are replaced.
  const late = await Browser.ofOwner(api);
  using file = openTables(folder.path);
  file.exec("UPDATE sessions SET link_by = NULL");
  expect((await late.call("GET", "session")).status).toBe(401);
});
