// The queue of play events on real files: when it uploads, and which faults it survives.
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAbort } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import type { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { FakeClock } from "../../support/clock.ts";
import { recordDiskCalls } from "../../support/disk.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { playEvent } from "../../support/states.ts";

const empty = { bootId: "b", clockOffsetMs: 0, clockErrorMs: null, open: [] };

/** Opens a play log whose only file has these bytes. @returns its events, and what it reports about the disk. */
async function readBack(bytes: Buffer) {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "000000000001.plays"), bytes);
  const clock = new FakeClock();
  const disk = new DiskHealth(silentLog);
  const { playLog } = await PlayLog.open(folder.path, clock, silentLog, disk);
  const delivered: string[] = [];
  const end = new AbortController();
  const running = playLog.run(async (events) => {
    delivered.push(...events.map(({ id }) => id));
    return { accepted: events.length, duplicates: 0, rejected: [] };
  }, end.signal);
  const ended = expect(running).rejects.toMatchObject({ name: "AbortError" });
  await expect.poll(async () => (await readdir(folder.path)).length).toBe(1);
  end.abort();
  await ended;
  await playLog.close();
  return { delivered, ...disk.condition };
}

/** A file of the play log with some frames and events, and the ids of the events. */
async function writtenLog(count: number): Promise<{ bytes: Buffer; ids: string[] }> {
  await using folder = await temporaryFolder();
  const { playLog } = await PlayLog.open(folder.path, new FakeClock(), silentLog);
  const events = Array.from({ length: count }, playEvent);
  for (const [index, event] of events.entries()) {
    await playLog.recordFrame({ at: index, mono: index });
    await playLog.append([event], empty);
  }
  await playLog.close();
  const bytes = await readFile(join(folder.path, (await readdir(folder.path))[0]!));
  return { bytes, ids: events.map(({ id }) => id) };
}

test("[POP12] events are uploaded once there are 500 or the oldest is a minute old, and are deleted only after the response", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { playLog } = await PlayLog.open(folder.path, clock, silentLog);
  const batches: number[] = [];
  let respond: () => void = () => undefined;
  const end = new AbortController();
  const running = playLog.run(async (events) => {
    batches.push(events.length);
    await new Promise<void>((resolve) => (respond = resolve));
    return { accepted: events.length, duplicates: 0, rejected: [] };
  }, end.signal);
  const ended = expect(running).rejects.toThrow();
  const files = async () => (await readdir(folder.path)).length;
  await playLog.append([playEvent(), playEvent()], empty);
  await expect.poll(() => clock.pendingWaits).toBe(1);
  clock.advance(59_999);
  // It still waits for the same instant.
  expect(clock.pendingWaits).toBe(1);
  clock.advance(1);
  await expect.poll(() => batches).toEqual([2]);
  expect(await files()).toBe(2);
  respond();
  await expect.poll(files).toBe(1);
  await playLog.append(Array.from({ length: 500 }, playEvent), empty);
  await expect.poll(() => batches).toEqual([2, 500]);
  respond();
  await expect.poll(files).toBe(1);
  end.abort();
  await ended;
  await playLog.close();
});

test("[POP13] a partly written line loses only its own event; a full queue drops its oldest events and logs the loss", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const first = await PlayLog.open(folder.path, clock, silentLog);
  const whole = playEvent();
  await first.playLog.append([whole], empty);
  await first.playLog.close();
  const [file] = await readdir(folder.path);
  await appendFile(join(folder.path, file!), '0badc0de {"event":{"id":"evt_');
  const delivered: PlayEvent[] = [];
  const again = await PlayLog.open(folder.path, clock, silentLog);
  const end = new AbortController();
  const running = again.playLog
    .run(async (events) => {
      delivered.push(...events);
      return { accepted: events.length, duplicates: 0, rejected: [] };
    }, end.signal)
    .catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
  await expect.poll(() => delivered).toEqual([whole]);
  end.abort();
  await running;
  await again.playLog.close();

  await using full = await temporaryFolder();
  for (let number = 1; number <= 600; number += 1) await writeFile(join(full.path, `${String(number).padStart(12, "0")}.plays`), "");
  const { playLog } = await PlayLog.open(full.path, clock, silentLog);
  await playLog.append(Array.from({ length: 500 }, playEvent), empty);
  expect(playLog.lostCount).toBe(1_000);
  const names = (await readdir(full.path)).toSorted();
  expect([names.length, names[0], names.at(-1)]).toEqual([600, "000000000003.plays", "000000000602.plays"]);
  await playLog.close();
});

test("[POP29] a file whose last line a kill or a power loss cut keeps every whole event, and is no damage of the disk", async () => {
  const { bytes, ids } = await writtenLog(2);
  const last = bytes.lastIndexOf('{"event"') - 9;
  for (const cut of [last + 1, last + 9, last + 40]) {
    expect(await readBack(bytes.subarray(0, cut))).toEqual({
      delivered: ids.slice(0, 1),
      unwritten: [],
      unread: [],
      damaged: [],
      lost: [],
      refused: [],
    });
  }
  // The checksum of no text is 0 too.
  expect(await readBack(Buffer.concat([bytes, Buffer.from("0")]))).toEqual({
    delivered: ids,
    unwritten: [],
    unread: [],
    damaged: [],
    lost: [],
    refused: [],
  });
});

test("[POP29] zeros in place of a write that a power loss kept from the disk lose only that write; other bytes are damage", async () => {
  const { bytes, ids } = await writtenLog(4);
  const first = bytes.indexOf(`{"event":{"id":"${ids[1]}`);
  const end = bytes.indexOf("\n", first) + 1;
  const rest = [ids[0], ids[2], ids[3]];
  for (const from of [first - 9, first + 20]) {
    const zeroed = Buffer.from(bytes).fill(0, from, end);
    expect(await readBack(zeroed)).toEqual({ delivered: rest, unwritten: [], unread: [], damaged: [], lost: [], refused: [] });
  }
  const garbled = Buffer.from(bytes).fill("x", first + 20, first + 30);
  expect(await readBack(garbled)).toMatchObject({ delivered: rest, damaged: ["000000000001.plays"] });
});

test("[WRT5] the play log is synced every minute at most, so that a power cut loses no more than that", async () => {
  await using folder = await temporaryFolder();
  using disk = recordDiskCalls();
  const clock = new FakeClock();
  const { playLog } = await PlayLog.open(folder.path, clock, silentLog);
  const atStart = disk.calls.length;
  const syncs = (): number => disk.calls.slice(atStart).filter(({ is }) => is === "sync").length;
  for (let seconds = 0; seconds < 120; seconds += 5) {
    clock.advance(5_000);
    await playLog.recordFrame({ at: clock.now(), mono: clock.monotonic() });
    await playLog.append([playEvent()], empty);
    expect(syncs()).toBe(Math.floor((seconds + 5) / 60));
  }
  await playLog.close();
  expect(syncs()).toBe(3);
});
