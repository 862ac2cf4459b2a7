// The records of problems: kept over restarts, delivered by the outbox once the service is back, and few of a problem that comes and goes.
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import { ProblemRecorder } from "../../../src/player/proof/problem-recorder.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { createProblem, type PlayerProblem, type ProblemCode } from "../../../src/protocol/device/player-problems.ts";
import type { ProblemRecord } from "../../../src/protocol/device/problem-records.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";
import { eventually } from "../../support/polling.ts";

const minute = 60_000;
const hour = 60 * minute;

/** One run of the recorder and its outbox in `folder`. */
async function started(folder: string, clock: FakeClock) {
  const disk = new DiskHealth(silentLog);
  const outbox = await Outbox.open(join(folder, "outbox"), clock, silentLog, disk);
  const recorder = await ProblemRecorder.open({ folder, clock, outbox, disk });
  return { outbox, recorder };
}

/** Delivers all messages. @returns the last record of each id. */
async function delivered(outbox: Outbox, clock: FakeClock): Promise<ProblemRecord[]> {
  const records = new Map<string, ProblemRecord>();
  const end = new AbortController();
  const running = outbox.run(async (message) => {
    if (message.is === "problem") records.set(message.problemId, message.record);
    return null;
  }, end.signal);
  const ended = expect(running).rejects.toMatchObject({ name: "AbortError" });
  await eventually(() => {
    if (clock.pendingWaits > 0) clock.advance(1_000);
    return outbox.length === 0;
  });
  end.abort();
  await ended;
  return [...records.values()];
}

function problem(clock: FakeClock, code: ProblemCode, about: { item_id?: string } = {}): PlayerProblem {
  return createProblem(code, clock.now(), about);
}

test("[PRB14] a problem that comes and goes while the player is offline reaches the service, with its beginning and its end", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { outbox, recorder } = await started(folder.path, clock);
  const disk = problem(clock, "disk-unwritable");
  await recorder.record([disk]);
  clock.advance(5 * minute);
  await recorder.record([disk]);
  const endedAt = new Date(clock.now()).toISOString();
  await recorder.record([]);
  // One message in the place of the earlier one.
  expect(outbox.length).toBe(1);
  const { since, ...rest } = disk;
  expect(await delivered(outbox, clock)).toEqual([{ ...rest, started_at: since, ended_at: endedAt, times: 1 }]);
});

test("[PRB14] a problem lasts over a restart, or ends with it", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const before = await started(folder.path, clock);
  const stays = problem(clock, "disk-low");
  await before.recorder.record([stays, problem(clock, "not-rendering")]);
  clock.advance(hour);
  const { outbox, recorder } = await started(folder.path, clock);
  const endedAt = new Date(clock.now()).toISOString();
  await recorder.record([{ ...stays, since: endedAt }]);
  const records = await delivered(outbox, clock);
  expect(Object.fromEntries(records.map(({ code, ended_at }) => [code, ended_at]))).toEqual({ "disk-low": null, "not-rendering": endedAt });
});

test("[PRB15] a problem that comes and goes gets at most four records an hour per code; the last one counts the rest", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { outbox, recorder } = await started(folder.path, clock);
  const rounds = 100;
  for (let round = 0; round < rounds; round += 1) {
    await recorder.record([problem(clock, "connection-impaired"), problem(clock, "item-load", { item_id: newId("itm") })]);
    clock.advance(15_000);
    await recorder.record([]);
    clock.advance(15_000);
    expect(outbox.length).toBeLessThanOrEqual(8);
  }
  clock.advance(hour);
  await recorder.record([]);
  const records = await delivered(outbox, clock);
  for (const code of ["connection-impaired", "item-load"]) {
    const ofCode = records.filter((record) => record.code === code);
    expect(ofCode.length).toBe(4);
    expect(ofCode.reduce((sum, { times }) => sum + times, 0)).toBe(rounds);
    expect(ofCode.every(({ ended_at }) => ended_at !== null)).toBe(true);
  }
  // The next hour has records of its own.
  await recorder.record([problem(clock, "connection-impaired")]);
  expect(await delivered(outbox, clock)).toMatchObject([{ times: 1, ended_at: null }]);
});
