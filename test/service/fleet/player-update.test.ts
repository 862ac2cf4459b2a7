// What a player reports about its program's version and update, as operators see it.
import { expect, test } from "vitest";
import type { UpdateState } from "../../../src/protocol/device/updates.ts";
import { Player } from "../../../src/protocol/operator/resources.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { heartbeat, TestService } from "../harness.ts";

test("[UPD1] a player shows the version, slot and update of its last heartbeat; null: it never reported one", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice();
  const shown = async () => Player.parse((await api.call("GET", `players/${device.playerId}`)).body).update;
  await device.call("POST", "heartbeat", heartbeat());
  expect(await shown()).toBeNull();
  const at = "2026-11-22T02:03:04.000Z";
  const update: UpdateState = {
    is: "failed",
    wanted_version: "1.4.0",
    slot: "b",
    reason: "1.4.0 failed its probation",
    previous_version: null,
    launcher_version: "1.0.0",
    ready_bytes: 10,
    total_bytes: 10,
    detail: "no frame was presented",
    last_attempt: { what: "program", version: "1.4.0", at, outcome: "rolled-back", detail: "no frame was presented", control: "passed" },
  };
  await device.call("POST", "heartbeat", heartbeat({ update }));
  expect(await shown()).toEqual(update);
  expect((await api.call("GET", "players")).body.data[0].update).toEqual(update);
});
