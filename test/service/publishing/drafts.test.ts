// Drafts: content is read and changed in them as if they were published, and published in one transaction.
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { Agent } from "../mcp/agent.ts";
import { createTokenFor, createOtherTeam, inviteMember, owner } from "../people/people.ts";
import { contentOf, done, layoutOf, text, within } from "./content.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const hourMs = 3_600_000;

test("[DRF1] what is written in a draft is read in it, also by forecasts and reasons, and nothing else changes until it is published", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const playlist = await done(api, "POST", "playlists", { name: "P", items: [text("old")] });
  const layout = await done(api, "POST", "layouts", layoutOf("L", playlist.id));
  await done(api, "PATCH", `players/${device.playerId}`, { layout_id: layout.id });
  const published = await contentOf(api);
  const revision = (await done(api, "GET", `players/${device.playerId}`)).desired_revision;
  const draft = await done(api, "POST", "drafts", { name: "D", note: "why" });
  const inDraft = within(draft);
  await done(api, "PATCH", `playlists/${playlist.id}`, { items: [text("new")] }, inDraft);
  const added = await done(api, "POST", "layouts", layoutOf("M", playlist.id), inDraft);
  const calendar = await done(api, "POST", "calendars", { name: "C", dates: [{ date: "2026-12-25" }] }, inDraft);
  const target = { type: "player", player_id: device.playerId };
  // It refers to what only the draft has.
  const conditions = [{ type: "calendar", calendar_id: calendar.id, is_listed: false }];
  const schedule = { name: "S", layout_id: added.id, target, starts_at: "2020-01-01T00:00:00Z", conditions };
  const planned = await done(api, "POST", "schedules", schedule, inDraft);
  expect(planned.screens).toBe(1);
  expect((await done(api, "GET", `playlists/${playlist.id}`, undefined, inDraft)).items[0].text).toBe("new");
  const why = async (headers: Record<string, string>) => {
    const answer = await done(api, "GET", `players/${device.playerId}/why`, undefined, headers);
    return answer.reasons[0].layout_id;
  };
  expect([await why({}), await why(inDraft)]).toEqual([layout.id, added.id]);
  expect(await contentOf(api)).toEqual(published);
  expect((await done(api, "GET", `players/${device.playerId}`)).desired_revision).toBe(revision);
  const seen = await done(api, "GET", `drafts/${draft.id}`);
  expect(seen.changes.map(({ kind, action }: { kind: string; action: string }) => `${kind} ${action}`).toSorted()).toEqual([
    "calendar created",
    "layout created",
    "playlist changed",
    "schedule created",
  ]);
  const change = seen.changes.find(({ kind }: { kind: string }) => kind === "playlist");
  expect([change.before.items[0].text, change.after.items[0].text, change.is_conflicting]).toEqual(["old", "new", false]);

  const expected = await contentOf(api, inDraft);
  const { version, changes } = await done(api, "POST", `drafts/${draft.id}/publish`, {});
  expect([version.note, version.draft_id, version.change_count, changes.length]).toEqual(["why", draft.id, 4, 4]);
  expect(await contentOf(api)).toEqual(expected);
  expect(await why({})).toBe(added.id);
  expect((await done(api, "GET", `players/${device.playerId}`)).desired_revision).not.toBe(revision);
  const after = await done(api, "GET", `drafts/${draft.id}`);
  expect([after.state, after.version, after.changes]).toEqual(["published", version.number, []]);
  expect((await api.call("POST", `drafts/${draft.id}/publish`, {})).status).toBe(409);
});

test("[DRF2] a draft checks what is written in it like a write that publishes: fields, references, use, If-Match", async () => {
  const api = await shared.newTeam();
  const playlist = await done(api, "POST", "playlists", { name: "P" });
  const layout = await done(api, "POST", "layouts", layoutOf("L", playlist.id));
  const draft = await done(api, "POST", "drafts", { name: "D" });
  const inDraft = within(draft);
  const status = async (...args: Parameters<typeof api.call>) => (await api.call(...args)).status;
  expect(await status("DELETE", `playlists/${playlist.id}`, undefined, inDraft)).toBe(409);
  expect(await status("POST", "playlists", { name: "" }, inDraft)).toBe(422);
  const read = await api.call("GET", `layouts/${layout.id}`, undefined, inDraft);
  const etag = read.headers.get("etag")!;
  expect(await status("PATCH", `layouts/${layout.id}`, { name: "M" }, { ...inDraft, "if-match": etag })).toBe(200);
  expect(await status("PATCH", `layouts/${layout.id}`, { name: "N" }, { ...inDraft, "if-match": etag })).toBe(412);
  await done(api, "DELETE", `layouts/${layout.id}`, undefined, inDraft);
  // In the draft nothing uses the playlist any more.
  await done(api, "DELETE", `playlists/${playlist.id}`, undefined, inDraft);
  expect((await contentOf(api, inDraft)).size).toBe(0);
  expect((await contentOf(api)).size).toBe(2);
  await done(api, "POST", `layouts/${layout.id}/restore`, undefined, inDraft);
  // Restored as the draft had it, with its playlist, which the draft changes no more.
  const changes = async () => (await done(api, "GET", `drafts/${draft.id}`)).changes.map(({ id }: { id: string }) => id);
  expect(await changes()).toEqual([layout.id]);
  expect((await done(api, "GET", `layouts/${layout.id}`, undefined, inDraft)).name).toBe("M");
  await done(api, "PATCH", `layouts/${layout.id}`, { name: "L" }, inDraft);
  expect(await changes()).toEqual([]);
  expect(await status("POST", `drafts/${draft.id}/publish`, {})).toBe(422);
  // What only the draft has can be restored there too, and is no change while it is in the draft's bin.
  const added = await done(api, "POST", "playlists", { name: "Q" }, inDraft);
  await done(api, "DELETE", `playlists/${added.id}`, undefined, inDraft);
  expect([await changes(), (await done(api, "GET", "drafts")).data[0].change_count]).toEqual([[], 0]);
  expect((await done(api, "POST", `playlists/${added.id}/restore`, undefined, inDraft)).name).toBe("Q");
  expect(await changes()).toEqual([added.id]);
});

test("[DRF3] a change that someone publishes meanwhile is a conflict, and publishing needs a decision about each", async () => {
  const api = await shared.newTeam();
  const [one, two, three] = [
    await done(api, "POST", "playlists", { name: "1" }),
    await done(api, "POST", "playlists", { name: "2" }),
    await done(api, "POST", "playlists", { name: "3" }),
  ];
  const draft = await done(api, "POST", "drafts", { name: "D" });
  for (const { id } of [one, two, three]) await done(api, "PATCH", `playlists/${id}`, { name: "mine" }, within(draft));
  await done(api, "PATCH", `playlists/${one.id}`, { name: "theirs" });
  await done(api, "DELETE", `playlists/${two.id}`);
  // The same change is none.
  await done(api, "PATCH", `playlists/${three.id}`, { name: "mine" });
  const { changes } = await done(api, "GET", `drafts/${draft.id}`);
  const conflictOf = ({ id }: { id: string }) => changes.find((change: { id: string }) => change.id === id);
  expect([one, two, three].map((each) => conflictOf(each).is_conflicting)).toEqual([true, true, false]);
  expect([conflictOf(one).live.name, conflictOf(two).live]).toEqual(["theirs", null]);
  const before = await contentOf(api);
  const refused = await api.call("POST", `drafts/${draft.id}/publish`, {});
  expect([refused.status, refused.body.type, refused.body.errors.length]).toEqual([409, "/problems/draft-conflicts", 2]);
  const half = { resolve: [{ kind: "playlist", id: one.id, resolve: "mine" }] };
  expect((await api.call("POST", `drafts/${draft.id}/publish`, half)).status).toBe(409);
  expect(await contentOf(api)).toEqual(before);
  const both = { resolve: [...half.resolve, { kind: "playlist", id: two.id, resolve: "theirs" }] };
  await done(api, "POST", `drafts/${draft.id}/publish`, both);
  expect((await done(api, "GET", `playlists/${one.id}`)).name).toBe("mine");
  expect((await api.call("GET", `playlists/${two.id}`)).status).toBe(404);
});

test("[DRF4] a draft that no longer fits is refused with the reason, and nothing of it is published", async () => {
  const api = await shared.newTeam();
  const playlist = await done(api, "POST", "playlists", { name: "P" });
  const draft = await done(api, "POST", "drafts", { name: "D" });
  await done(api, "POST", "layouts", layoutOf("L", playlist.id), within(draft));
  await done(api, "POST", "playlists", { name: "Q" }, within(draft));
  await done(api, "DELETE", `playlists/${playlist.id}`);
  const refused = await api.call("POST", `drafts/${draft.id}/publish`, {});
  expect([refused.status, refused.body.detail.includes("playlists that were deleted")]).toEqual([409, true]);
  expect((await contentOf(api)).size).toBe(0);
  // What it refers to was deleted for good: the draft can still be read, and mended.
  const device = await api.pairDevice();
  const layout = await done(api, "POST", "layouts", layoutOf("M", null));
  const broken = await done(api, "POST", "drafts", { name: "E" });
  const schedule = { name: "S", layout_id: layout.id, target: { type: "team" }, starts_at: "2020-01-01T00:00:00Z" };
  const { id } = await done(api, "POST", "schedules", schedule, within(broken));
  await done(api, "DELETE", `layouts/${layout.id}?permanent=true`);
  const player = `players/${device.playerId}`;
  for (const path of [
    `schedules/${id}`,
    "schedules",
    "layouts",
    "timeline",
    `${player}/forecast`,
    `${player}/why`,
    `${player}/desired-state`,
  ]) {
    expect([path, (await api.call("GET", path, undefined, within(broken))).status]).toEqual([path, 200]);
  }
  expect((await api.call("GET", `drafts/${broken.id}/effect`)).status).toBe(200);
  expect((await api.call("POST", `drafts/${broken.id}/publish`, {})).status).toBe(409);
  await done(api, "DELETE", `schedules/${id}`, undefined, within(broken));
  expect((await done(api, "GET", `drafts/${broken.id}`)).changes).toEqual([]);
});

test("[CAL24] a draft and a restored version keep no item whose calendar was deleted; an effect knows the dates of an item's calendar", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice("Lobby");
  const [used, other] = [
    await done(api, "POST", "calendars", { name: "Used", dates: [{ date: "2026-12-25" }] }),
    await done(api, "POST", "calendars", { name: "Other", dates: [] }),
  ];
  const only = (calendar: { id: string }) => ({ ...text("soup"), conditions: [{ type: "calendar", calendar_id: calendar.id }] });
  const playlist = await done(api, "POST", "playlists", { name: "P", items: [text("always"), only(used)] });
  const layout = await done(api, "POST", "layouts", layoutOf("L", playlist.id));
  await done(api, "PATCH", `players/${device.playerId}`, { layout_id: layout.id });

  const draft = await done(api, "POST", "drafts", { name: "D" });
  await done(api, "PATCH", `calendars/${used.id}`, { dates: [{ date: "2026-12-24" }] }, within(draft));
  const first_at = new Date(clock.now()).toISOString();
  expect((await done(api, "GET", `drafts/${draft.id}/effect`)).screens).toMatchObject([{ name: "Lobby", first_at }]);
  const refusedUse = await api.call("DELETE", `calendars/${used.id}`, undefined, within(draft));
  expect([refusedUse.status, refusedUse.body.detail.includes("“P”")]).toEqual([409, true]);

  const late = await done(api, "POST", "drafts", { name: "E" });
  await done(api, "PATCH", `playlists/${playlist.id}`, { items: [text("always"), only(other)] }, within(late));
  await done(api, "DELETE", `calendars/${other.id}`);
  const refused = await api.call("POST", `drafts/${late.id}/publish`, {});
  expect([refused.status, refused.body.detail.includes("1 of its items refer to calendars that were deleted")]).toEqual([409, true]);

  // An old version without its calendar: the item would play on days on which it must not.
  const { number } = (await done(api, "GET", "versions?limit=1")).data[0];
  await done(api, "PATCH", `playlists/${playlist.id}`, { items: [text("always")] });
  await done(api, "DELETE", `calendars/${used.id}`);
  await done(api, "POST", `versions/${number}/restore`, { only: [{ kind: "playlist", id: playlist.id }] });
  expect((await done(api, "GET", `playlists/${playlist.id}`)).items.map((item: { text: string }) => item.text)).toEqual(["always"]);
});

test("[DRF5] the effect of a draft names the screens that change, when first, and the gaps that it leaves", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const [hall, lobby] = [await api.pairDevice("Hall 3"), await api.pairDevice("Lobby")];
  const playlist = await done(api, "POST", "playlists", { name: "P", items: [text("a")] });
  const layout = await done(api, "POST", "layouts", layoutOf("L", playlist.id));
  const later = new Date(clock.now() + 5 * hourMs).toISOString();
  const end = new Date(clock.now() + 6 * hourMs).toISOString();
  const target = { type: "player", player_id: hall.playerId };
  const schedule = await done(api, "POST", "schedules", { name: "S", layout_id: layout.id, target, starts_at: later, ends_at: end });
  const draft = await done(api, "POST", "drafts", { name: "D" });
  const none = await done(api, "GET", `drafts/${draft.id}/effect`);
  expect([none.screen_count, none.first_at, none.screens, none.gaps]).toEqual([0, null, [], []]);
  await done(api, "PATCH", `schedules/${schedule.id}`, { target: { type: "player", player_id: lobby.playerId } }, within(draft));
  const effect = await done(api, "GET", `drafts/${draft.id}/effect`);
  expect([effect.screen_count, effect.first_at]).toEqual([2, later]);
  expect(effect.screens.map(({ name, first_at }: { name: string; first_at: string }) => [name, first_at]).toSorted()).toEqual([
    ["Hall 3", later],
    ["Lobby", later],
  ]);
  expect(effect.gaps).toEqual([{ player_id: hall.playerId, name: "Hall 3", from: later, to: end, empty_because: "no-schedule" }]);
});

test("[DRF6] what cannot be part of a draft is refused in it; drafts of another team are not found", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const draft = await done(api, "POST", "drafts", { name: "D" });
  const show = await api.call("POST", "show", { text: "x", players: [device.playerId], lasts_ms: 60_000 }, within(draft));
  expect([show.status, show.body.errors[0].pointer]).toEqual([422, "Signage-Draft"]);
  expect((await api.call("GET", "players", undefined, within(draft))).status).toBe(200);
  const other = await createOtherTeam(api);
  expect((await other.call("GET", "playlists", undefined, within(draft))).status).toBe(404);
  expect((await other.call("POST", "playlists", { name: "P" }, within(draft))).status).toBe(404);
  for (const path of ["", "/effect"]) expect((await other.call("GET", `drafts/${draft.id}${path}`)).status).toBe(404);
  const wrong = await api.call("GET", "playlists", undefined, { "signage-draft": "drf_x" });
  expect(wrong.status).toBe(422);
});

test("[DRF7] a token publishes only the kinds of content that it may write, and needs the scopes of drafts to read and write in them", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const draft = await done(first, "POST", "drafts", { name: "D" });
  await done(first, "POST", "layouts", layoutOf("L", null), within(draft));
  const publisher = await createTokenFor(api, first, ["drafts:read", "drafts:write", "versions:write", "playlists:write"]);
  expect((await publisher.call("POST", `drafts/${draft.id}/publish`, {})).status).toBe(403);
  const writer = await createTokenFor(api, first, ["layouts:write", "layouts:read"]);
  expect((await writer.call("POST", "layouts", layoutOf("M", null), within(draft))).status).toBe(403);
  expect((await writer.call("GET", "layouts", undefined, within(draft))).status).toBe(403);
  const complete = await createTokenFor(api, first, ["versions:write", "layouts:write"]);
  expect((await complete.call("POST", `drafts/${draft.id}/publish`, {})).status).toBe(200);
});

test("[DRF8] agents read and write content in a draft by the argument draft", async () => {
  const api = await shared.newTeam();
  const editor = await inviteMember(api, await owner(api), "editor");
  await using agent = await Agent.connect(api.service.url, editor.secret, "2026", "content,schedules");
  const { result: draft } = await agent.ok("create_draft", { name: "D" });
  const { result: playlist } = await agent.ok("create_playlist", { name: "P", draft: draft.id });
  expect((await agent.ok("get_playlist", { id: playlist.id, draft: draft.id })).name).toBe("P");
  expect((await agent.call("get_playlist", { id: playlist.id })).isError).toBe(true);
  await agent.ok("publish_draft", { id: draft.id });
  expect((await agent.ok("get_playlist", { id: playlist.id })).name).toBe("P");
});

test("[DRF9] drafts and what is published of them have events, each resource too; what is written in a draft has none", async () => {
  const api = await shared.newTeam();
  const { next } = await done(api, "GET", "events?after=now");
  const draft = await done(api, "POST", "drafts", { name: "D" });
  const playlist = await done(api, "POST", "playlists", { name: "P" }, within(draft));
  await done(api, "POST", `drafts/${draft.id}/publish`, {});
  await done(api, "PATCH", `playlists/${playlist.id}`, { name: "Q" });
  await done(api, "POST", "versions/1/restore", {});
  const { data } = await done(api, "GET", `events?after=${next}`);
  expect(data.map(({ type }: { type: string }) => type)).toEqual([
    "draft.created",
    "draft.updated",
    "playlist.created",
    "draft.published",
    "version.published",
    "playlist.updated",
    "playlist.updated",
    "version.published",
  ]);
  expect(data[4].data).toMatchObject({ number: 1, change_count: 1 });
});
