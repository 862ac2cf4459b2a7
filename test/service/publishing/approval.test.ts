// Approval: what contributors change is a proposal until an editor approves it, by whatever protocol.
import fc from "fast-check";
import { expect, test } from "vitest";
import { keepsContent } from "../../../src/service/operations/operation.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { TestService } from "../harness.ts";
import { inviteMember, owner, type Person } from "../people/people.ts";
import { populateTeam } from "../populate-team.ts";
import { done, within } from "./content.ts";
import { Contributor, places, prepareSpecial, protectedRows, protocols, writes } from "./contributor-calls.ts";
import { openTables } from "../tables-of.ts";

interface Team extends AsyncDisposable {
  api: TestService;
  owner: Person;
  editor: Person;
  contributor: Person;
}

/** A team that asks for approval. */
async function startTeam(): Promise<Team> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const api = opened.use(await TestService.start(folder.path));
  const first = await owner(api);
  const [editor, contributor] = [await inviteMember(api, first, "editor"), await inviteMember(api, first, "contributor")];
  await done(first, "PATCH", `teams/${first.teamId}`, { approval: "required" });
  const owned = opened.move();
  return { api, owner: first, editor, contributor, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test("[APR1] a contributor's write becomes a proposal where the team asks for approval, and an editor's approval publishes it", async () => {
  await using team = await startTeam();
  const { editor, contributor } = team;
  const published = await done(editor, "POST", "playlists", { name: "P" });
  const answer = await contributor.call("PATCH", `playlists/${published.id}`, { name: "Q" });
  expect([answer.status, answer.body.name, answer.headers.get("etag")]).toEqual([202, "Q", null]);
  expect((await done(editor, "GET", `playlists/${published.id}`)).name).toBe("P");
  const path = `drafts/${answer.body.draft_id}`;
  const draft = await done(editor, "GET", path);
  expect([draft.state, draft.created_by.user_id, draft.change_count]).toEqual(["proposed", contributor.userId, 1]);
  expect(draft.changes[0].after.name).toBe("Q");
  const { version } = await done(editor, "POST", `${path}/approve`, { note: "good" });
  expect([version.created_by.user_id, version.proposed_by.user_id, version.note]).toEqual([editor.userId, contributor.userId, "good"]);
  expect((await done(editor, "GET", `playlists/${published.id}`)).name).toBe("Q");
  // Without a change there is nothing to propose.
  expect((await contributor.call("PATCH", `playlists/${published.id}`, { name: "Q" })).status).toBe(200);
  const dry = await contributor.call("PATCH", `playlists/${published.id}?dry_run=true`, { name: "R" });
  expect(dry.status).toBe(202);
  expect((await done(editor, "GET", "drafts?state=proposed")).data).toEqual([]);
});

test("[APR2] a proposal is returned with a word, changed and proposed again; while it is proposed nobody changes it", async () => {
  await using team = await startTeam();
  const { editor, contributor } = team;
  const draft = await done(contributor, "POST", "drafts", { name: "D" });
  const playlist = await done(contributor, "POST", "playlists", { name: "P" }, within(draft));
  const status = async (by: Person, act: string, body?: object) => (await by.call("POST", `drafts/${draft.id}/${act}`, body)).status;
  expect(await status(contributor, "publish", {})).toBe(403);
  expect(await status(editor, "approve", {})).toBe(409);
  expect(await status(contributor, "propose")).toBe(200);
  for (const by of [contributor, editor]) {
    expect((await by.call("PATCH", `playlists/${playlist.id}`, { name: "Q" }, within(draft))).status).toBe(409);
  }
  const returned = await done(editor, "POST", `drafts/${draft.id}/return`, { word: "Another name, please" });
  expect([returned.state, returned.word, returned.decided_by.user_id]).toEqual(["returned", "Another name, please", editor.userId]);
  await done(contributor, "PATCH", `playlists/${playlist.id}`, { name: "Q" }, within(draft));
  expect(await status(contributor, "propose")).toBe(200);
  // The editor compared an older state of it.
  const seen = (await editor.call("GET", `drafts/${draft.id}`)).headers.get("etag")!;
  expect(await status(contributor, "withdraw")).toBe(200);
  await done(contributor, "PATCH", `playlists/${playlist.id}`, { name: "R" }, within(draft));
  expect(await status(contributor, "propose")).toBe(200);
  expect((await editor.call("POST", `drafts/${draft.id}/approve`, {}, { "if-match": seen })).status).toBe(412);
  expect(await status(editor, "approve", {})).toBe(200);
  expect((await done(editor, "GET", `playlists/${playlist.id}`)).name).toBe("R");
  // Decided and withdrawn at the same instant: one of the two.
  const { draft_id: other } = (await contributor.call("PATCH", `playlists/${playlist.id}`, { name: "S" })).body;
  const both = await Promise.all([
    editor.call("POST", `drafts/${other}/approve`, {}),
    contributor.call("POST", `drafts/${other}/withdraw`),
  ]);
  expect(both.map(({ status }) => `${status}`).toSorted()).toEqual(["200", "409"]);
  const isApproved = both[0].status === 200;
  expect((await done(editor, "GET", `drafts/${other}`)).state).toBe(isApproved ? "published" : "open");
  expect((await done(editor, "GET", `playlists/${playlist.id}`)).name).toBe(isApproved ? "S" : "R");
});

test("[APR3] nobody approves their own proposal, and contributors decide about none and change no draft of someone else", async () => {
  await using team = await startTeam();
  const { api, editor, contributor } = team;
  const other = await inviteMember(api, team.owner, "contributor", "other");
  const own = await done(editor, "POST", "drafts", { name: "D" });
  await done(editor, "POST", "playlists", { name: "P" }, within(own));
  expect((await other.call("POST", "playlists", { name: "Q" }, within(own))).status).toBe(403);
  for (const act of ["propose", "withdraw"]) expect((await other.call("POST", `drafts/${own.id}/${act}`)).status).toBe(403);
  for (const method of ["DELETE", "PATCH"])
    expect((await other.call(method, `drafts/${own.id}`, method === "PATCH" ? { name: "x" } : undefined)).status).toBe(403);
  await done(editor, "POST", `drafts/${own.id}/propose`);
  expect((await editor.call("POST", `drafts/${own.id}/approve`, {})).status).toBe(403);
  expect((await editor.call("POST", `drafts/${own.id}/return`, { word: "x" })).status).toBe(403);
  for (const by of [contributor, other]) expect((await by.call("POST", `drafts/${own.id}/approve`, {})).status).toBe(403);
  // Their own, after they became an editor.
  const { draft_id } = (await contributor.call("POST", "playlists", { name: "R" })).body;
  await done(team.owner, "PATCH", `teams/${editor.teamId}/members/${contributor.userId}`, { role: "editor" });
  expect((await contributor.call("POST", `drafts/${draft_id}/approve`, {})).status).toBe(403);
  await done(team.owner, "POST", `drafts/${draft_id}/approve`, {});
});

test("[APR4] without the setting contributors publish content at once, and nothing else", async () => {
  await using team = await startTeam();
  const { api, contributor } = team;
  await done(team.owner, "PATCH", `teams/${team.owner.teamId}`, { approval: "none" });
  expect((await contributor.call("POST", "playlists", { name: "P" })).status).toBe(201);
  const device = await api.pairDevice();
  const refused: [string, string, object?][] = [
    ["PATCH", `players/${device.playerId}`, { name: "x" }],
    ["POST", `players/${device.playerId}/commands`, { type: "reload" }],
    ["POST", "webhooks", { name: "W", url: "https://hooks.example.com/x", events: ["*"] }],
    ["PATCH", `teams/${contributor.teamId}`, { approval: "none" }],
    ["POST", "invitations", { email: "x@example.com", name: "X", role: "viewer" }],
  ];
  for (const [method, path, body] of refused) expect([path, (await contributor.call(method, path, body)).status]).toEqual([path, 403]);
});

interface Guarded extends AsyncDisposable {
  contributor: Contributor;
  /** What a contributor must not change: the rows of the database, and what the screen gets. */
  look: () => Promise<unknown>;
}

/** A team with resources of every kind that asks for approval, and its contributors. */
async function startGuarded(): Promise<Guarded> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const api = opened.use(await TestService.start(folder.path));
  const first = await owner(api);
  const file = opened.adopt(openTables(folder.path), (each) => each.close());
  const { pool, device } = await populateTeam(api, first, file);
  await eventually(async () => (await done(first, "GET", `assets/${pool.get("ast")}`)).status === "ready");
  const special = await prepareSpecial(api, first);
  await done(first, "PATCH", `teams/${first.teamId}`, { approval: "required" });
  const editor = await inviteMember(api, first, "editor");
  const foreign = await done(editor, "POST", "drafts", { name: "Editor's" });
  await done(editor, "POST", "playlists", { name: "E" }, within(foreign));
  const contributor = opened.use(await Contributor.join(api, first, { pool, special, foreign: foreign.id }));
  const look = async () => {
    const { state } = await done(first, "GET", `players/${device.playerId}/desired-state`);
    const drafted = await done(first, "GET", `drafts/${foreign.id}`);
    return { rows: protectedRows(file), state, drafted };
  };
  const owned = opened.move();
  return { contributor, look, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test("[APR5] no write of a contributor changes what is published or what a screen gets", async () => {
  await using team = await startGuarded();
  const { contributor, look } = team;
  const before = await look();
  for (const name of writes.keys()) {
    for (const protocol of protocols) {
      for (const place of places) await contributor.make({ name, protocol, place, permanent: false });
    }
    expect([name, await look()]).toEqual([name, before]);
  }
  // The calls did reach something: all that can be proposed was.
  const proposable = [...writes.values()].filter((each) => each.drafts === true && !keepsContent(each)).map(({ name }) => name);
  const proposed = proposable.filter((name) => (contributor.done.get(name)?.proposed ?? 0) > 0);
  expect(proposable.filter((name) => !proposed.includes(name))).toEqual([]);
});

test("[APR5] no sequence of a contributor's calls changes what is published or what a screen gets", async () => {
  await using team = await startGuarded();
  const { contributor, look } = team;
  const before = await look();
  const call = fc.record({
    name: fc.constantFrom(...writes.keys()),
    protocol: fc.constantFrom(...protocols),
    place: fc.constantFrom(...places),
    permanent: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 20 }), async (calls) => {
      for (const each of calls) await contributor.make(each);
      expect(await look()).toEqual(before);
    }),
    { numRuns: 20, seed: 20, endOnFailure: true },
  );
});
