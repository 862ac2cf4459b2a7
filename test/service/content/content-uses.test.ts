// Where playlists and layouts are used, and on which players they can be seen.
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";
import { createOtherTeam } from "../people/people.ts";

test("[USE1] the uses of a playlist and a layout name the layouts, schedules and players that show them, also as a draft would have it", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const created = async (path: string, body: object, headers?: Record<string, string>) => {
    const answer = await api.call("POST", path, body, headers);
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body.id as string;
  };
  const read = async (path: string, headers?: Record<string, string>) => (await api.call("GET", `${path}/uses`, undefined, headers)).body;
  const list = await created("playlists", { name: "Menu", items: [{ type: "text", text: "x" }] });
  const unused = { layouts: [], schedules: [], default_count: 0, player_count: 0, players: [] };
  expect(await read(`playlists/${list}`)).toEqual(unused);
  const layoutOf = (name: string) => ({
    name,
    width: 100,
    height: 100,
    zones: [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: list }],
  });
  const [wide, tall] = [await created("layouts", layoutOf("Wide")), await created("layouts", layoutOf("Tall"))];
  const [one, other] = [await api.pairDevice("Hall"), await api.pairDevice("Bar")];
  await api.call("PATCH", `players/${one.playerId}`, { layout_id: wide });
  const target = { type: "player", player_id: other.playerId };
  const evening = await created("schedules", { name: "Evening", layout_id: tall, target, starts_at: "2020-01-01T00:00:00Z" });
  const hall = { id: one.playerId, name: "Hall" };
  const bar = { id: other.playerId, name: "Bar" };
  expect(await read(`layouts/${wide}`)).toEqual({ schedules: [], default_count: 1, player_count: 1, players: [hall] });
  expect(await read(`playlists/${list}`)).toEqual({
    layouts: [
      { id: tall, name: "Tall" },
      { id: wide, name: "Wide" },
    ],
    schedules: [{ id: evening, name: "Evening" }],
    default_count: 1,
    player_count: 2,
    players: [bar, hall],
  });

  const draft = (await api.call("POST", "drafts", { name: "D" })).body;
  const within = { "signage-draft": draft.id };
  expect((await api.call("PATCH", `layouts/${tall}`, { zones: [] }, within)).status).toBe(200);
  expect((await read(`playlists/${list}`, within)).layouts).toEqual([{ id: wide, name: "Wide" }]);
  expect((await read(`playlists/${list}`)).layouts).toHaveLength(2);

  const stranger = await createOtherTeam(api);
  for (const path of [`playlists/${list}`, `layouts/${wide}`]) expect((await stranger.call("GET", `${path}/uses`)).status).toBe(404);
  await api.call("DELETE", `schedules/${evening}`);
  expect((await read(`layouts/${tall}`)).player_count).toBe(0);
});
