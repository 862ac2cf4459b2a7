// The limits of a player's downloads, from the operator to the device.
import { expect, test } from "vitest";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { Player } from "../../../src/protocol/operator/resources.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { errorPointers, TestService } from "../harness.ts";

test("[DLS1] a player's download limits are stored, published with its state and removed again", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice();
  const state = async () => DesiredState.parse((await device.call("GET", "state")).body);
  const set = (downloads: unknown) => api.call("PATCH", `players/${device.playerId}`, { downloads });
  const { revision } = await state();
  const windows = [{ weekdays: ["MO", "TU"], from: "22:00", until: "05:30" }];
  const limits = { max_bytes_per_second: 250_000, windows };
  const changed = Player.parse((await set(limits)).body);
  expect(changed.downloads).toEqual(limits);
  const limited = await state();
  expect(limited.player.downloads).toEqual(limits);
  expect(limited.revision).toBe(changed.desired_revision);
  expect(limited.revision).not.toBe(revision);
  // Fields that are not given stay, and the whole object is replaced.
  await api.call("PATCH", `players/${device.playerId}`, { name: "Lobby" });
  expect((await state()).player.downloads).toEqual(limits);
  await set({ windows: [{ from: "01:00" }] });
  expect((await state()).player.downloads).toEqual({ windows: [{ from: "01:00", until: "24:00" }] });
  await set(null);
  const free = await state();
  expect(free.player.downloads).toBeUndefined();
  expect(Player.parse((await api.call("GET", `players/${device.playerId}`)).body).downloads).toBeNull();
});

test.each<[unknown, string]>([
  [{ max_bytes_per_second: 9_999 }, "/downloads/max_bytes_per_second"],
  [{ max_bytes_per_second: 12_000.5 }, "/downloads/max_bytes_per_second"],
  [{ windows: [] }, "/downloads/windows"],
  [{ windows: [{ from: "25:00" }] }, "/downloads/windows/0/from"],
  [
    {
      windows: [
        { from: "01:00", until: "05:00" },
        { from: "08:00", until: "08:00" },
      ],
    },
    "/downloads/windows/1/until",
  ],
  [{ windows: [{ weekdays: ["XX"] }] }, "/downloads/windows/0/weekdays/0"],
  [{ limit: 1 }, "/downloads/limit"],
])("[DLS2] invalid download limits are rejected with their pointer: %j", async (downloads, pointer) => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice();
  const refused = await api.call("PATCH", `players/${device.playerId}`, { downloads });
  expect([refused.status, errorPointers(refused)]).toEqual([422, [pointer]]);
});
