// The outbox on real files: which messages it drops first, sets aside and sends first, and that it reports each loss.
import { copyFile, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { Fault } from "../../../src/base/fault.ts";
import { HttpFault } from "../../../src/player/link/service-http.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import type { OutboxMessage } from "../../../src/player/outbox/outbox-message.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { newId } from "../../support/states.ts";

const megabyte = 2 ** 20;

function status(detail: string): OutboxMessage {
  return { is: "command-status", commandId: newId("cmd"), update: { status: "failed", result: null, error: { code: "x", detail } } };
}

function progress(): OutboxMessage {
  return { is: "command-status", commandId: newId("cmd"), update: { status: "running", result: null, error: null } };
}

function problem(problemId: string, ended_at: string | null): OutboxMessage {
  const about = { code: "disk-low", zone_id: null, item_id: null, detail: "", remedy: "", started_at: "2026-11-21T12:00:00.000Z" };
  return { is: "problem", problemId, record: { ...about, ended_at, times: 1 } };
}

function screenshot(bytes: number): OutboxMessage {
  return { is: "screenshot", screenshotId: newId("shot"), headers: {}, base64: "A".repeat(bytes) };
}

/** Opens the outbox in `folder`, and collects the losses that it logs. */
async function opened(folder: string) {
  const losses: number[] = [];
  const clock = new FakeClock();
  const log = { ...silentLog, error: ({ lost }: { lost: number }) => void losses.push(lost) } as unknown as typeof silentLog;
  const disk = new DiskHealth(log);
  return { outbox: await Outbox.open(folder, clock, log, disk), losses, clock, disk };
}

const nameOf = (number: number, kind = "result"): string => `${String(number).padStart(12, "0")}-${kind}.json`;
const detailOf = (message: OutboxMessage): string => (message.is === "command-status" ? (message.update.error?.detail ?? "") : message.is);

/** Runs the outbox with a service that answers each message as `answer` says, and moves the clock whenever the outbox waits. */
async function running(outbox: Outbox, clock: FakeClock, answer: (message: OutboxMessage, attempt: number) => HttpFault | null) {
  const attempts: { message: OutboxMessage; at: number }[] = [];
  const stop = new AbortController();
  const deliver = async (message: OutboxMessage): Promise<HttpFault | null> => {
    attempts.push({ message, at: clock.monotonic() });
    return answer(message, attempts.filter((each) => detailOf(each.message) === detailOf(message)).length);
  };
  const run = outbox.run(deliver, stop.signal).catch((error: unknown) => error);
  return {
    attempts,
    /** Moves the clock, while the outbox waits, until `check` holds. */
    until: (check: () => boolean, stepMs = 500): Promise<unknown> =>
      eventually(() => {
        if (check()) return true;
        if (clock.pendingWaits > 0) clock.advance(stepMs);
        return false;
      }),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      expect(await run).toMatchObject({ name: "AbortError" });
    },
  };
}

test("[OUT1] the outbox holds a thousand messages: the oldest is dropped first, and every loss is counted and logged", async () => {
  await using folder = await temporaryFolder();
  const before = await opened(folder.path);
  await before.outbox.put(status("the oldest"));
  await before.outbox.put(status("another"));
  for (let number = 3; number <= 1_001; number += 1) await copyFile(join(folder.path, nameOf(2)), join(folder.path, nameOf(number)));
  // The outbox already holds one message too many.
  const { outbox, losses, clock } = await opened(folder.path);
  expect([outbox.length, outbox.lostCount, losses]).toEqual([1_000, 1, [1]]);
  await outbox.put(status("the newest"));
  expect([outbox.length, outbox.lostCount, losses]).toEqual([1_000, 2, [1, 2]]);
  const names = (await readdir(folder.path)).toSorted();
  expect([names.length, names[0], names.at(-1)]).toEqual([1_000, nameOf(3), nameOf(1_002)]);
  await using sending = await running(outbox, clock, () => null);
  await sending.until(() => sending.attempts.length > 1);
  expect(sending.attempts.slice(0, 2).map(({ message }) => detailOf(message))).toEqual(["the newest", "another"]);
});

test("[OUT1] screenshots are dropped first, then the progress of commands, then problems, and results last", async () => {
  await using folder = await temporaryFolder();
  const before = await opened(folder.path);
  const problemId = newId("prb");
  await before.outbox.put(problem(problemId, null));
  await before.outbox.put(progress());
  await before.outbox.put(screenshot(10));
  await before.outbox.put(screenshot(10));
  await before.outbox.put(status("done"));
  for (let number = 6; number <= 1_000; number += 1) await copyFile(join(folder.path, nameOf(5)), join(folder.path, nameOf(number)));
  const { outbox } = await opened(folder.path);
  const rest = async (): Promise<string[]> => (await readdir(folder.path)).toSorted().slice(0, 4);
  await outbox.put(status("1"));
  expect(await rest()).toEqual([nameOf(1, `problem-${problemId}`), nameOf(2, "progress"), nameOf(4, "screenshot"), nameOf(5)]);
  await outbox.put(status("2"));
  expect(await rest()).toEqual([nameOf(1, `problem-${problemId}`), nameOf(2, "progress"), nameOf(5), nameOf(6)]);
  await outbox.put(status("3"));
  expect(await rest()).toEqual([nameOf(1, `problem-${problemId}`), nameOf(5), nameOf(6), nameOf(7)]);
  await outbox.put(status("4"));
  expect(await rest()).toEqual([nameOf(5), nameOf(6), nameOf(7), nameOf(8)]);
  await outbox.put(screenshot(10));
  expect((await readdir(folder.path)).filter((name) => !name.endsWith("-result.json"))).toEqual([]);
});

test("[OUT6] the record of a problem takes the place of an earlier one of the same problem that still waits", async () => {
  await using folder = await temporaryFolder();
  const [id, otherId] = [newId("prb"), newId("prb")];
  const before = await opened(folder.path);
  await before.outbox.put(problem(id, null));
  await before.outbox.put(problem(otherId, null));
  // Also after a restart.
  const { outbox, losses, clock } = await opened(folder.path);
  const end = problem(id, "2026-11-21T13:00:00.000Z");
  await outbox.put(end);
  const names = [nameOf(2, `problem-${otherId}`), nameOf(3, `problem-${id}`)];
  expect([outbox.length, losses, (await readdir(folder.path)).toSorted()]).toEqual([2, [], names]);
  await using sending = await running(outbox, clock, () => null);
  await sending.until(() => sending.attempts.length === 2);
  expect(sending.attempts.map(({ message }) => message)).toContainEqual(end);
});

test("[OUT1] undelivered messages do not fill the disk: above 128 MB the oldest screenshot is dropped first, also those of an older version", async () => {
  await using folder = await temporaryFolder();
  const before = await opened(folder.path);
  await before.outbox.put(status("done"));
  const names = ["000000000002.json", nameOf(3, "screenshot"), nameOf(4, "screenshot")];
  for (const name of names) {
    await writeFile(join(folder.path, name), "");
    // Sparse files take no space on the disk.
    await truncate(join(folder.path, name), 60 * megabyte);
  }
  const { outbox, losses } = await opened(folder.path);
  expect([outbox.length, losses]).toEqual([3, [1]]);
  await outbox.put(screenshot(10 * megabyte));
  expect([outbox.length, losses]).toEqual([3, [1, 2]]);
  expect((await readdir(folder.path)).toSorted()).toEqual([nameOf(1), nameOf(4, "screenshot"), nameOf(5, "screenshot")]);
  // Not even a single one may be larger than the limit.
  await truncate(join(folder.path, nameOf(5, "screenshot")), 200 * megabyte);
  await opened(folder.path);
  expect((await readdir(folder.path)).toSorted()).toEqual([nameOf(1)]);
});

test("[OUT2] a message that is queued at any moment while another one is delivered is delivered too", async () => {
  await using folder = await temporaryFolder();
  const { outbox } = await opened(folder.path);
  const stop = new AbortController();
  let release = Promise.withResolvers<void>();
  const accepted = new Set<OutboxMessage["is"]>();
  let next = Promise.withResolvers<void>();
  const deliver = async ({ is }: OutboxMessage): Promise<null> => {
    if (is === "command-status") await release.promise;
    accepted.add(is);
    next.resolve();
    return null;
  };
  const run = expect(outbox.run(deliver, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
  let putTurns = 0;
  const rounds = 300;
  for (let round = 0; round < rounds; round += 1) {
    release = Promise.withResolvers<void>();
    accepted.clear();
    await outbox.put(status("first"));
    // The delivery of the first ends at another moment of each put of the second.
    let isQueued = false;
    const queued = outbox.put(screenshot(10)).then(() => (isQueued = true));
    const releaseAt = (1.2 * putTurns * round) / rounds;
    for (let turn = 0; turn < releaseAt || !isQueued; turn += 1) {
      if (turn >= releaseAt) release.resolve();
      if (!isQueued) putTurns = turn + 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    release.resolve();
    await queued;
    while (accepted.size < 2 && outbox.length > 0) {
      next = Promise.withResolvers<void>();
      await next.promise;
    }
    expect([...accepted], `in round ${round}`).toEqual(["command-status", "screenshot"]);
  }
  stop.abort();
  await run;
});

test("[OUT3] a message that the service refuses for good is set aside at once and reported, and does not come back", async () => {
  await using folder = await temporaryFolder();
  const { outbox, clock, disk } = await opened(folder.path);
  for (const detail of ["bad", "good"]) await outbox.put(status(detail));
  {
    await using sending = await running(outbox, clock, (message) => (detailOf(message) === "bad" ? new HttpFault(422, "invalid") : null));
    await sending.until(() => outbox.length === 0);
    expect(sending.attempts.map(({ message }) => detailOf(message))).toEqual(["bad", "good"]);
  }
  expect(await readdir(join(folder.path, "refused"))).toEqual([nameOf(1)]);
  expect(disk.condition.lost).toEqual([{ what: "messages that the service refused", count: 1 }]);
  expect((await opened(folder.path)).outbox.length).toBe(0);
});

test("[OUT3] a message that fails inside the service is set aside after ten refusals, but only if the service accepts others", async () => {
  await using folder = await temporaryFolder();
  const { outbox, clock, disk } = await opened(folder.path);
  await outbox.put(status("poison"));
  await using sending = await running(outbox, clock, (message) => (detailOf(message) === "poison" ? new HttpFault(500, "bug") : null));
  // The whole service may be at fault.
  await sending.until(() => sending.attempts.length === 15);
  expect([outbox.length, disk.condition.lost]).toEqual([1, []]);
  await outbox.put(status("other"));
  await sending.until(() => outbox.length === 0);
  expect(disk.condition.lost).toEqual([{ what: "messages that the service refused", count: 1 }]);
  expect(await readdir(join(folder.path, "refused"))).toEqual([nameOf(1)]);
});

test("[OUT3] at most twenty messages and 16 MB are set aside: the oldest are deleted", async () => {
  await using folder = await temporaryFolder();
  const { outbox, clock } = await opened(folder.path);
  for (let number = 1; number <= 24; number += 1) await outbox.put(status(String(number)));
  await using sending = await running(outbox, clock, () => new HttpFault(404, "no such command"));
  await sending.until(() => outbox.length === 0);
  const refused = async (): Promise<string[]> => (await readdir(join(folder.path, "refused"))).toSorted();
  expect(await refused()).toEqual(Array.from({ length: 20 }, (_, index) => nameOf(index + 5)));
  for (let number = 25; number <= 27; number += 1) await outbox.put(screenshot(7 * megabyte));
  await sending.until(() => outbox.length === 0);
  expect(await refused()).toEqual([nameOf(26, "screenshot"), nameOf(27, "screenshot")]);
});

test("[OUT4] a message that always fails, with a response or without, holds up no other message", async () => {
  for (const failure of [new HttpFault(500, "bug"), new Fault("unreachable", "too slow")]) {
    await using folder = await temporaryFolder();
    const { outbox, clock } = await opened(folder.path);
    const others = ["1", "2", "3"];
    for (const detail of ["bad", ...others]) await outbox.put(status(detail));
    await using sending = await running(outbox, clock, (message) => {
      if (detailOf(message) !== "bad") return null;
      if (failure instanceof HttpFault) return failure;
      throw failure;
    });
    await sending.until(() => outbox.length === 1);
    const sent = sending.attempts.map(({ message }) => detailOf(message));
    expect(sent.filter((detail) => detail !== "bad")).toEqual(others);
    expect(sent.indexOf("1")).toBeLessThanOrEqual(3);
  }
});

test("[OUT4] while the service is away a new message is tried at once, and the others wait", async () => {
  await using folder = await temporaryFolder();
  const { outbox, clock } = await opened(folder.path);
  let isAway = true;
  await outbox.put(status("old"));
  await using sending = await running(outbox, clock, () => {
    if (isAway) throw new Fault("unreachable", "no route");
    return null;
  });
  await sending.until(() => sending.attempts.length === 8);
  isAway = false;
  await outbox.put(status("new"));
  // The clock stands still.
  await eventually(() => outbox.length === 0);
  expect(sending.attempts.slice(8).map(({ message }) => detailOf(message))).toEqual(["new", "old"]);
});

test("[OUT5] after an outage twenty messages are sent at once and the others at random intervals, so that a fleet does not send all at once", async () => {
  await using folder = await temporaryFolder();
  const { outbox: before } = await opened(folder.path);
  for (let number = 1; number <= 60; number += 1) await before.put(status(String(number)));
  const { outbox, clock } = await opened(folder.path);
  const deliveryMs = 100;
  await using sending = await running(outbox, clock, () => {
    clock.advance(deliveryMs);
    return null;
  });
  await eventually(() => sending.attempts.length >= 20);
  const from = sending.attempts[0]!.at;
  expect(sending.attempts.slice(0, 20).every(({ at }, place) => at === from + place * deliveryMs)).toBe(true);
  await sending.until(() => outbox.length < 20);
  await outbox.put(status("fresh"));
  await sending.until(() => outbox.length === 0);
  const sent = sending.attempts.map(({ message }) => detailOf(message));
  // A new message does not wait for the old ones.
  expect(sent.indexOf("fresh")).toBeLessThan(45);
  expect(new Set(sent).size).toBe(61);
  const tookMs = sending.attempts.at(-1)!.at - from;
  expect(tookMs).toBeGreaterThan(5_000);
  expect(tookMs).toBeLessThan(60_000);
});

test("[OUT5] after an outage the messages of a player reach a service that responds quickly within seconds", async () => {
  await using folder = await temporaryFolder();
  const { outbox: before } = await opened(folder.path);
  for (let number = 1; number <= 60; number += 1) await before.put(status(String(number)));
  const { outbox, clock } = await opened(folder.path);
  await using sending = await running(outbox, clock, () => null);
  await sending.until(() => outbox.length === 0, 10);
  const tookMs = sending.attempts.at(-1)!.at - sending.attempts[0]!.at;
  expect(tookMs).toBeGreaterThan(500);
  expect(tookMs).toBeLessThan(5_000);
});
