// The events of a change of many players.
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService } from "../harness.ts";

test("[CBK8] a change of many players sends the events of each player that it changed, and none of the others", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const [first, second, tagged] = await Promise.all(["First", "Second", "Tagged"].map((name) => api.pairDevice(name)));
  await api.call("PATCH", `players/${tagged!.playerId}`, { tags: ["bar"] });
  const { layout } = await api.createLayout();
  const { next } = (await api.call("GET", "events?after=now")).body;
  const target = { player_ids: [first, second, tagged].map((device) => device!.playerId) };
  const newEvents = async () => {
    const { data } = (await api.call("GET", `events?after=${next}`)).body;
    return data.map(({ type, data: about }: { type: string; data: { player_id: string } }) => `${type} ${about.player_id}`).toSorted();
  };
  await api.call("POST", "players/bulk?dry_run=true", { target, change: { tags_add: ["bar"] } });
  expect(await newEvents()).toEqual([]);
  await api.call("POST", "players/bulk", { target, change: { tags_add: ["bar"] } });
  const updated = [first, second].map((device) => `player.updated ${device!.playerId}`);
  expect(await newEvents()).toEqual(updated.toSorted());
  await api.call("POST", "players/bulk", { target: { player_ids: [first!.playerId] }, change: { layout_id: layout.id } });
  const assigned = [`player.updated ${first!.playerId}`, `layout.assigned ${first!.playerId}`];
  expect(await newEvents()).toEqual([...updated, ...assigned].toSorted());
});
