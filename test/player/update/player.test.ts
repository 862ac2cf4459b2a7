// A whole player under a launcher: real files and a real service; host, machine and clock are fake.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LauncherOptions } from "../../../src/player/update/updates.ts";
import { Player } from "../../../src/protocol/operator/resources.ts";
import { Health } from "../../../src/protocol/device/updates.ts";
import { TestService } from "../../service/harness.ts";
import { TestPlayer } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";
import { openPlace, type Place } from "./updating-player.ts";

/** Starts a player and pairs it. */
async function startPaired(place: Place, service: TestService, launcher: LauncherOptions | null) {
  const player = new TestPlayer(join(place.folder, "player"), () => service.service.url, place.clock, { launcher });
  const code = await player.pairingCode();
  const { id } = (await service.call("POST", "players/pair", { code, name: "Lobby" })).body;
  /** Lets time pass until the operator sees what `check` wants. */
  const until = <T>(check: () => T | null | false | Promise<T | null | false>): Promise<T> =>
    eventually(async () => {
      const seen = await check();
      if (seen === null || seen === false) place.clock.advance(1_000);
      return seen;
    });
  const shown = async () => Player.parse((await service.call("GET", `players/${id}`)).body);
  return { player, id: id as string, until, shown };
}

/** The outcome of the command update. */
async function runUpdateCommand(service: TestService, { id, until }: Awaited<ReturnType<typeof startPaired>>) {
  const sent = await service.call("POST", `players/${id}/commands`, { type: "update" });
  expect(sent.status).toBe(202);
  return until(async () => {
    const { body } = await service.call("GET", `players/${id}/commands/${sent.body.id}`);
    return ["succeeded", "failed", "rejected"].includes(body.status) ? body : null;
  });
}

test("[UPD32] under a launcher the operator sees version, slot and reason, the command update works, and health.json shows frames and answers", async () => {
  await using place = await openPlace();
  await using service = await TestService.start(join(place.folder, "service"), { clock: place.clock });
  const healthFile = join(place.folder, "health.json");
  const started = await startPaired(place, service, { ...place.options, healthFile });
  await using player = started.player;
  const { update } = await started.until(async () => {
    const seen = await started.shown();
    return seen.update === null ? null : seen;
  });
  expect(update).toMatchObject({ is: "current", wanted_version: null, slot: "package", reason: "it came with the package" });
  expect(await runUpdateCommand(service, started)).toMatchObject({ status: "succeeded", result: { version: "1.3.0", is: "current" } });
  const health = await started.until(async () => {
    player.host.presentDue();
    const read = Health.parse(JSON.parse(await readFile(healthFile, "utf8")));
    return read.frames_presented > 0 && read.checks.checked_in === true ? read : null;
  });
  expect(health).toMatchObject({ version: "1.2.3", browser: "chromium 1", checks: { frames: true, checked_in: true } });
});

test("[UPD33] without a launcher the player reports no update, and the service rejects the command update with the reason", async () => {
  await using place = await openPlace();
  await using service = await TestService.start(join(place.folder, "service"), { clock: place.clock });
  const started = await startPaired(place, service, null);
  await using _player = started.player;
  await started.until(async () => (await started.shown()).status === "online");
  expect((await started.shown()).update).toBeNull();
  const { status, body } = await service.call("POST", `players/${started.id}/commands`, { type: "update" });
  expect([status, body.errors[0].pointer]).toEqual([422, "/type"]);
  expect(body.detail).toContain("does not support update");
});
