// Many players to the bin with one request, and back.
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, type ApiResponse } from "../harness.ts";
import { createOtherTeam } from "../people/people.ts";

const ids = (answer: ApiResponse): string[] => answer.body.data.map(({ id }: { id: string }) => id);
const unknownPlayer = "plr_01jd3v8q6m9x2k4n7r5t1w0yzh";

test("[RST15] many players go to the bin and come back by one request each, with their schedules: all or none", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const [one, two, three] = [await api.pairDevice("One"), await api.pairDevice("Two"), await api.pairDevice("Three")];
  const { layout } = await api.showPicture(one);
  const schedule = (
    await api.call("POST", "schedules", {
      name: "Evening",
      layout_id: layout.id,
      target: { type: "player", player_id: one.playerId },
      starts_at: "2026-11-01T00:00",
    })
  ).body.id;
  await api.call("PATCH", `players/${two.playerId}`, { tags: ["branch"] });
  const listed = async () => ids(await api.call("GET", "players"));
  const both = [one.playerId, two.playerId].toSorted();

  const unknown = await api.call("POST", "players/bulk/delete", { target: { player_ids: [one.playerId, unknownPlayer] } });
  expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([422, "/target/player_ids/1"]);
  const dry = await api.call("POST", "players/bulk/delete?dry_run=true", { target: { player_ids: both } });
  expect(dry.body).toMatchObject({ player_ids: both, schedules: 1, warnings: [] });
  expect((await listed()).length).toBe(3);

  const deleted = await api.call("POST", "players/bulk/delete", { target: { player_ids: both } });
  expect([deleted.status, deleted.body]).toEqual([200, { player_ids: both, schedules: 1, warnings: [] }]);
  expect(await listed()).toEqual([three.playerId]);
  expect((await api.call("GET", `schedules/${schedule}`)).status).toBe(404);
  // Its device learns so, and deletes its content.
  expect((await one.renew()).body.error).toBe("access_denied");
  const none = await api.call("POST", "players/bulk/delete", { target: { tag: "branch" } });
  expect([none.body.player_ids, none.body.warnings[0].code]).toEqual([[], "no-players"]);

  const stranger = await createOtherTeam(api);
  expect((await stranger.call("POST", "players/bulk/restore", { player_ids: both })).status).toBe(422);
  const restored = await api.call("POST", "players/bulk/restore", { player_ids: [...both, three.playerId] });
  expect([restored.status, restored.body]).toEqual([200, { player_ids: both }]);
  expect((await listed()).length).toBe(3);
  expect((await api.call("GET", `schedules/${schedule}`)).status).toBe(200);
  expect((await api.call("GET", `players/${two.playerId}`)).body.tags).toEqual(["branch"]);
  const events = (await api.call("GET", "events?limit=100&types=player.removed,player.restored")).body.data;
  expect(events.map(({ type }: { type: string }) => type).toSorted()).toEqual([
    "player.removed",
    "player.removed",
    "player.restored",
    "player.restored",
  ]);
});
