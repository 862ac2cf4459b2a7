// Play events that the service refuses, among others that it accepts, on real files.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { HttpFault } from "../../../src/player/link/service-http.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import type { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { playEvent } from "../../support/states.ts";

const empty = { bootId: "b", clockOffsetMs: 0, clockErrorMs: null, open: [] };
const idsOf = (events: readonly PlayEvent[]): string[] => events.map(({ id }) => id);

/** A play log that uploads to a service which answers as `refusal` says. The clock moves while the log waits and {@link until} is awaited. */
async function uploading(folder: string, refusal: (events: readonly PlayEvent[]) => HttpFault | null) {
  const clock = new FakeClock();
  const disk = new DiskHealth(silentLog);
  const { playLog } = await PlayLog.open(folder, clock, silentLog, disk);
  const stored = new Set<string>();
  const requests: string[][] = [];
  const end = new AbortController();
  const deliver = async (events: PlayEvent[]) => {
    requests.push(idsOf(events));
    const fault = refusal(events);
    if (fault !== null) throw fault;
    for (const { id } of events) stored.add(id);
    return { accepted: events.length, duplicates: 0, rejected: [] };
  };
  const run = playLog.run(deliver, end.signal).catch((error: unknown) => error);
  return {
    playLog,
    stored,
    requests,
    lost: () => disk.condition.lost,
    until: (check: () => boolean): Promise<boolean> =>
      eventually(() => {
        if (check()) return true;
        if (clock.pendingWaits > 0) clock.advance(60_000);
        return false;
      }),
    async [Symbol.asyncDispose]() {
      end.abort();
      expect(await run).toMatchObject({ name: "AbortError" });
      await playLog.close();
    },
  };
}

const lostPlays = (count: number) => [{ what: "play events that the service refused", count }];
const setAside = async (folder: string): Promise<string[]> =>
  (await readdir(join(folder, "refused")).catch(() => [])).map((name) => name.slice(0, -5));

test.each([500, 400, 422])("[POP30] an event that the service refuses with %d is set aside, and all others arrive", async (status) => {
  await using folder = await temporaryFolder();
  const events = Array.from({ length: 40 }, playEvent);
  const bad = events[17]!;
  const refuse = (sent: readonly PlayEvent[]) => (sent.some(({ id }) => id === bad.id) ? new HttpFault(status, "cannot store it") : null);
  await using service = await uploading(folder.path, refuse);
  await service.playLog.append(events, empty);
  await service.until(() => service.lost().length > 0);
  const later = playEvent();
  await service.playLog.append([later], empty);
  await service.until(() => service.stored.has(later.id));
  const others = events.filter((event) => event !== bad);
  expect([...service.stored].toSorted()).toEqual(idsOf([...others, later]).toSorted());
  expect(service.lost()).toEqual(lostPlays(1));
  await expect.poll(() => setAside(folder.path)).toEqual([bad.id]);
  const file = await readFile(join(folder.path, "refused", `${bad.id}.json`), "utf8");
  expect(JSON.parse(file)).toEqual({ reason: "cannot store it", event: bad });
});

test("[POP30] an event that is alone in its file is set aside only once the service has accepted a later one", async () => {
  await using folder = await temporaryFolder();
  const bad = playEvent();
  const refuse = (sent: readonly PlayEvent[]) => (sent.some(({ id }) => id === bad.id) ? new HttpFault(500, "cannot store it") : null);
  await using service = await uploading(folder.path, refuse);
  await service.playLog.append([bad], empty);
  await service.until(() => service.requests.length > 30);
  expect(service.lost()).toEqual([]);
  const later = playEvent();
  await service.playLog.append([later], empty);
  await service.until(() => service.lost().length > 0);
  expect([...service.stored]).toEqual([later.id]);
  await expect.poll(() => setAside(folder.path)).toEqual([bad.id]);
});

test.each([500, 503, 404])("[POP30] a service that refuses everything with %d loses nothing, however long it lasts", async (status) => {
  await using folder = await temporaryFolder();
  const events = Array.from({ length: 30 }, playEvent);
  let isBroken = true;
  await using service = await uploading(folder.path, () => (isBroken ? new HttpFault(status, "broken") : null));
  await service.playLog.append(events, empty);
  await service.until(() => service.requests.length > 200);
  isBroken = false;
  await service.until(() => service.stored.size === events.length);
  expect(service.lost()).toEqual([]);
});

test("[POP30] batches that are too large for a proxy arrive in parts", async () => {
  await using folder = await temporaryFolder();
  const events = Array.from({ length: 100 }, playEvent);
  await using service = await uploading(folder.path, (sent) => (sent.length > 10 ? new HttpFault(413, "too large") : null));
  await service.playLog.append(events, empty);
  await service.until(() => service.stored.size === events.length);
  expect(service.lost()).toEqual([]);
});
