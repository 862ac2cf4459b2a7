// What a team may do with its members: nothing that reaches another of their teams.
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { Agent } from "../mcp/agent.ts";
import { Browser } from "./browser.ts";
import { createOtherTeam, owner } from "./people.ts";
import { plainOwner, shareMember, signInWhole } from "./shared-member.ts";

test("[CNF1] a link that a team's owner makes, by token, session or MCP, signs a member in to that team alone", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
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
