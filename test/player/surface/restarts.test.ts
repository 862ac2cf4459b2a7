// The record of restarts, on a real disk.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { Restarts } from "../../../src/player/surface/restarts.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { fakeMachine } from "../../support/player.ts";

const hourMs = 3_600_000;

/** The record as the player opens it when its machine, in the run `id`, has been running for `ageMs`. */
async function openRestarts(folder: string, id: string, ageMs: number) {
  const clock = new FakeClock();
  const startedMs = clock.monotonic();
  const run = { id, ageMs: () => ageMs + clock.monotonic() - startedMs };
  const disk = new DiskHealth(silentLog);
  const restarts = await Restarts.open({ folder, machine: { ...fakeMachine(), run }, clock, disk, restartPlayer: () => undefined });
  return { clock, disk, restarts, ages: () => restarts.attempts.map(({ at }) => clock.monotonic() - at) };
}

test("[REC14] restarts are remembered across runs of the player and of the machine, by the time that the machine was running", async () => {
  await using folder = await temporaryFolder();
  const first = await openRestarts(folder.path, "first", 10 * hourMs);
  expect(await first.restarts.record("restart-player", 5)).toBe(true);
  first.clock.advance(hourMs);
  await first.restarts.save();
  // The same run of the machine, two hours later.
  const second = await openRestarts(folder.path, "first", 13 * hourMs);
  expect(second.ages()).toEqual([3 * hourMs]);
  expect(await second.restarts.record("restart-machine", 5)).toBe(true);
  // The next run: nothing says for how long the machine was off.
  const third = await openRestarts(folder.path, "second", 60_000);
  expect(third.ages()).toEqual([3 * hourMs + 60_000, 60_000]);
  expect(third.restarts.attempts.map(({ action }) => action)).toEqual(["restart-player", "restart-machine"]);
});

test("[REC14] a jump of the clock does not change when a restart is possible again, but a day of running does", async () => {
  await using folder = await temporaryFolder();
  const first = await openRestarts(folder.path, "first", 0);
  await first.restarts.record("restart-machine", 5);
  first.clock.step(40 * 24 * hourMs);
  await first.restarts.save();
  expect((await openRestarts(folder.path, "first", hourMs)).ages()).toEqual([hourMs]);
  expect((await openRestarts(folder.path, "first", 24 * hourMs)).ages()).toEqual([]);
});

test("[REC14] a damaged record counts as used up for a day, and a restart that cannot be recorded is refused", async () => {
  await using folder = await temporaryFolder();
  await (await openRestarts(folder.path, "first", 0)).restarts.record("restart-machine", 5);
  for (const path of ["restarts.json", "copies/restarts.json"]) await writeFile(join(folder.path, path), "damaged");
  const damaged = await openRestarts(folder.path, "first", 0);
  expect(damaged.disk.condition.damaged).toEqual(["restarts.json"]);
  expect(damaged.restarts.attempts).toHaveLength(6);
  expect((await openRestarts(folder.path, "first", 23 * hourMs)).ages()).toHaveLength(6);
  expect((await openRestarts(folder.path, "first", 24 * hourMs)).ages()).toHaveLength(0);
  await using full = await temporaryFolder();
  const unwritable = await openRestarts(join(full.path, "file", "folder"), "first", 0);
  await writeFile(join(full.path, "file"), "");
  expect(await unwritable.restarts.record("restart-player", 5)).toBe(false);
  expect(unwritable.disk.condition.unwritten).toHaveLength(1);
});
