// Logs that players upload, and that operators read.
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ulid } from "../../../src/base/ulid.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { blobsIn, TestService } from "../harness.ts";
import { Agent } from "../mcp/agent.ts";
import { createOtherTeam } from "../people/people.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const newLogId = (at = Date.now()): string => `log_${ulid(at)}`;

test("[MNT12] a collected log is stored once, listed newest first, and read as text", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const command = (await api.call("POST", `players/${device.playerId}/commands`, { type: "logs.collect" })).body;
  const id = newLogId();
  const text = '{"level":"info","msg":"first"}\n{"level":"info","msg":"zweite Zeile ü"}\n';
  for (let time = 0; time < 2; time += 1) {
    expect((await device.putLog(id, gzipSync(text), { "command-id": command.id })).status).toBe(204);
  }
  const second = newLogId(Date.now() + 1_000);
  expect((await device.putLog(second, gzipSync("other\n"))).status).toBe(204);
  const { data } = (await api.call("GET", `players/${device.playerId}/logs`)).body;
  expect(data.map((each: { id: string }) => each.id)).toEqual([second, id]);
  expect(data[1]).toMatchObject({ player_id: device.playerId, command_id: command.id, size_bytes: Buffer.byteLength(text) });
  const response = await fetch(data[1].text_url, { headers: { authorization: `Bearer ${api.token}` } });
  expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(await response.text()).toBe(text);
});

test("[MNT13] a log that is damaged, too large or of a wrong digest is refused, and so is another one with its id", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice();
  const id = newLogId();
  const packed = gzipSync("a line\n");
  expect((await device.putLog(id, Buffer.from("not gzip"))).status).toBe(422);
  expect((await device.putLog(id, packed.subarray(0, -9))).status).toBe(422);
  expect((await device.putLog(id, packed, { "content-digest": `sha-256=:${"A".repeat(43)}=:` })).status).toBe(400);
  expect((await device.putLog(id, randomBytes(5_000_000))).status).toBe(413);
  // A small upload must not fill the service's disk.
  expect((await device.putLog(id, gzipSync(Buffer.alloc(50_000_000)))).status).toBe(413);
  expect((await device.putLog(id, packed)).status).toBe(204);
  expect((await device.putLog(id, gzipSync("another\n"))).status).toBe(409);
  const other = await api.pairDevice("Other");
  expect((await other.putLog(id, packed)).status).toBe(409);
  expect(await blobsIn(folder.path)).toHaveLength(1);
});

test("[MNT14] another team does not find a player's logs", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const id = newLogId();
  expect((await device.putLog(id, gzipSync("a line\n"))).status).toBe(204);
  const other = await createOtherTeam(api);
  expect((await other.call("GET", `logs/${id}`)).status).toBe(404);
  expect((await other.call("GET", `players/${device.playerId}/logs`)).status).toBe(404);
  expect((await api.call("GET", `logs/${id}`)).status).toBe(200);
  expect((await api.call("DELETE", `players/${device.playerId}`)).status).toBe(204);
  expect((await api.call("GET", `logs/${id}`)).status).toBe(404);
});

test("[MNT15] the newest 20 logs of a player are kept, and their files with them", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(Date.now());
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  const ids: string[] = [];
  for (let number = 0; number < 22; number += 1) {
    clock.advance(1_000);
    ids.push(newLogId(clock.now()));
    expect((await device.putLog(ids.at(-1)!, gzipSync(`log ${number}\n`))).status).toBe(204);
  }
  const { data } = (await api.call("GET", `players/${device.playerId}/logs?limit=100`)).body;
  expect(data.map((each: { id: string }) => each.id)).toEqual(ids.slice(2).toReversed());
  await expect.poll(async () => (await blobsIn(folder.path)).length).toBe(20);
});

test("[MNT17] an agent reads the end of a collected log as text that is marked as data", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const id = newLogId();
  expect((await device.putLog(id, gzipSync(`${"x".repeat(150_000)}\nlast line\n`))).status).toBe(204);
  await using agent = await Agent.connect(api.service.url, api.token, "2026", "players");
  const { text, left_out_bytes } = await agent.ok("get_log", { id });
  expect(text).toHaveLength(100_000);
  expect(text).toMatch(/x\nlast line\n$/);
  expect(left_out_bytes).toBe(50_011);
});
