// What a team may do with its members: nothing that reaches another of their teams.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../support/folder.ts";
import { TestService } from "../../harness.ts";
import { Agent } from "../../mcp/agent.ts";
import { fillPath, idsIn, operatorOperations } from "../../populate-team.ts";
import { Browser, cheapPasswords, goodPassword } from "../browser.ts";
import { readEverything, writeEverything } from "./every-operation.ts";
import { createOtherTeam, owner } from "../people.ts";
import { accountOf, ConfinedMember, plainOwner, shareMember, signInWhole } from "./shared-member.ts";
import { createUnchangedCheck, idsOnlyIn, startTwoTeams, waitForAssets } from "./two-teams.ts";

type AnyOperation = (typeof operatorOperations)[number];

const anId = "01jd3v8q6m9x2k4n7r5t1w0yzh";
const aboutAccess = ["teams:write", "tokens:read", "tokens:write"];
/** What acts on people, their account and their access. */
const personal = operatorOperations.filter(({ scope, session }) => session?.wholePerson === true || aboutAccess.includes(scope ?? ""));

test("[CNF1] a link that a team's owner makes, by token, session or MCP, signs a member in to that team alone", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const victim = await createOtherTeam(api, "Victims");
  const mallory = await plainOwner(api, await owner(api));
  await shareMember(api, mallory, victim, "owner");
  const whole = await signInWhole(api, mallory, "mallory@example.com");
  await using agent = await Agent.connect(api.service.url, mallory.secret, "2026", "all");
  const body = { user_id: victim.userId };
  for (const link of [
    (await mallory.call("POST", "sign-in-links", body)).body,
    (await whole.call("POST", "sign-in-links", body)).body,
    (await agent.ok("create_sign_in_link", body)).result,
  ]) {
    const browser = await Browser.signIn(api, { method: "link", secret: link.secret });
    const session = (await browser.call("GET", "session")).body;
    expect(session.team.id).toBe(mallory.teamId);
    expect(session.teams.map(({ id }: { id: string }) => id)).toEqual([mallory.teamId]);
    expect((await browser.call("GET", "teams")).body.data.map(({ id }: { id: string }) => id)).toEqual([mallory.teamId]);
    expect((await browser.call("GET", `teams/${victim.teamId}`)).status).toBe(404);
    expect((await browser.call("POST", "session/team", { team_id: victim.teamId })).status).toBe(403);
    expect((await browser.call("PUT", "me/password", { password: "five brave badgers sing" })).status).toBe(403);
    expect((await browser.call("POST", "tokens", { name: "t", scopes: ["players:read"], expires_at: null })).status).toBe(403);
    expect((await browser.call("PATCH", "me", { email: "mallory2@example.com" })).status).toBe(403);
    expect((await browser.call("POST", "sign-in-links", {})).status).toBe(403);
    // In its own team it works.
    expect((await browser.call("POST", "playlists", { name: "Menu" })).status).toBe(201);
  }
});

test("[CNF2] nothing that an owner does to a member, by token, MCP or a link's session, reaches the member's account or another team", async () => {
  await using teams = await startTwoTeams();
  const { service: api, file, own, other } = teams;
  const victim = other.person;
  const email = "victim@example.com";
  const whole = await signInWhole(api, victim, email);
  const mallory = await plainOwner(api, own.person);
  await shareMember(api, mallory, victim, "owner");
  await waitForAssets(own, other);
  const foreign = idsOnlyIn(file, victim.teamId, own.person.teamId);
  const checkFromNow = () => {
    const account = accountOf(file, victim.userId, own.person.teamId);
    const checkTeam = createUnchangedCheck(file, victim.teamId);
    return (act: string) => {
      checkTeam(act);
      expect([act, accountOf(file, victim.userId, own.person.teamId)]).toEqual([act, account]);
    };
  };
  let checkUnchanged = checkFromNow();
  const confined = await ConfinedMember.signIn(api, mallory, victim);
  checkUnchanged("signing in by the link");

  // Every read and every write of the API in the session that the link began.
  expect(await readEverything({ ...own, person: confined }, foreign, other.pool)).toBeGreaterThan(60);
  for (const each of personal) {
    const { status, body } = await confined.call(each.method, pathOf(each), each.body === undefined ? undefined : exampleOf(each));
    expect([each.name, status, body.type]).toEqual([each.name, 403, "/problems/forbidden"]);
    checkUnchanged(`${each.name} in the session`);
  }
  const { body: invitation } = await victim.call("POST", "invitations", { email: "x@example.com", name: "X", role: "viewer" });
  checkUnchanged = checkFromNow();
  expect((await confined.call("POST", "invitations/accept", { secret: invitation.secret })).status).toBe(403);
  checkUnchanged("acceptInvitation in the session");
  // Its secret is none of a program's.
  await expect(Agent.connect(api.service.url, confined.secret, "2026", "all")).rejects.toThrow();
  await writeEverything({ ...own, person: confined }, file, foreign, checkUnchanged);

  // What an owner does about people by token and by MCP, with the member's id wherever one is asked for.
  await using agent = await Agent.connect(api.service.url, mallory.secret, "2026", "all");
  const tools = new Set((await agent.client.listTools()).tools.map(({ name }) => name));
  const byId = { id: own.person.teamId, user_id: victim.userId };
  let byTool = 0;
  for (const each of personal.filter(({ name }) => !/^(?:createTeam|deleteTeam|removeMember|updateMe)$/.test(name))) {
    await mallory.call(each.method, fillPath(each.path, idsFor(each, byId)), each.body === undefined ? undefined : exampleOf(each, byId));
    const tool = each.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (tools.has(tool)) byTool += 1;
    if (tools.has(tool)) await agent.call(tool, { ...idsFor(each, byId), ...(exampleOf(each, byId) as object) });
    checkUnchanged(`${each.name} by an owner`);
  }
  expect(byTool).toBeGreaterThan(8);
  const place = `teams/${own.person.teamId}/members/${victim.userId}`;
  expect((await mallory.call("PATCH", place, { role: "viewer" })).status).toBe(200);
  expect((await mallory.call("DELETE", place)).status).toBe(204);
  checkUnchanged("removing the member");
  expect((await confined.call("GET", "session")).status).toBe(401);
  expect((await victim.call("GET", "me")).body.team.id).toBe(victim.teamId);
  expect((await whole.call("GET", "session")).body).toMatchObject({ team: { id: victim.teamId }, confined: null });
  await Browser.signIn(api, { method: "password", email, password: goodPassword });
});

test("[CNF3] each operation without a scope says whether a session for one team may do it, and each on a person is documented", async () => {
  const open = operatorOperations.filter(({ scope, session }) => scope === undefined && session?.wholePerson !== true);
  expect(open.map(({ name }) => name).toSorted()).toEqual(["deleteSession", "getMe", "getSession"]);
  const table = /^## What a team may do to a person$(.*?)^## /ms.exec(await readFile("docs/sign-in.md", "utf8"))![1]!;
  const onNobody = ["mirrorReleases", "updateTeam"];
  const missing = personal.filter(({ name }) => !table.includes(`\`${name}\``) && !onNobody.includes(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

const pathOf = (each: AnyOperation): string => fillPath(each.path, idsFor(each, {}));

/** Ids for the parameters of a path: those that are given, else some. */
function idsFor({ params }: AnyOperation, given: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    idsIn(params).map(({ name, prefix }) => [name, given[name]?.startsWith(prefix) ? given[name] : `${prefix}_${anId}`]),
  );
}

/** The example of a body, about a user if it asks for one. */
function exampleOf({ name, example }: AnyOperation, { user_id }: Record<string, string> = {}): unknown {
  return name === "createSignInLink" && user_id !== undefined ? { user_id } : (example ?? {});
}
