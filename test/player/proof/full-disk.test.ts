// Play events and messages on a disk that is full, read-only or broken: kept in memory, delivered from there, written later.
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import type { OutboxMessage } from "../../../src/player/outbox/outbox-message.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import type { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import { FakeClock } from "../../support/clock.ts";
import { breakDisk } from "../../support/disk.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { smallDisk, type SmallDisk } from "../../support/small-disk.ts";
import { newId, playEvent } from "../../support/states.ts";

const skipped = "only root can mount a small disk";
const empty = { bootId: "b", clockOffsetMs: 0, clockErrorMs: null, open: [] };

/** Ways in which a disk stops being writable, until the result is disposed of. */
const faults: [string, (disk: SmallDisk) => Promise<AsyncDisposable | Disposable>][] = [
  ["full", (disk) => disk.fill().then(() => ({ [Symbol.asyncDispose]: () => disk.free() }))],
  // A real file system with open files cannot be made read-only.
  ["read-only", () => breakDisk("EROFS")],
  ["broken", () => breakDisk("EIO")],
];

/** Uploads until `count` events have been delivered. */
async function uploaded(playLog: PlayLog, clock: FakeClock, count: number): Promise<PlayEvent[]> {
  const delivered: PlayEvent[] = [];
  const stop = new AbortController();
  const running = playLog.run(async (events) => {
    delivered.push(...events);
    if (delivered.length >= count) stop.abort();
    return { accepted: events.length, duplicates: 0, rejected: [] };
  }, stop.signal);
  const ended = expect(running).rejects.toMatchObject({ name: "AbortError" });
  while (!stop.signal.aborted) {
    clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  return delivered;
}

test.for(faults)("[DSK2] on a disk that is %s play events are kept, and written once it is repaired", async ([, damage], context) => {
  await using small = await smallDisk(1);
  if (small === null) return context.skip(skipped);
  const folder = join(small.path, "plays");
  const clock = new FakeClock();
  const disk = new DiskHealth(silentLog);
  const { playLog } = await PlayLog.open(folder, clock, silentLog, disk);
  const before = Array.from({ length: 20 }, playEvent);
  await playLog.append(before, empty);
  // More than a file holds, so that the log also fails to begin another file.
  const during = Array.from({ length: 600 }, playEvent);
  {
    await using _fault = await damage(small);
    for (const event of during) await playLog.append([event], empty);
    await playLog.recordFrame({ at: 1, mono: 1 });
    expect(disk.condition.unwritten).toEqual([{ what: "play events", reason: expect.any(String) }]);
  }
  await playLog.save();
  expect(disk.condition).toMatchObject({ unwritten: [], lost: [] });
  await playLog.close();
  const again = await PlayLog.open(folder, clock, silentLog, disk);
  expect(ids(await uploaded(again.playLog, clock, 620))).toEqual(ids([...before, ...during]));
  await again.playLog.close();
});

test.for(faults)("[DSK2] on a disk that is %s from the start play events are uploaded from memory", async ([, damage], context) => {
  await using small = await smallDisk(1);
  if (small === null) return context.skip(skipped);
  await using _fault = await damage(small);
  const clock = new FakeClock();
  const disk = new DiskHealth(silentLog);
  const { playLog } = await PlayLog.open(join(small.path, "plays"), clock, silentLog, disk);
  const events = Array.from({ length: 700 }, playEvent);
  for (const event of events) await playLog.append([event], empty);
  expect(ids(await uploaded(playLog, clock, 700))).toEqual(ids(events));
  expect(disk.condition.lost).toEqual([]);
  await playLog.close();
  expect(disk.condition.lost).toEqual([]);
});

test("[DSK2] what a full disk took of a longer write is no damage once a shorter one follows", async (context) => {
  await using small = await smallDisk(1);
  if (small === null) return context.skip(skipped);
  const clock = new FakeClock();
  const disk = new DiskHealth(silentLog);
  const folder = join(small.path, "plays");
  const { playLog } = await PlayLog.open(folder, clock, silentLog, disk);
  await small.fill();
  await playLog.append(Array.from({ length: 30 }, playEvent), empty);
  await uploaded(playLog, clock, 30);
  await small.free();
  const event = playEvent();
  await playLog.append([event], empty);
  await playLog.close();
  const again = await PlayLog.open(folder, clock, silentLog, disk);
  expect(ids(await uploaded(again.playLog, clock, 1))).toEqual([event.id]);
  expect(disk.condition).toMatchObject({ damaged: [], lost: [] });
  await again.playLog.close();
});

test("[DSK2] a full disk takes at most 5,000 events of memory: the oldest are dropped, counted and reported", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const disk = new DiskHealth(silentLog);
  const { playLog } = await PlayLog.open(folder.path, clock, silentLog, disk);
  const events = Array.from({ length: 5_030 }, playEvent);
  {
    using _broken = await breakDisk("ENOSPC");
    for (let first = 0; first < events.length; first += 10) await playLog.append(events.slice(first, first + 10), empty);
    expect(disk.condition.lost).toEqual([{ what: "play events", count: 30 }]);
  }
  await playLog.save();
  expect(ids(await uploaded(playLog, clock, 5_000))).toEqual(ids(events.slice(30)));
  await playLog.close();
});

test.for(faults)("[DSK3] on a disk that is %s messages are delivered from memory, once each", async ([, damage], context) => {
  await using small = await smallDisk(1);
  if (small === null) return context.skip(skipped);
  const disk = new DiskHealth(silentLog);
  const folder = join(small.path, "outbox");
  const outbox = await Outbox.open(folder, new FakeClock(), silentLog, disk);
  const messages = Array.from({ length: 4 }, (_, index) => status(String(index)));
  await outbox.put(messages[0]!);
  {
    await using _fault = await damage(small);
    await outbox.put(messages[1]!);
    await outbox.put(messages[2]!);
    expect(disk.condition.unwritten).toMatchObject([{ what: "messages" }]);
    expect(await delivered(outbox, 2)).toEqual(messages.slice(0, 2));
  }
  await disk.probe(small.path);
  await outbox.save();
  await outbox.put(messages[3]!);
  expect(disk.condition).toMatchObject({ unwritten: [], lost: [] });
  const again = await Outbox.open(folder, new FakeClock(), silentLog, disk);
  const rest = await delivered(again, again.length);
  // A delivered message that could not be removed from the disk is sent again after a restart; the service ignores it.
  expect(rest.filter((message) => !sameAs(messages[0]!)(message))).toEqual(messages.slice(2));
});

test("[DSK3] messages take at most 16 MB of memory: the oldest screenshot is dropped first, counted and reported", async () => {
  await using folder = await temporaryFolder();
  const disk = new DiskHealth(silentLog);
  const outbox = await Outbox.open(folder.path, new FakeClock(), silentLog, disk);
  const kept: OutboxMessage[] = [];
  {
    using _broken = await breakDisk("ENOSPC");
    await outbox.put(screenshot());
    await outbox.put(screenshot());
    kept.push(status("result"), screenshot(), screenshot());
    for (const message of kept) await outbox.put(message);
  }
  expect(disk.condition.lost).toEqual([{ what: "messages", count: 2 }]);
  await outbox.save();
  expect(await delivered(outbox, 3)).toEqual(kept);
});

function status(detail: string): OutboxMessage {
  return { is: "command-status", commandId: newId("cmd"), update: { status: "failed", result: null, error: { code: "x", detail } } };
}

function screenshot(): OutboxMessage {
  return { is: "screenshot", screenshotId: newId("shot"), headers: {}, base64: "A".repeat(6 * 2 ** 20) };
}

async function delivered(outbox: Outbox, count: number): Promise<OutboxMessage[]> {
  const messages: OutboxMessage[] = [];
  const stop = new AbortController();
  const deliver = async (message: OutboxMessage): Promise<null> => {
    stop.signal.throwIfAborted();
    messages.push(message);
    if (messages.length === count) stop.abort();
    return null;
  };
  await expect(outbox.run(deliver, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
  return messages;
}

function sameAs(message: OutboxMessage): (other: OutboxMessage) => boolean {
  return (other) => JSON.stringify(other) === JSON.stringify(message);
}

function ids(events: readonly PlayEvent[]): string[] {
  return events.map(({ id }) => id);
}
