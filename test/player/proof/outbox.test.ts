// The limits of the outbox, on real files: which messages it drops first, and that it logs the loss.
import { copyFile, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { type OutboxMessage, Outbox } from "../../../src/player/proof/outbox.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

const megabyte = 2 ** 20;

function status(detail: string): OutboxMessage {
  return { is: "command-status", commandId: newId("cmd"), update: { status: "failed", result: null, error: { code: "x", detail } } };
}

function screenshot(bytes: number): OutboxMessage {
  return { is: "screenshot", screenshotId: newId("shot"), headers: {}, base64: "A".repeat(bytes) };
}

/** Opens the outbox in `folder`, and collects the losses that it logs. */
async function opened(folder: string) {
  const losses: number[] = [];
  const log = { ...silentLog, error: ({ lost }: { lost: number }) => void losses.push(lost) } as unknown as typeof silentLog;
  return { outbox: await Outbox.open(folder, new FakeClock(), log), losses };
}

const nameOf = (number: number): string => `${String(number).padStart(12, "0")}.json`;

test("[OUT1] the outbox holds the newest thousand messages: the oldest is dropped first, and every loss is counted and logged", async () => {
  await using folder = await temporaryFolder();
  const before = await opened(folder.path);
  await before.outbox.put(status("the oldest"));
  await before.outbox.put(status("another"));
  for (let number = 3; number <= 1_001; number += 1) await copyFile(join(folder.path, nameOf(2)), join(folder.path, nameOf(number)));
  // The outbox already holds one message too many.
  const { outbox, losses } = await opened(folder.path);
  expect([outbox.length, outbox.lostCount, losses]).toEqual([1_000, 1, [1]]);
  await outbox.put(status("the newest"));
  expect([outbox.length, outbox.lostCount, losses]).toEqual([1_000, 2, [1, 2]]);
  const names = (await readdir(folder.path)).toSorted();
  expect([names.length, names[0], names.at(-1)]).toEqual([1_000, nameOf(3), nameOf(1_002)]);
  const delivered: OutboxMessage[] = [];
  const stop = new AbortController();
  const deliver = async (message: OutboxMessage): Promise<void> => {
    delivered.push(message);
    stop.abort();
    stop.signal.throwIfAborted();
  };
  await expect(outbox.run(deliver, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
  expect(delivered[0]).toMatchObject({ update: { error: { detail: "another" } } });
});

test("[OUT1] undelivered screenshots do not fill the disk: above 128 MB the oldest screenshot is dropped first, and never a command's result", async () => {
  await using folder = await temporaryFolder();
  const before = await opened(folder.path);
  await before.outbox.put(status("done"));
  for (const number of [2, 3, 4]) {
    await writeFile(join(folder.path, nameOf(number)), "");
    // Sparse files take no space on the disk.
    await truncate(join(folder.path, nameOf(number)), 60 * megabyte);
  }
  const { outbox, losses } = await opened(folder.path);
  expect([outbox.length, losses]).toEqual([3, [1]]);
  await outbox.put(screenshot(10 * megabyte));
  expect([outbox.length, losses]).toEqual([3, [1, 2]]);
  expect((await readdir(folder.path)).toSorted()).toEqual([nameOf(1), nameOf(4), nameOf(5)]);
  // A single screenshot that is too large is kept, because dropping it would gain nothing.
  await truncate(join(folder.path, nameOf(5)), 200 * megabyte);
  await opened(folder.path);
  expect((await readdir(folder.path)).toSorted()).toEqual([nameOf(1), nameOf(5)]);
});

test("[OUT2] a message that is queued at any moment while the previous one is delivered is delivered too", async () => {
  await using folder = await temporaryFolder();
  const { outbox } = await opened(folder.path);
  const stop = new AbortController();
  let release = Promise.withResolvers<void>();
  const accepted = new Set<OutboxMessage["is"]>();
  let next = Promise.withResolvers<void>();
  const deliver = async ({ is }: OutboxMessage): Promise<void> => {
    if (is === "command-status") await release.promise;
    accepted.add(is);
    next.resolve();
  };
  const run = expect(outbox.run(deliver, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
  let putMs = 0;
  const rounds = 300;
  for (let round = 0; round < rounds; round += 1) {
    release = Promise.withResolvers<void>();
    accepted.clear();
    await outbox.put(status("first"));
    // The delivery of the first ends at another moment of each put of the second.
    const from = performance.now();
    const queued = outbox.put(screenshot(10)).then(() => (putMs = performance.now() - from));
    const releaseAt = from + (1.2 * putMs * round) / rounds;
    while (performance.now() < releaseAt) await new Promise((resolve) => setImmediate(resolve));
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
