// Drafts beside each other, repeated requests in them, and the operations that act on more than one resource.
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { picture, TestService } from "../harness.ts";
import { inviteMember, owner } from "../people/people.ts";
import { contentOf, done, layoutOf, text, within } from "./content.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

test("[DRF10] of two people who publish changes of the same at once, one wins and the other is told the conflicts; a draft is published once", async () => {
  const api = await shared.newTeam();
  const first = await owner(api);
  const people = [await inviteMember(api, first, "editor", "one"), await inviteMember(api, first, "editor", "two")];
  const playlist = await done(first, "POST", "playlists", { name: "Shared" });
  const drafts = await Promise.all(
    people.map(async (by, place) => {
      const draft = await done(by, "POST", "drafts", { name: `${place}` });
      await done(by, "PATCH", `playlists/${playlist.id}`, { name: `of ${place}` }, within(draft));
      await done(by, "POST", "playlists", { name: `new ${place}` }, within(draft));
      return draft;
    }),
  );
  const publish = (place: number, body: object = {}) => people[place]!.call("POST", `drafts/${drafts[place].id}/publish`, body);
  const answers = await Promise.all([publish(0), publish(1)]);
  const [winner, loser] = answers[0]!.status === 200 ? [0, 1] : [1, 0];
  expect([answers[winner]!.status, answers[loser]!.status]).toEqual([200, 409]);
  expect(answers[loser]!.body).toMatchObject({
    type: "/problems/draft-conflicts",
    errors: [{ pointer: `/changes/playlist/${playlist.id}` }],
  });
  const names = async () => (await done(first, "GET", "playlists")).data.map(({ name }: { name: string }) => name).toSorted();
  expect(await names()).toEqual([`new ${winner}`, `of ${winner}`]);
  // Nothing of the other's is lost: it is published with a decision.
  const resolve = [{ kind: "playlist", id: playlist.id, resolve: "mine" }];
  expect((await publish(loser, { resolve })).status).toBe(200);
  expect(await names()).toEqual(["new 0", "new 1", `of ${loser}`]);
  // One draft is published once.
  const draft = await done(first, "POST", "drafts", { name: "D" });
  await done(first, "PATCH", `playlists/${playlist.id}`, { name: "last" }, within(draft));
  const twice = await Promise.all(people.map((by) => by.call("POST", `drafts/${draft.id}/publish`, {})));
  expect(twice.map(({ status, body }) => `${status} ${body.type ?? ""}`).toSorted()).toEqual(["200 ", "409 /problems/wrong-status"]);
});

test("[DRF11] imports, replaced files, previews and the timeline are those of the draft in it", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice("Hall");
  const { asset, playlist, layout } = await api.showPicture(device);
  const next = (await api.upload(await picture("jpeg"))).body;
  await eventually(async () => (await done(api, "GET", `assets/${next.id}`)).status === "ready");
  const published = await contentOf(api);
  const draft = await done(api, "POST", "drafts", { name: "D" });
  const inDraft = within(draft);
  const replaced = await done(api, "POST", `assets/${asset.id}/replace`, { asset_id: next.id }, inDraft);
  expect(replaced.playlists.map(({ id }: { id: string }) => id)).toEqual([playlist.id]);
  const uses = async (id: string, headers = {}) => (await done(api, "GET", `assets/${id}/uses`, undefined, headers)).playlists.length;
  expect([await uses(asset.id), await uses(asset.id, inDraft), await uses(next.id, inDraft)]).toEqual([1, 0, 1]);
  const imported = await done(api, "POST", "playlists/import", { csv: "playlist,type,text,duration\nLunch,text,Soup,8" }, inDraft);
  expect(imported.playlists[0].action).toBe("created");
  const always = `name,layout,screens,first_day\nAlways,${layout.id},*,2020-01-01`;
  await done(api, "POST", "schedules/import", { csv: always }, inDraft);
  const state = async (headers = {}) => (await done(api, "GET", `players/${device.playerId}/desired-state`, undefined, headers)).state;
  const shown = ({ playlists, schedules }: { playlists: { items: { asset_id: string }[] }[]; schedules: unknown[] }) => [
    playlists[0]!.items[0]!.asset_id,
    schedules.length,
  ];
  expect([shown(await state()), shown(await state(inDraft))]).toEqual([
    [asset.id, 0],
    [next.id, 1],
  ]);
  const by = async (headers = {}) => (await done(api, "GET", "timeline", undefined, headers)).plans[0].stretches[0].by;
  expect([await by(), await by(inDraft)]).toEqual(["default", "schedule"]);
  const tried = {
    changes: [{ schedule_id: null, change: { name: "T", layout_id: layout.id, target: { type: "team" }, starts_at: "2020-01-01T00:00" } }],
  };
  expect((await done(api, "POST", "schedules/effect", tried, inDraft)).screen_count).toBe(0);
  const { ticket } = await done(api, "POST", "preview-tickets", { playlist_id: imported.playlists[0].id }, inDraft);
  const { state: previewed } = await done(api, "GET", `preview-tickets/${ticket}/content`, undefined, inDraft);
  expect(previewed.playlists[0].items[0].text).toBe("Soup");
  expect((await api.call("POST", "preview-tickets", { playlist_id: imported.playlists[0].id })).status).toBe(404);
  const kinds = (await done(api, "GET", `drafts/${draft.id}`)).changes.map(({ kind }: { kind: string }) => kind);
  expect([kinds.toSorted(), await contentOf(api)]).toEqual([["playlist", "playlist", "schedule"], published]);
  // Safe content is no content of drafts.
  await done(api, "PATCH", `players/${device.playerId}`, { safe_asset_id: asset.id });
  const refused = await api.call("POST", `assets/${asset.id}/replace`, { asset_id: next.id }, inDraft);
  expect([refused.status, refused.body.detail.includes("safe content")]).toEqual([422, true]);
});

test("[DRF12] a request that is repeated with the same key in another draft is refused", async () => {
  const api = await shared.newTeam();
  const draft = await done(api, "POST", "drafts", { name: "D" });
  const key = { "idempotency-key": "k1" };
  const first = await done(api, "POST", "playlists", { name: "P" }, { ...within(draft), ...key });
  expect((await done(api, "POST", "playlists", { name: "P" }, { ...within(draft), ...key })).id).toBe(first.id);
  expect((await api.call("POST", "playlists", { name: "P" }, key)).body.type).toBe("/problems/key-reused");
  expect((await done(api, "GET", `drafts/${draft.id}`)).changes.length).toBe(1);
});

test("[DRF13] the effect of a draft, and of going back to a version, names screens whose layout stays but has nothing left to show", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const hall = await api.pairDevice("Hall 3");
  const playlist = await done(api, "POST", "playlists", { name: "P" });
  const layout = await done(api, "POST", "layouts", layoutOf("L", playlist.id));
  await done(api, "PATCH", `players/${hall.playerId}`, { layout_id: layout.id });
  const { number: then } = (await done(api, "GET", "versions?limit=1")).data[0];
  await done(api, "PATCH", `playlists/${playlist.id}`, { items: [text("a")] });
  const [from, to] = [0, 7 * 24].map((hours) => new Date(clock.now() + hours * 3_600_000).toISOString());
  const gap = (start: unknown, end: unknown) => ({
    player_id: hall.playerId,
    name: "Hall 3",
    from: start,
    to: end,
    empty_because: "no-items",
  });
  const effectOf = async (path: string) => {
    const { first_at: first, gaps } = await done(api, "GET", `${path}/effect`);
    return [first, gaps];
  };
  expect(await effectOf(`versions/${then}`)).toEqual([from, [gap(from, to)]]);

  const draft = await done(api, "POST", "drafts", { name: "D" });
  const ends = new Date(clock.now() + 3_600_000).toISOString();
  await done(api, "PATCH", `playlists/${playlist.id}`, { items: [{ ...(text("a") as object), valid_until: ends }] }, within(draft));
  const [, gaps] = await effectOf(`drafts/${draft.id}`);
  expect(gaps).toEqual([gap(ends, to)]);
});
