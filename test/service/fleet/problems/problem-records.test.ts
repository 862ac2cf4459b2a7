// The problems that players record: stored once, listed, sent as events only if no heartbeat reported them, and deleted after a time.
import { expect, test } from "vitest";
import type { ProblemRecord } from "../../../../src/protocol/device/problem-records.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { newId } from "../../../support/states.ts";
import { eventually } from "../../../support/polling.ts";
import { heartbeat, TestService, type Device } from "../../harness.ts";

const minute = 60_000;
const day = 86_400_000;
const noon = Date.UTC(2026, 10, 21, 12);
const at = (ms: number): string => new Date(ms).toISOString();

function recordOf(more: Partial<ProblemRecord> = {}): ProblemRecord {
  const about = { zone_id: null, item_id: null, detail: "The disk is full", remedy: "Free some space." };
  return { code: "disk-unwritable", ...about, started_at: at(noon), ended_at: null, times: 1, ...more };
}

async function send(device: Device, id: string, record: ProblemRecord): Promise<void> {
  expect((await device.call("PUT", `problems/${id}`, record)).status).toBe(204);
}

test("[PRB16] recorded problems are listed per player, by code and time, with beginning and end; repeated and late reports change nothing", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon + 10 * minute);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  const path = `players/${device.playerId}/problems`;
  const [first, second] = [newId("prb"), newId("prb")];
  const ended = recordOf({ ended_at: at(noon + minute) });
  await send(device, first, recordOf());
  await send(device, first, ended);
  await send(device, first, recordOf());
  await send(device, second, recordOf({ code: "from-a-later-version", started_at: at(noon + 2 * minute), times: 3 }));
  await send(device, second, recordOf({ code: "from-a-later-version", started_at: at(noon + 2 * minute) }));
  const shown = [
    { id: second, player_id: device.playerId, code: "from-a-later-version", ended_at: null, times: 3 },
    { id: first, ...ended, received_at: at(noon + 10 * minute) },
  ];
  expect((await api.call("GET", path)).body).toMatchObject({ data: shown, next_cursor: null });
  expect((await api.call("GET", `${path}?code=disk-unwritable`)).body.data).toMatchObject([shown[1]!]);
  expect((await api.call("GET", `${path}?from=${at(noon + minute)}`)).body.data).toMatchObject([shown[0]!]);
  const page = (await api.call("GET", `${path}?limit=1`)).body;
  expect((await api.call("GET", `${path}?limit=1&cursor=${page.next_cursor}`)).body.data).toMatchObject([shown[1]!]);
  expect((await api.call("GET", `players/${newId("plr")}/problems`)).status).toBe(404);
  expect((await device.call("PUT", `problems/${newId("evt")}`, recordOf())).status).toBe(404);
  expect((await device.call("PUT", `problems/${first}`, { ...recordOf(), times: 0 })).status).toBe(422);
});

test("[PRB17] a recorded problem sends the events problem.opened and problem.closed only if it was over before any heartbeat reported it", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice("Lobby");
  const { next } = (await api.call("GET", "events")).body;
  await device.call("POST", "heartbeat", heartbeat());
  clock.advance(30 * minute);
  // Reported by a heartbeat while it lasted, and not over yet.
  await send(device, newId("prb"), recordOf({ started_at: at(noon - minute), ended_at: at(noon + minute) }));
  await send(device, newId("prb"), recordOf({ started_at: at(noon + 20 * minute) }));
  const missed = recordOf({ started_at: at(noon + 10 * minute), ended_at: at(noon + 12 * minute) });
  const id = newId("prb");
  await send(device, id, missed);
  await send(device, id, missed);
  const { started_at: since, ended_at, times: _, ...problem } = missed;
  const about = { player_id: device.playerId, name: "Lobby" };
  const seen = await eventually(async () => {
    const { body } = await api.call("GET", `events?types=problem.opened,problem.closed&after=${next}`);
    // The service detects that the player is offline.
    const others = body.data.filter(({ data }: { data: { code: string } }) => data.code !== "offline");
    return others.length >= 2 && others;
  });
  expect(seen.map(({ type, data }: { type: string; data: unknown }) => ({ type, data }))).toEqual([
    { type: "problem.opened", data: { ...about, ...problem, since } },
    { type: "problem.closed", data: { ...about, code: missed.code, zone_id: null, item_id: null, since, ended_at } },
  ]);
});

test("[PRB18] the newest thousand recorded problems of a player are kept, for 90 days", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(noon);
  let path: string;
  {
    await using api = await TestService.start(folder.path, { clock });
    const device = await api.pairDevice();
    path = `players/${device.playerId}/problems`;
    const ids = Array.from({ length: 1_003 }, () => newId("prb"));
    for (const [index, id] of ids.entries()) await send(device, id, recordOf({ started_at: at(noon + index) }));
    expect((await api.call("GET", `${path}?to=${at(noon + 5)}`)).body.data).toMatchObject([{ id: ids[4] }, { id: ids[3] }]);
  }
  clock.advance(91 * day);
  await using api = await TestService.start(folder.path, { clock });
  await eventually(async () => (await api.call("GET", path)).body.data.length === 0);
});
