// The service's part in synchronous changes on players: one creation time per bulk command, and the start of loops.
import { expect, test } from "vitest";
import { verifyJws } from "../../../src/base/jws.ts";
import { commandJwsType, SignedCommand } from "../../../src/protocol/device/commands.ts";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { Forecast } from "../../../src/protocol/scheduling/forecast.ts";
import { Schedule } from "../../../src/protocol/scheduling/schedules.ts";
import { openTestStore } from "../test-database.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, heartbeat, errorPointers } from "../harness.ts";

test("[BND13] a command carries the instant at which it was created, the same for all players that it is for", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const devices = [await api.pairDevice("One"), await api.pairDevice("Two"), await api.pairDevice("Three")];
  const layout_id = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100 })).body.id;
  const target = { player_ids: devices.map(({ playerId }) => playerId) };
  const sent = await api.call("POST", "commands", { target, type: "override.set", args: { layout_id, duration_ms: 60_000 } });
  expect(sent.status).toBe(202);
  const instants = await Promise.all(
    devices.map(async (device) => {
      const [jws] = (await device.call("POST", "heartbeat", heartbeat())).body.commands;
      return SignedCommand.parse(await verifyJws(commandJwsType, jws, device.access.service_key)).made_at;
    }),
  );
  const { data } = (await api.call("GET", "commands")).body;
  expect(new Set(instants)).toEqual(new Set([Date.parse(data[0].created_at)]));
});

test("[BND14] loop_from defaults to epoch, is stored and reaches the player; window and sync_epoch exclude each other", async () => {
  await using folder = await temporaryFolder();
  const instant = "2026-01-01T00:00:00.000Z";
  let id: string;
  {
    await using api = await TestService.start(folder.path);
    const layout_id = (await api.call("POST", "layouts", { name: "L", width: 100, height: 100 })).body.id;
    const about = { name: "S", layout_id, target: { type: "team" }, starts_at: "2026-11-27T22:00", ends_at: "2026-11-28T02:00" };
    const create = (more: object) => api.call("POST", "schedules", { ...about, ...more });
    const plain = Schedule.parse((await create({})).body);
    expect(plain.loop_from).toBe("epoch");
    id = plain.id;
    const windowed = (await create({ loop_from: "window" })).body;
    expect(windowed.loop_from).toBe("window");
    const device = await api.pairDevice("Lobby");
    expect(DesiredState.parse((await device.call("GET", "state")).body).schedules).toMatchObject([
      { loop_from: "epoch" },
      { loop_from: "window" },
    ]);
    for (const wrong of [
      await create({ loop_from: "window", sync_epoch: instant }),
      await api.call("PATCH", `schedules/${windowed.id}`, { sync_epoch: instant }),
    ]) {
      // prettier-ignore
      expect([wrong.status, errorPointers(wrong)]).toEqual([422, ["/loop_from"]]);
    }
    expect((await create({ loop_from: "monday" })).status).toBe(422);
    const week = `players/${device.playerId}/forecast?from=2026-11-27T00:00:00Z&to=2026-11-29T00:00:00Z`;
    const { stretches, timezone } = Forecast.parse((await api.call("GET", week)).body);
    expect(timezone).toBeTypeOf("string");
    const shown = stretches.find(({ schedule_id }) => schedule_id === windowed.id)!;
    expect(shown.loops_from).toBe(shown.from);
    expect(stretches.find(({ by }) => by === "nothing")!.loops_from).toBeNull();
  }
  // Stored by a version without this field.
  {
    await using store = await openTestStore(folder.path);
    await store.write(async (db) => {
      const { timing } = await db.selectFrom("schedules").select("timing").where("id", "=", id).executeTakeFirstOrThrow();
      const { loop_from: _unknown, ...old } = JSON.parse(timing) as Record<string, unknown>;
      await db
        .updateTable("schedules")
        .set({ timing: JSON.stringify(old) })
        .where("id", "=", id)
        .execute();
    });
  }
  await using again = await TestService.start(folder.path);
  expect(Schedule.parse((await again.call("GET", `schedules/${id}`)).body).loop_from).toBe("epoch");
});
