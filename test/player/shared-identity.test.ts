// Two real players from copies of one data folder, as clones of one disk are, with a real service.
import { cp } from "node:fs/promises";
import { expect, test } from "vitest";
import { picture, TestService } from "../service/harness.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { TestPlayer } from "../support/player.ts";
import { eventually } from "../support/polling.ts";

test("[LNK13] two devices with one identity both keep playing and receiving content; neither takes the socket from the other", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using service = await TestService.start(`${folder.path}/service`, { clock });
  const start = (name: string) => new TestPlayer(`${folder.path}/${name}`, () => service.service.url, clock);
  const original = start("a");
  const claimed = await service.call("POST", "players/pair", { code: await original.pairingCode(), name: "Lobby" });
  await original.line("connected");
  const asset = (await service.upload(await picture("png", 8))).body;
  const show = async (): Promise<void> => {
    const items = [{ type: "image", asset_id: asset.id, duration_ms: 5_000 }];
    const { layout } = await service.createLayout(items);
    await service.call("PATCH", `players/${claimed.body.id}`, { layout_id: layout.id });
  };
  await show();
  await original.host.sceneThat(({ screen }) => screen.is === "stage");
  await original.stop();
  await cp(`${folder.path}/a`, `${folder.path}/b`, { recursive: true });

  await using first = start("a");
  await using second = start("b");
  const players = [first, second];
  const connections = (): number => players.flatMap(({ lines }) => lines.filter(({ msg }) => msg === "connected")).length;
  const warned = (): number =>
    players.filter(({ lines }) => lines.some(({ msg }) => msg.startsWith("another device uses this player's identity"))).length;
  const problems = async (): Promise<string[]> =>
    (await service.call("GET", `players/${claimed.body.id}`)).body.problems.map(({ code }: { code: string }) => code);
  const advanceUntil = (check: () => boolean | Promise<boolean>): Promise<unknown> =>
    eventually(async () => {
      if (await check()) return true;
      clock.advance(500);
      for (const { host } of players) host.presentDue();
      return false;
    });
  await advanceUntil(async () => warned() === 2 && (await problems()).includes("identity-shared"));
  // From now on nobody takes the socket.
  const before = connections();
  const from = clock.now();
  await advanceUntil(() => clock.now() - from > 120_000);
  expect(connections()).toBe(before);
  // That one of them polls is no fault of its network.
  expect(await problems()).not.toContain("connection-impaired");
  // Both receive a change, and show it.
  const scenes = players.map(({ host }) => host.scenes.length);
  await show();
  await advanceUntil(() => players.every(({ host }, at) => host.scenes.slice(scenes[at]!).some(({ screen }) => screen.is === "stage")));
  for (const { host } of players) expect(host.scene?.screen.is).toBe("stage");
});
