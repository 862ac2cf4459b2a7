// Approval: what contributors change is a proposal until an editor approves it, by whatever protocol.
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { operations } from "../../../src/service/operations/operations.ts";
import { isRead } from "../../../src/service/operations/operation.ts";
import { TestService, picture } from "../harness.ts";
import { Agent } from "../mcp/agent.ts";
import { Browser, goodPassword } from "../people/browser.ts";
import { inviteMember, owner, type Person } from "../people/people.ts";
import { contentOf, done, layoutOf, text, within } from "./content.ts";

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

test("[APR1] a contributor's write becomes a proposal, and an editor's approval publishes it", async () => {
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

test("[APR5] no sequence of a contributor's calls changes what is published or what a screen gets", { timeout: 240_000 }, async () => {
  await using team = await startTeam();
  const { api, editor, contributor } = team;
  const device = await api.pairDevice();
  const { asset, playlist, layout } = await api.showPicture(device);
  const spare = (await api.upload(await picture("jpeg"))).body;
  const target = { type: "player", player_id: device.playerId };
  const schedule = await done(editor, "POST", "schedules", { name: "S", layout_id: layout.id, target, starts_at: "2020-01-01T00:00:00Z" });
  const calendar = await done(editor, "POST", "calendars", { name: "C", dates: [] });
  const binned = await done(editor, "POST", "playlists", { name: "B" });
  await done(editor, "DELETE", `playlists/${binned.id}`);
  await done(editor, "PATCH", `playlists/${playlist.id}`, { name: "P2" });
  const foreign = await done(editor, "POST", "drafts", { name: "Editor's" });
  await done(editor, "POST", "playlists", { name: "E" }, within(foreign));
  const { secret } = await done(team.owner, "POST", "invitations", { email: "c@example.com", name: "C", role: "contributor" });
  const browser = await Browser.signIn(api, { method: "invitation", secret, password: goodPassword });
  await using agent = await Agent.connect(api.service.url, contributor.secret, "2026", "all");
  const own: string[] = [];
  const bodies: Record<string, object> = {
    createPlaylist: { name: "N", items: [text("x")] },
    updatePlaylist: { items: [] },
    createLayout: layoutOf("N", playlist.id),
    updateLayout: { background_color: "#ff0000" },
    createSchedule: { name: "N", layout_id: layout.id, target: { type: "team" }, starts_at: "2020-01-01T00:00:00Z", priority: 90 },
    updateSchedule: { enabled: false },
    createCalendar: { name: "N", dates: [] },
    updateCalendar: { dates: [{ date: "2026-12-25" }] },
    show: { text: "Hello", players: [device.playerId], lasts_ms: 60_000 },
    replaceAsset: { asset_id: spare.id },
    createDraft: { name: "N" },
    restoreVersion: {},
    publishDraft: {},
    approveDraft: {},
    returnDraft: { word: "x" },
    updateDraft: { name: "x" },
  };
  // Uploads and imports only add files.
  const tags = ["shows", "playlists", "layouts", "schedules", "calendars", "drafts", "versions"];
  const writes = new Map(
    operations
      .filter((each) => each.caller === "operator" && !isRead(each) && (tags.includes(each.tag) || each.name === "replaceAsset"))
      .map((each) => [each.name, each]),
  );
  const before = await contentOf(editor);
  const revision = async () => (await done(editor, "GET", `players/${device.playerId}`)).desired_revision;
  const [revisionBefore, versionsBefore] = [await revision(), (await done(editor, "GET", "versions")).data[0].number];
  const ids: Record<string, string[]> = {
    playlists: [playlist.id, binned.id],
    layouts: [layout.id],
    schedules: [schedule.id],
    calendars: [calendar.id],
    assets: [asset.id],
    shows: ["shw_01jd3v8q6m9x2k4n7r5t1w0yzh"],
  };
  const call = fc.record({
    name: fc.constantFrom(...writes.keys()),
    protocol: fc.constantFrom("session", "token", "mcp"),
    where: fc.constantFrom("live", "own", "foreign"),
    permanent: fc.boolean(),
    pick: fc.nat(5),
  });
  type Calls = typeof call extends fc.Arbitrary<infer T> ? T : never;
  const perform = async ({ name, protocol, where, permanent, pick }: Calls): Promise<void> => {
    const operation = writes.get(name)!;
    const drafts = where === "foreign" || own.length === 0 ? [foreign.id] : own;
    const draftId = drafts[pick % drafts.length]!;
    const known = operation.tag === "drafts" ? [draftId] : (ids[operation.tag] ?? []);
    const values: Record<string, string> = {
      id: known[pick % Math.max(1, known.length)] ?? "",
      number: String(1 + (pick % 3)),
      kind: "playlist",
      resource_id: playlist.id,
    };
    const path = operation.path.slice(1).replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name]!);
    const body = operation.body === undefined ? undefined : bodies[operation.name];
    const isInDraft = where !== "live" && operation.tag !== "drafts";
    if (protocol === "mcp") {
      const tool = operation.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const params = Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => [param, values[param!]]));
      const draft = isInDraft && operation.drafts === true ? { draft: draftId } : {};
      await agent.call(tool, { ...params, ...body, ...draft });
      return;
    }
    const query = permanent && operation.method === "DELETE" && operation.query !== undefined ? "?permanent=true" : "";
    const headers = isInDraft ? { "signage-draft": draftId } : {};
    const answer = await (protocol === "token" ? contributor : browser).call(
      operation.method,
      path + query,
      body,
      headers as Record<string, string>,
    );
    expect([operation.name, answer.status < 500]).toEqual([operation.name, true]);
    if (operation.name === "createDraft" && answer.status === 201) own.push(answer.body.id);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 20 }), async (calls) => {
      for (const each of calls) await perform(each);
      expect(await contentOf(editor)).toEqual(before);
      expect([await revision(), (await done(editor, "GET", "versions")).data[0].number]).toEqual([revisionBefore, versionsBefore]);
    }),
    { numRuns: 20, seed: 20, endOnFailure: true },
  );
  // The calls did reach something.
  expect((await done(editor, "GET", "drafts?state=proposed")).data.length).toBeGreaterThan(5);
});
