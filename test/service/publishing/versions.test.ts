// Versions: every publication of content is one, and content can be what it was at any of them.
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { TestService, heartbeat, picture } from "../harness.ts";
import { createOtherTeam, createTokenFor, owner } from "../people/people.ts";
import { contentOf, done, layoutOf, text, within, type Caller } from "./content.ts";
import { walkVersions } from "./versions-walk.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

interface Entry {
  number: number;
  note: string | null;
  created_by: { name: string } | null;
  changes: { kind: string; action: string; name: string }[];
}

async function versions(by: Caller): Promise<Entry[]> {
  return (await done(by, "GET", "versions?limit=100")).data;
}

test("[VER1] each write of content is a version, by whatever operation, and other writes are none", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const other = await createOtherTeam(api);
  const seen: string[] = [];
  const expectNew = async (what: string[]) => {
    const [newest, ...older] = await versions(api);
    expect([newest?.number, newest?.changes.map(({ kind, action }) => `${kind} ${action}`).toSorted()]).toEqual([
      seen.length + 1,
      what.toSorted(),
    ]);
    expect([older.length, newest?.created_by?.name]).toEqual([seen.length, "Owner"]);
    seen.push(what.join());
  };
  const playlist = await done(api, "POST", "playlists", { name: "P" });
  await expectNew(["playlist created"]);
  const layout = await done(api, "POST", "layouts", layoutOf("L", playlist.id));
  await expectNew(["layout created"]);
  await done(api, "PATCH", `players/${device.playerId}`, { name: "Renamed" });
  await done(api, "PATCH", `playlists/${playlist.id}`, { name: "P" });
  await done(api, "POST", "layouts?dry_run=true", layoutOf("L", null));
  await done(api, "PATCH", `playlists/${playlist.id}`, { name: "Q" });
  await expectNew(["playlist changed"]);
  const [first, second] = [await api.upload(await picture("png")), await api.upload(await picture("jpeg"))];
  const items = [{ type: "image", asset_id: first.body.id, duration_ms: 5_000 }];
  await done(api, "PATCH", `playlists/${playlist.id}`, { items });
  await expectNew(["playlist changed"]);
  await eventually(async () => (await done(api, "GET", `assets/${second.body.id}`)).status === "ready");
  await done(api, "POST", `assets/${first.body.id}/replace`, { asset_id: second.body.id });
  await expectNew(["playlist changed"]);
  const show = await done(api, "POST", "show", { text: "x", players: [device.playerId], lasts_ms: 60_000 });
  await expectNew(["playlist created", "layout created", "schedule created"]);
  await done(api, "DELETE", `show/${show.id}`);
  await expectNew(["playlist deleted", "layout deleted", "schedule deleted"]);
  await done(api, "POST", `schedules/${show.schedule_id}/restore`);
  await expectNew(["playlist created", "layout created", "schedule created"]);
  await done(api, "DELETE", `players/${device.playerId}`);
  await expectNew(["schedule deleted"]);
  await done(api, "DELETE", `layouts/${layout.id}`);
  await expectNew(["layout deleted"]);
  // It was gone already.
  await done(api, "DELETE", `layouts/${layout.id}?permanent=true`);
  await done(api, "POST", "playlists/import", { csv: "playlist,type,text,duration\nA,text,a,5\nB,text,b,5" });
  await expectNew(["playlist created", "playlist created"]);
  const calendar = await done(api, "POST", "calendars", { name: "C", dates: [] });
  await expectNew(["calendar created"]);
  await done(api, "DELETE", `calendars/${calendar.id}`);
  await expectNew(["calendar deleted"]);
  expect(await versions(other)).toEqual([]);
  const ofPlaylist = await done(api, "GET", `playlists/${playlist.id}/versions`);
  expect(ofPlaylist.data.map(({ number }: Entry) => number)).toEqual([5, 4, 3, 1]);
  const five = await done(api, "GET", "versions/5");
  const assetOf = (side: { items: { asset_id: string }[] }) => side.items[0]!.asset_id;
  expect([assetOf(five.changes[0].before), assetOf(five.changes[0].after)]).toEqual([first.body.id, second.body.id]);
  expect((await other.call("GET", "versions/5")).status).toBe(404);
});

test("[VER2] what the service itself ends is a version without a person", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  await done(api, "POST", "show", { text: "x", players: [device.playerId], lasts_ms: 60_000 });
  clock.advance(26 * 3_600_000);
  await eventually(async () => (await versions(api)).length === 2);
  const [newest] = await versions(api);
  expect([newest!.created_by, newest!.changes.map(({ action }) => action)]).toEqual([null, ["deleted", "deleted", "deleted"]]);
});

test("[VER3] any of 60 versions restored equals what was published then", async () => {
  const api = await shared.newTeam();
  await walkVersions(api, 60, 8, 20);
});

test("[VER4] restoring is a version itself; with only, some resources; dry, nothing; in a draft, a change of the draft", async () => {
  const api = await shared.newTeam();
  const playlist = await done(api, "POST", "playlists", { name: "1" });
  const other = await done(api, "POST", "playlists", { name: "A" });
  await done(api, "PATCH", `playlists/${playlist.id}`, { name: "2" });
  await done(api, "PATCH", `playlists/${other.id}`, { name: "B" });
  const now = await contentOf(api);
  const dry = await done(api, "POST", "versions/1/restore?dry_run=true", {});
  expect(dry.changes.map(({ name, action }: { name: string; action: string }) => `${name} ${action}`).toSorted()).toEqual([
    "1 changed",
    "B deleted",
  ]);
  expect(await contentOf(api)).toEqual(now);
  const draft = await done(api, "POST", "drafts", { name: "D" });
  const tried = await done(api, "POST", "versions/1/restore", {}, within(draft));
  expect([tried.version, (await contentOf(api, within(draft))).size]).toEqual([null, 1]);
  expect(await contentOf(api)).toEqual(now);
  const only = [{ kind: "playlist", id: playlist.id }];
  const { version } = await done(api, "POST", "versions/1/restore", { only, note: "wrong" });
  expect([version.number, version.restored_from, version.note]).toEqual([5, 1, "wrong"]);
  const name = async (id: string) => (await done(api, "GET", `playlists/${id}`)).name;
  expect([await name(playlist.id), await name(other.id)]).toEqual(["1", "B"]);
  const unknown = { only: [...only, { kind: "layout", id: `lay_${"0".repeat(26)}` }] };
  expect((await api.call("POST", "versions/1/restore", unknown)).body.errors).toMatchObject([{ pointer: "/only/1/id" }]);
  expect((await done(api, "POST", "versions/5/restore", {})).version).toBe(null);
  expect((await api.call("POST", "versions/99/restore", {})).status).toBe(404);
});

test("[VER8] the effect of going back names the screens that change, when first, and the gaps that it leaves, and changes nothing", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const [hall, lobby] = [await api.pairDevice("Hall 3"), await api.pairDevice("Lobby")];
  const playlist = await done(api, "POST", "playlists", { name: "P", items: [text("a")] });
  const layout = await done(api, "POST", "layouts", layoutOf("L", playlist.id));
  await done(api, "PATCH", `players/${lobby.playerId}`, { layout_id: layout.id });
  const then = (await versions(api))[0]!.number;
  const [from, to] = [1, 2].map((hours) => new Date(clock.now() + hours * 3_600_000).toISOString());
  const target = { type: "player", player_id: hall.playerId };
  await done(api, "POST", "schedules", { name: "S", layout_id: layout.id, target, starts_at: from, ends_at: to });
  await done(api, "PATCH", `playlists/${playlist.id}`, { items: [text("b")] });
  const now = await contentOf(api);

  const all = await done(api, "GET", `versions/${then}/effect`);
  const namesOf = ({ screens }: { screens: { name: string; first_at: string }[] }) =>
    screens.map(({ name, first_at }) => [name, first_at]).toSorted(([one], [other]) => one!.localeCompare(other!));
  expect(namesOf(all)).toEqual([
    ["Hall 3", from],
    ["Lobby", new Date(clock.now()).toISOString()],
  ]);
  expect(all.gaps).toEqual([{ player_id: hall.playerId, name: "Hall 3", from, to, empty_because: "no-schedule" }]);
  const only = await done(api, "GET", `versions/${then}/effect?only=${playlist.id}`);
  expect([namesOf(only).map(([name]) => name), only.gaps]).toEqual([["Hall 3", "Lobby"], []]);
  expect(await contentOf(api)).toEqual(now);
  expect((await versions(api))[0]!.number).toBe(then + 2);

  expect((await done(api, "GET", `versions/${then + 2}/effect`)).screen_count).toBe(0);
  expect((await api.call("GET", "versions/99/effect")).status).toBe(404);
  expect((await api.call("GET", `versions/${then}/effect?only=plr_1`)).status).toBe(422);
  expect((await (await createOtherTeam(api)).call("GET", `versions/${then}/effect`)).status).toBe(404);
  const screenless = await createTokenFor(api, await owner(api), ["versions:read"]);
  expect((await screenless.call("GET", `versions/${then}/effect`)).status).toBe(403);
});

test("[VER5] a restored version leaves out what was deleted for good, and says what cannot be restored", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { asset, playlist, layout } = await api.showPicture(device);
  await done(api, "PATCH", `playlists/${playlist.id}`, { items: [text("t")] });
  const kept = (await done(api, "GET", "versions?limit=1")).data[0].number;
  await done(api, "PATCH", `playlists/${playlist.id}`, { items: [] });
  await done(api, "DELETE", `assets/${asset.id}?permanent=true`);
  await done(api, "POST", "versions/1/restore", { only: [{ kind: "playlist", id: playlist.id }] });
  expect((await done(api, "GET", `playlists/${playlist.id}`)).items).toEqual([]);
  // The layout did not exist then, but a screen shows it.
  const { skipped } = await done(api, "POST", "versions/1/restore", {});
  expect(skipped.map(({ id }: { id: string }) => id)).toEqual([layout.id]);
  await done(api, "POST", `versions/${kept}/restore`, {});
  expect((await done(api, "GET", `playlists/${playlist.id}`)).items[0].text).toBe("t");
});

test("[VER6] the arrival of a version says which screens play it, wait, are offline or failed and why", async () => {
  const api = await shared.newTeam();
  const layout = await done(api, "POST", "layouts", layoutOf("L", null));
  const devices = [
    await api.pairDevice("A plays"),
    await api.pairDevice("B waits"),
    await api.pairDevice("C failed"),
    await api.pairDevice("D is off"),
  ];
  for (const { playerId } of devices) await done(api, "PATCH", `players/${playerId}`, { layout_id: layout.id });
  await done(api, "PATCH", `layouts/${layout.id}`, { background_color: "#123456" });
  const revisionOf = async (index: number) => (await done(api, "GET", `players/${devices[index]!.playerId}`)).desired_revision;
  const content = { ready_bytes: 0, total_bytes: 0, detail: null };
  const report = async (index: number, state: object) =>
    expect((await devices[index]!.call("POST", "heartbeat", heartbeat({ content: { ...content, ...state } } as never))).status).toBe(200);
  await report(0, { is: "applied", revision: await revisionOf(0), applied_revision: await revisionOf(0) });
  await report(1, { is: "downloading", revision: await revisionOf(1), applied_revision: "older" });
  await report(2, { is: "failed", revision: await revisionOf(2), applied_revision: "older", detail: "the disk is full" });
  const { counts, screens } = await done(api, "GET", "versions/2/arrival");
  expect(counts).toEqual({ playing: 1, waiting: 1, offline: 1, failed: 1 });
  expect(screens.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
    ["A plays", "playing"],
    ["B waits", "waiting"],
    ["C failed", "failed"],
    ["D is off", "offline"],
  ]);
  expect(screens[2].detail).toBe("the disk is full");
});

test("[VER7] secrets of web items are in no version and no draft that is read", async () => {
  const api = await shared.newTeam();
  const web = { type: "web", url: "https://example.com/", duration_ms: 5_000, headers: { Authorization: "hidden-secret" } };
  const playlist = await done(api, "POST", "playlists", { name: "P", items: [web] });
  const draft = await done(api, "POST", "drafts", { name: "D" });
  await done(api, "PATCH", `playlists/${playlist.id}`, { name: "Q" }, within(draft));
  const read = [
    await done(api, "GET", "versions/1"),
    await done(api, "GET", `drafts/${draft.id}`),
    await done(api, "GET", `playlists/${playlist.id}`, undefined, within(draft)),
  ];
  expect(JSON.stringify(read)).not.toContain("hidden-secret");
});
